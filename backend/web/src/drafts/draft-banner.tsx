import { Alert, Button, Group, Radio, SimpleGrid, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { useMessages } from '../i18n/i18n';
import { MESSAGES } from './banner-messages';
import type { FieldName } from './changes';
import classes from './drafts.module.css';
import { MESSAGES as LEAVE_MESSAGES } from './messages';
import type { Conflict, DraftForm } from './use-draft-form';

/** What a field is called, and how its value is shown if it isn't text. */
export type FieldNames<Values> = Partial<
  Record<FieldName<Values>, { label: string; show?(values: Values): ReactNode } | undefined>
>;

interface Props<Values extends object> {
  draft: Pick<DraftForm<Values>, 'isRestored' | 'discard' | 'adopted' | 'conflicts' | 'pick'>;
  fields: FieldNames<Values>;
}

/** Banner above a form: unsaved changes were restored, or the record was changed elsewhere meanwhile. */
export function DraftBanner<Values extends object>({ draft, fields }: Props<Values>) {
  const messages = useMessages(MESSAGES);
  const { discard } = useMessages(LEAVE_MESSAGES);
  const { adopted, conflicts } = draft;
  return (
    <>
      {draft.isRestored && (
        <Alert color="cyan" mb="sm" py="xs" role="status">
          <Group justify="space-between" gap="xs">
            {messages.restored}
            <Button size="compact-sm" variant="default" onClick={draft.discard}>
              {discard}
            </Button>
          </Group>
        </Alert>
      )}
      {adopted.length > 0 && (
        <Alert color="cyan" mb="sm" py="xs" role="status">
          {messages.adopted(adopted.map((name) => fields[name]?.label ?? name).join(', '))}
        </Alert>
      )}
      {conflicts.length > 0 && (
        <Alert color="yellow" variant="outline" mb="sm" role="status">
          <Stack gap="sm">
            <div>
              <Text fw={600}>{messages.conflict}</Text>
              {messages.conflictLead}
            </div>
            {conflicts.map((conflict) => (
              <FieldConflict key={conflict.name} conflict={conflict} pick={draft.pick} field={fields[conflict.name]} />
            ))}
          </Stack>
        </Alert>
      )}
    </>
  );
}

interface ConflictProps<Values extends object> {
  conflict: Conflict<Values>;
  pick: DraftForm<Values>['pick'];
  field: FieldNames<Values>[FieldName<Values>];
}

/** Both versions of a field side by side. */
function FieldConflict<Values extends object>({ conflict, pick, field }: ConflictProps<Values>) {
  const messages = useMessages(MESSAGES);
  const { name, picked } = conflict;
  return (
    <Radio.Group
      label={field?.label ?? name}
      value={picked ?? null}
      onChange={(whose) => pick(conflict, whose as 'mine' | 'theirs')}
    >
      <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="xs" mt={4}>
        {(['mine', 'theirs'] as const).map((whose) => (
          <Radio.Card key={whose} value={whose} p="xs" className={classes.version}>
            <Group wrap="nowrap" align="flex-start" gap="xs">
              <Radio.Indicator />
              <div className={classes.text}>
                <Text size="sm" fw={600}>
                  {messages[whose]}
                </Text>
                <Text size="sm" component="div" className={classes.value}>
                  {(field?.show?.(conflict[whose]) ?? String(conflict[whose][name])) || messages.empty}
                </Text>
              </div>
            </Group>
          </Radio.Card>
        ))}
      </SimpleGrid>
    </Radio.Group>
  );
}
