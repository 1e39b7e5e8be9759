import { Button, Popover, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useLocation } from 'wouter';
import { formatError } from '../i18n/format-error';
import { useI18n } from '../i18n/i18n';
import { IconTrash } from '../ui/icons.tsx';
import { type Filament, stockApi } from './stock-api';
import { useStockFormats } from './use-stock-formats';

export function DeleteFilament({ filament }: { filament: Filament }) {
  const { messages } = useStockFormats();
  const i18n = useI18n();
  const client = useQueryClient();
  const [, navigate] = useLocation();
  const remove = useMutation({
    mutationFn: () => stockApi.remove(filament.id),
    onSuccess() {
      navigate('/stock');
      client.invalidateQueries({ queryKey: ['filaments'] });
      notifications.show({ message: messages.deleted });
    },
    onError: (error) => notifications.show({ color: 'red', message: formatError(error, i18n.messages) }),
  });
  return (
    <Popover withArrow trapFocus shadow="md" width={280}>
      <Popover.Target>
        <Button size="xs" variant="subtle" color="red" c="red" leftSection={<IconTrash size={16} aria-hidden />}>
          {messages.delete}
        </Button>
      </Popover.Target>
      <Popover.Dropdown>
        <Text size="sm" mb="sm" style={{ overflowWrap: 'anywhere' }}>
          {messages.deleteAsk(filament.name)}
        </Text>
        <Button color="red" size="xs" loading={remove.isPending} onClick={() => remove.mutate()}>
          {messages.delete}
        </Button>
      </Popover.Dropdown>
    </Popover>
  );
}
