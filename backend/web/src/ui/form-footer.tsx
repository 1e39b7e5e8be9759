import { Alert, Button, Group, type MantineSpacing } from '@mantine/core';
import { formatError } from '../i18n/format-error';
import { useI18n } from '../i18n/i18n';

interface FormFooterProps {
  error?: Error | null;
  /** label of the button that sends the form */
  submit: string;
  isDisabled?: boolean;
  isPending: boolean;
  close(): void;
  mt?: MantineSpacing;
}

/** Error message and buttons of a form. */
export function FormFooter({ error, submit, isDisabled = false, isPending, close, mt = 0 }: FormFooterProps) {
  const { messages } = useI18n();
  return (
    <>
      {error && (
        <Alert color="red" role="alert">
          {formatError(error, messages)}
        </Alert>
      )}
      <Group justify="flex-end" mt={mt}>
        <Button variant="default" onClick={close}>
          {messages.order.cancel}
        </Button>
        <Button type="submit" disabled={isDisabled} loading={isPending}>
          {submit}
        </Button>
      </Group>
    </>
  );
}
