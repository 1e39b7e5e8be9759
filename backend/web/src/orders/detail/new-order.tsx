import { Modal, ScrollArea } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { useSpeech } from '../../i18n/i18n';
import { part } from '../../ui/lazy-part';

export const NewOrderForm = part('new-order', async () => (await import('./new-order-form')).NewOrderForm);

export function NewOrder({ opened, close }: { opened: boolean; close(): void }) {
  const { words } = useSpeech();
  const isPhone = useMediaQuery('(max-width: 640px)');
  return (
    <Modal
      opened={opened}
      onClose={close}
      title={words.board.newOrder}
      size="lg"
      fullScreen={isPhone ?? false}
      scrollAreaComponent={ScrollArea.Autosize}
      closeButtonProps={{ 'aria-label': words.order.close }}
    >
      <NewOrderForm close={close} />
    </Modal>
  );
}
