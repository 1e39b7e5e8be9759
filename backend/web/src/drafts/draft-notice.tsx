import { Alert, Button, Group } from '@mantine/core';
import { useWordsOf } from '../i18n/i18n';
import type { DraftForm } from './use-draft-form';
import { WORDS } from './messages';

interface Props {
  draft: Pick<DraftForm<object>, 'isChanged' | 'isRestored' | 'discard'>;
  /** what is said of a record that was changed elsewhere */
  changed?: string;
}

/** Above a form: that its unsaved changes are back, and that the record was changed elsewhere since they were typed. */
export function DraftNotice({ draft, changed }: Props) {
  const words = useWordsOf(WORDS);
  return (
    <>
      {draft.isRestored && (
        <Alert color="cyan" mb="sm" py="xs" role="status">
          <Group justify="space-between" gap="xs">
            {words.restored}
            <Button size="compact-sm" variant="default" onClick={draft.discard}>
              {words.discard}
            </Button>
          </Group>
        </Alert>
      )}
      {draft.isChanged && (
        <Alert color="yellow" mb="sm" role="status">
          {changed ?? words.changed}
        </Alert>
      )}
    </>
  );
}
