import { Alert, Button, Group } from '@mantine/core';
import { useMessages } from '../i18n/i18n';
import { MESSAGES } from './messages';
import type { DraftForm } from './use-draft-form';

interface Props {
  draft: Pick<DraftForm<object>, 'isChanged' | 'isRestored' | 'discard'>;
  /** shown if the record was changed elsewhere */
  changed?: string;
}

/** Notice above a form: unsaved changes were restored, or the record was changed elsewhere meanwhile. */
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
