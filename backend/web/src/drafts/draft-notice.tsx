import { Alert, Button, Group } from '@mantine/core';
import { useMessages } from '../i18n/i18n';
import { MESSAGES } from './messages';
import type { DraftForm } from './use-draft-form';

interface Props {
  draft: Pick<DraftForm<object>, 'isChanged' | 'isRestored' | 'discard'>;
  /** what is said of a record that was changed elsewhere */
  changed?: string;
}

/** Above a form: that its unsaved changes are back, and that the record was changed elsewhere since they were typed. */
export function DraftNotice({ draft, changed }: Props) {
  const messages = useMessages(MESSAGES);
  return (
    <>
      {draft.isRestored && (
        <Alert color="cyan" mb="sm" py="xs" role="status">
          <Group justify="space-between" gap="xs">
            {messages.restored}
            <Button size="compact-sm" variant="default" onClick={draft.discard}>
              {messages.discard}
            </Button>
          </Group>
        </Alert>
      )}
      {draft.isChanged && (
        <Alert color="yellow" mb="sm" role="status">
          {changed ?? messages.changed}
        </Alert>
      )}
    </>
  );
}
