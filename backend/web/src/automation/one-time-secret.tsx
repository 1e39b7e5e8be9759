import { Alert, Button, Modal, Stack } from '@mantine/core';
import { CopyText } from '../ui/copy-text';
import { useWordsOf } from '../i18n/i18n';
import { WORDS } from './messages';

/** A secret that the service answers once: it goes when the reader says it is stored, and not by a stray click. */
export function ShownOnce({
  title,
  label,
  secret,
  done,
}: {
  title: string;
  label: string;
  /** undefined: nothing is shown */
  secret: string | undefined;
  done(): void;
}) {
  const words = useWordsOf(WORDS);
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
          {words.once}
        </Alert>
        <CopyText label={label} text={secret ?? ''} />
        <Button onClick={done} w="fit-content" ml="auto">
          {words.stored}
        </Button>
      </Stack>
    </Modal>
  );
}
