import { Alert, Button, Modal, Stack } from '@mantine/core';
import { CopyText } from '../ui/copy-text';
import { useWordsOf } from '../i18n/i18n';
import { WORDS } from './messages';

/** A secret that is answered once: it goes when the reader says it is stored. */
export function SecretOnce({ secret, done }: { secret: string | undefined; done(): void }) {
  const words = useWordsOf(WORDS);
  return (
    <Modal
      opened={secret !== undefined}
      onClose={() => undefined}
      title={words.secretTitle}
      withCloseButton={false}
      closeOnClickOutside={false}
      closeOnEscape={false}
      size="lg"
    >
      <Stack>
        <Alert color="yellow" variant="outline" c="inherit">
          {words.secretOnce}
        </Alert>
        <CopyText label={words.secretLabel} text={secret ?? ''} />
        <Button onClick={done} w="fit-content" ml="auto">
          {words.stored}
        </Button>
      </Stack>
    </Modal>
  );
}
