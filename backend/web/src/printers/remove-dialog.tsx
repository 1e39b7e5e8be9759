import { Button, Modal, Group as Row, Stack, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useMessages } from '../i18n/i18n';
import { MESSAGES } from './messages';
import { usePrinterMutation } from './printers-api';

/** A record to delete and the consequences to confirm. */
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
  const messages = useMessages(MESSAGES);
  const run = usePrinterMutation(
    (what: Removal) => what.remove(),
    () => {
      if (removal) notifications.show({ message: messages.removed(removal.name) });
      close();
    },
  );
  return (
    <Modal
      opened={opened}
      onClose={close}
      title={removal && messages.removeTitle(removal.name)}
      closeButtonProps={{ 'aria-label': messages.form.close }}
    >
      {removal && (
        <Stack>
          <Text size="sm">{removal.lead}</Text>
          <Row justify="flex-end">
            <Button variant="default" data-autofocus onClick={close}>
              {messages.form.cancel}
            </Button>
            <Button color="red" loading={run.isPending} onClick={() => run.mutate(removal)}>
              {messages.remove}
            </Button>
          </Row>
        </Stack>
      )}
    </Modal>
  );
}
