import { Modal, Stack, Text } from '@mantine/core';
import { useMessages } from '../../i18n/i18n';
import { CopyText } from '../../ui/copy-text';
import type { Group } from '../printers-api';
import { Agents } from './agents';
import { MESSAGES } from './messages';
import { agentApiUrl } from './printer-page';

/** The agents that report for all printers of a group. */
export function GroupAgents({ opened, group, close }: { opened: boolean; group: Group | undefined; close(): void }) {
  const { agents: messages, groupAgents } = useMessages(MESSAGES);
  return (
    <Modal
      opened={opened}
      onClose={close}
      size="lg"
      // Escape must not close the token dialog above it
      closeOnEscape={false}
      closeOnClickOutside={false}
      title={group ? `${groupAgents}: ${group.name}` : groupAgents}
      closeButtonProps={{ 'aria-label': messages.close }}
    >
      {group && (
        <Stack gap="md">
          <Text size="sm">
            {messages.lead} {messages.groupLead}
          </Text>
          <Agents of={{ name: group.name, printer_group_id: group.id }} />
          <CopyText label={messages.auth} text={agentApiUrl()} />
        </Stack>
      )}
    </Modal>
  );
}
