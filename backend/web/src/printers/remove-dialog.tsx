import { Button, Modal, Group as Row, Stack, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useWordsOf } from '../i18n/i18n';
import { useChange } from './printers-api';
import { WORDS } from './messages';

/** What is about to be deleted, and what that means for what hangs on it. */
export interface Removal {
  name: string;
  lead: string;
  remove(): Promise<unknown>;
}

interface RemoveProps {
  opened: boolean;
  removal: Removal | undefined;
  close(): void;
}

export function RemoveModal({ opened, removal, close }: RemoveProps) {
  const words = useWordsOf(WORDS);
  const run = useChange(
    (what: Removal) => what.remove(),
    () => {
      if (removal) notifications.show({ message: words.removed(removal.name) });
      close();
    },
  );
  return (
    <Modal
      opened={opened}
      onClose={close}
      title={removal && words.removeTitle(removal.name)}
      closeButtonProps={{ 'aria-label': words.form.close }}
    >
      {removal && (
        <Stack>
          <Text size="sm">{removal.lead}</Text>
          <Row justify="flex-end">
            <Button variant="default" data-autofocus onClick={close}>
              {words.form.cancel}
            </Button>
            <Button color="red" loading={run.isPending} onClick={() => run.mutate(removal)}>
              {words.remove}
            </Button>
          </Row>
        </Stack>
      )}
    </Modal>
  );
}
