import { Alert, Button, Modal, Stack } from '@mantine/core';
import { useMessages } from '../i18n/i18n';
import { CopyText } from './copy-text';
import { MESSAGES } from './messages';

interface OneTimeSecretProps {
  title: string;
  label: string;
  /** undefined closes the dialog */
  secret: string | undefined;
  /** where it belongs; by default only that it is shown once */
  hint?: string;
  done(): void;
}

/** Shows a secret that the server returns only once. Closes only by its button, not by Escape or an outside click. */
export function OneTimeSecret({ title, label, secret, hint, done }: OneTimeSecretProps) {
  const messages = useMessages(MESSAGES);
  return (
    <Modal
      opened={secret !== undefined}
      onClose={() => undefined}
      title={title}
      withCloseButton={false}
      closeOnClickOutside={false}
      closeOnEscape={false}
      size="lg"
      transitionProps={{ duration: 0 }}
    >
      <Stack>
        <Alert color="yellow" variant="outline" c="inherit">
          {hint ?? messages.once}
        </Alert>
        <CopyText label={label} text={secret ?? ''} />
        <Button onClick={done} w="fit-content" ml="auto">
          {messages.stored}
        </Button>
      </Stack>
    </Modal>
  );
}
