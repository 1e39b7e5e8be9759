import { Button, Popover, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { IconTrash } from '@tabler/icons-react';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useLocation } from 'wouter';
import { useSpeech } from '../i18n/i18n';
import { sayProblem } from '../api/format-error';
import { type Filament, stockApi } from './stock-api';
import { useStock } from './use-stock-formats';

export function DeleteFilament({ filament }: { filament: Filament }) {
  const { words } = useStock();
  const speech = useSpeech();
  const client = useQueryClient();
  const [, navigate] = useLocation();
  const remove = useMutation({
    mutationFn: () => stockApi.remove(filament.id),
    onSuccess() {
      navigate('/stock');
      client.invalidateQueries({ queryKey: ['filaments'] });
      notifications.show({ message: words.deleted });
    },
    onError: (error) => notifications.show({ color: 'red', message: sayProblem(error, speech.words) }),
  });
  return (
    <Popover withArrow trapFocus shadow="md" width={280}>
      <Popover.Target>
        <Button size="xs" variant="subtle" color="red" c="red" leftSection={<IconTrash size={16} aria-hidden />}>
          {words.delete}
        </Button>
      </Popover.Target>
      <Popover.Dropdown>
        <Text size="sm" mb="sm" style={{ overflowWrap: 'anywhere' }}>
          {words.deleteAsk(filament.name)}
        </Text>
        <Button color="red" size="xs" loading={remove.isPending} onClick={() => remove.mutate()}>
          {words.delete}
        </Button>
      </Popover.Dropdown>
    </Popover>
  );
}
