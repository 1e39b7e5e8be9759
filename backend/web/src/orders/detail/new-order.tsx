import { Modal, ScrollArea } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { useI18n } from '../../i18n/i18n';
import { lazyPart } from '../../ui/lazy-part';

export const NewOrderForm = lazyPart('new-order', async () => (await import('./new-order-form')).NewOrderForm);

export function NewOrder({ opened, close }: { opened: boolean; close(): void }) {
  const { messages } = useI18n();
  const isPhone = useMediaQuery('(max-width: 640px)');
  return (
    <Modal
      opened={opened}
      onClose={close}
      title={messages.board.newOrder}
      size="lg"
      fullScreen={isPhone ?? false}
      scrollAreaComponent={ScrollArea.Autosize}
      closeButtonProps={{ 'aria-label': messages.order.close }}
    >
      <NewOrderForm close={close} />
    </Modal>
  );
}
