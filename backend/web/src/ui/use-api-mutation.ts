import { type NotificationData, notifications } from '@mantine/notifications';
import { type QueryKey, useMutation, useQueryClient } from '@tanstack/react-query';
import { formatError } from '../i18n/format-error';
import { useI18n } from '../i18n/i18n';

/**
 * A mutation whose result is shown after the response, or an error notification.
 * @param queryKeys invalidated afterwards, in case live updates are disconnected
 * @param notification further properties of the notification
 */
export function useApiMutation<Value, Answer>(
  queryKeys: readonly QueryKey[],
  change: (value: Value) => Promise<Answer>,
  onDone?: (answer: Answer) => void,
  notification: Partial<NotificationData> = {},
) {
  const client = useQueryClient();
  const { messages } = useI18n();
  return useMutation({
    mutationFn: change,
    async onSuccess(answer) {
      onDone?.(answer);
      await Promise.all(queryKeys.map((queryKey) => client.invalidateQueries({ queryKey })));
    },
    onError: (error) => notifications.show({ color: 'red', message: formatError(error, messages), ...notification }),
  });
}
