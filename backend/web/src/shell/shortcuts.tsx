import { Group, Kbd, Modal, Stack, Text } from '@mantine/core';
import { useHotkeys } from '@mantine/hooks';
import { useI18n } from '../i18n/i18n';

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
        {messages.shortcuts.list.map(({ keys, meaning }) => (
          <Group key={meaning} justify="space-between" wrap="nowrap" gap="md">
            <Text size="sm">{meaning}</Text>
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
