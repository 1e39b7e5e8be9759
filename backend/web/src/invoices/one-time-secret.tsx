import { Alert, Button, Modal, Stack } from '@mantine/core';
import { useMessages } from '../i18n/i18n';
import { CopyText } from '../ui/copy-text';
import { MESSAGES } from './messages';

/** Shows a secret that the server returns only once. Closes only by its button. */
export function OneTimeSecret({ secret, done }: { secret: string | undefined; done(): void }) {
  const messages = useMessages(MESSAGES);
  return (
    <Modal
      opened={secret !== undefined}
      onClose={() => undefined}
      title={messages.secretTitle}
      withCloseButton={false}
      closeOnClickOutside={false}
      closeOnEscape={false}
      size="lg"
    >
      <Stack>
        <Alert color="yellow" variant="outline" c="inherit">
          {messages.secretOnce}
        </Alert>
        <CopyText label={messages.secretLabel} text={secret ?? ''} />
        <Button onClick={done} w="fit-content" ml="auto">
          {messages.stored}
        </Button>
      </Stack>
    </Modal>
  );
}
