import { Modal, Stack, Text } from '@mantine/core';
import { CopyText } from '../../ui/copy-text';
import { useWordsOf } from '../../i18n/i18n';
import type { Group } from '../printers-api';
import { Agents } from './agents';
import { agentDoor } from './printer-page';
import { WORDS } from './messages';

/** The agents that report for all printers of a group. */
export function GroupAgents({ opened, group, close }: { opened: boolean; group: Group | undefined; close(): void }) {
  const { agents: words, groupAgents } = useWordsOf(WORDS);
  return (
    <Modal
      opened={opened}
      onClose={close}
      size="lg"
      // a token that is shown over it must not go with a stray key
      closeOnEscape={false}
      closeOnClickOutside={false}
      title={group ? `${groupAgents}: ${group.name}` : groupAgents}
      closeButtonProps={{ 'aria-label': words.close }}
    >
      {group && (
        <Stack gap="md">
          <Text size="sm">
            {words.lead} {words.groupLead}
          </Text>
          <Agents of={{ name: group.name, printer_group_id: group.id }} />
          <CopyText label={words.door} text={agentDoor()} />
        </Stack>
      )}
    </Modal>
  );
}
