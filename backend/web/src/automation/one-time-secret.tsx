import { Alert, Button, Modal, Stack } from '@mantine/core';
import { useMessages } from '../i18n/i18n';
import { CopyText } from '../ui/copy-text';
import { MESSAGES } from './messages';

/** Shows a secret that the server returns only once. Closes only by its button, not by Escape or an outside click. */
export function OneTimeSecret({
  title,
  label,
  secret,
  done,
}: {
  title: string;
  label: string;
  /** undefined closes the dialog */
  secret: string | undefined;
  done(): void;
}) {
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
          {messages.once}
        </Alert>
        <CopyText label={label} text={secret ?? ''} />
        <Button onClick={done} w="fit-content" ml="auto">
          {messages.stored}
        </Button>
      </Stack>
    </Modal>
  );
}
