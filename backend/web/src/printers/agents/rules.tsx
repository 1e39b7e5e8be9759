import { Alert, Button, Group, Select, SimpleGrid, Stack, Switch, Text } from '@mantine/core';
import { useForm } from '@mantine/form';
import { notifications } from '@mantine/notifications';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { formatError } from '../../i18n/format-error';
import { useI18n, useMessages } from '../../i18n/i18n';
import type { WorkflowStatus } from '../../order-data/orders-api';
import { STATUSES } from '../../order-data/statuses';
import { type Filament, filamentsQuery } from '../../stock/stock-api';
import { Failed, Loading } from '../../ui/page';
import { agentsApi, type Rules, rulesQuery } from './agents-api';
import { MESSAGES } from './messages';

/** Rules for the reports of a printer. */
export function RulesSection({ printerId }: { printerId: string }) {
  const rules = useQuery(rulesQuery(printerId));
  const filaments = useQuery(filamentsQuery);
  const error = rules.error ?? filaments.error;
  if (rules.data && filaments.data) {
    return <RulesForm printerId={printerId} rules={rules.data} filaments={filaments.data} />;
  }
  if (!error) return <Loading lines={3} />;
  return (
    <Failed
      error={error}
      retry={() => {
        rules.refetch();
        filaments.refetch();
      }}
    />
  );
}

const MOVES = [
  ['on_finished', 'onFinished'],
  ['on_failed', 'onFailed'],
  ['on_cancelled', 'onCancelled'],
] as const;

function RulesForm({ printerId, rules, filaments }: { printerId: string; rules: Rules; filaments: Filament[] }) {
  const { messages: commonMessages } = useI18n();
  const { rules: messages } = useMessages(MESSAGES);
  const client = useQueryClient();
  const form = useForm<Rules>({ initialValues: rules });
  const save = useMutation({
    mutationFn: (body: Rules) => agentsApi.setRules(printerId, body),
    onSuccess(saved) {
      client.setQueryData(rulesQuery(printerId).queryKey, saved);
      form.setInitialValues(saved);
      form.reset();
      notifications.show({ message: messages.saved });
    },
  });
  const statuses = STATUSES.map((status: WorkflowStatus) => ({ value: status, label: commonMessages.status[status] }));
  return (
    <form noValidate onSubmit={form.onSubmit((values) => save.mutate(values))}>
      <Stack gap="sm" maw={760}>
        <Switch
          label={messages.deduct}
          description={messages.deductHint}
          {...form.getInputProps('deduct_grams', { type: 'checkbox' })}
        />
        <Select
          label={messages.loaded}
          description={messages.loadedHint}
          placeholder={messages.noneLoaded}
          clearable
          searchable
          maw={420}
          data={filaments.map(({ id, name, brand }) => ({ value: id, label: brand ? `${name} · ${brand}` : name }))}
          {...form.getInputProps('loaded_filament_id')}
        />
        <SimpleGrid cols={{ base: 1, sm: 3 }} spacing="sm" style={{ alignItems: 'end' }}>
          {MOVES.map(([field, label]) => (
            <Select
              key={field}
              label={messages[label]}
              placeholder={messages.leave}
              clearable
              data={statuses}
              {...form.getInputProps(field)}
            />
          ))}
        </SimpleGrid>
        <Text size="xs" c="dimmed">
          {messages.which}
        </Text>
        {save.error && (
          <Alert color="red" role="alert">
            {formatError(save.error, commonMessages)}
          </Alert>
        )}
        <Group>
          <Button type="submit" size="xs" loading={save.isPending} disabled={!form.isDirty()}>
            {messages.save}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
