import { type NotificationData, notifications } from '@mantine/notifications';
import { type QueryKey, useMutation, useQueryClient } from '@tanstack/react-query';
import { useSpeech } from '../i18n/i18n';
import { sayProblem } from './format-error';

/**
 * A change that is shown when the service has answered it, or a notice why not.
 * @param queryKeys what is read anew, also where live updates do not reach this page
 * @param notice what else the notice is made of
 */
export function useChangeOf<Value, Answer>(
  queryKeys: readonly QueryKey[],
  change: (value: Value) => Promise<Answer>,
  done?: (answer: Answer) => void,
  notice: Partial<NotificationData> = {},
) {
  const client = useQueryClient();
  const { words } = useSpeech();
  return useMutation({
    mutationFn: change,
    async onSuccess(answer) {
      done?.(answer);
      await Promise.all(queryKeys.map((queryKey) => client.invalidateQueries({ queryKey })));
    },
    onError: (error) => notifications.show({ color: 'red', message: sayProblem(error, words), ...notice }),
  });
}
