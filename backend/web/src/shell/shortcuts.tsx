import { Group, Kbd, Modal, Stack, Text } from '@mantine/core';
import { useHotkeys } from '@mantine/hooks';
import { useI18n } from '../i18n/i18n';

const SHORTCUTS = [
  { keys: 'N', does: 'newOrder' },
  { keys: '/', does: 'search' },
  { keys: 'S', does: 'scan' },
  { keys: '← ↑ ↓ →', does: 'move' },
  { keys: 'Enter', does: 'open' },
  { keys: 'Space', does: 'select' },
  { keys: 'Esc', does: 'close' },
  { keys: '?', does: 'help' },
] as const;

interface Props {
  opened: boolean;
  open(): void;
  close(): void;
}

/** Help dialog of all keyboard shortcuts, opened with `?`. */
export function Shortcuts({ opened, open, close }: Props) {
  const { messages } = useI18n();
  useHotkeys([['shift+?', open]]);
  return (
    <Modal
      opened={opened}
      onClose={close}
      title={messages.shortcuts.title}
      closeButtonProps={{ 'aria-label': messages.order.close }}
    >
      <Stack gap="xs">
        {SHORTCUTS.map(({ keys, does }) => (
          <Group key={does} justify="space-between" wrap="nowrap" gap="md">
            <Text size="sm">{messages.shortcuts[does]}</Text>
            <Group gap={4} wrap="nowrap">
              {keys.split(' ').map((key) => (
                <Kbd key={key}>{key}</Kbd>
              ))}
            </Group>
          </Group>
        ))}
      </Stack>
    </Modal>
  );
}
