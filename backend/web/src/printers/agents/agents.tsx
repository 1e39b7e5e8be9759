import { Alert, Badge, Button, Modal, SimpleGrid, Stack, Switch, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useDisclosure } from '@mantine/hooks';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { formatError } from '../../i18n/format-error';
import { useI18n, useMessages } from '../../i18n/i18n';
import { FormFooter } from '../../ui/form-footer';
import { IconPlus } from '../../ui/icons.tsx';
import { OneTimeSecret } from '../../ui/one-time-secret';
import { NotLoaded } from '../../ui/page';
import { SecretCard } from '../../ui/secret-card';
import { type Agent, agentsApi, agentsQuery, type NewAgent } from './agents-api';
import { MESSAGES } from './messages';

/** The printer or group the agents belong to. */
export interface AgentsOf {
  name: string;
  printer_id?: string;
  printer_group_id?: string;
}

/** The agents of a printer or group, with a form to create one. */
export function Agents({ of }: { of: AgentsOf }) {
  const { agents: messages } = useMessages(MESSAGES);
  const [isOpen, form] = useDisclosure(false);
  // kept only in this component's state, never stored
  const [created, setCreated] = useState<string>();
  const { data, error, refetch } = useQuery(agentsQuery);
  if (!data) return <NotLoaded error={error} retry={refetch} lines={2} />;
  const mine = data.items.filter((agent) =>
    of.printer_id === undefined ? agent.printer_group_id === of.printer_group_id : agent.printer_id === of.printer_id,
  );
  return (
    <Stack gap="sm">
      {mine.length === 0 ? (
        <Text size="sm" c="dimmed">
          {messages.none}
        </Text>
      ) : (
        <SimpleGrid component="ul" cols={{ base: 1, sm: 2 }} spacing="sm" p={0} m={0} style={{ listStyle: 'none' }}>
          {mine.map((agent) => (
            <AgentCard key={agent.id} agent={agent} />
          ))}
        </SimpleGrid>
      )}
      <Button size="xs" leftSection={<IconPlus size={16} aria-hidden />} onClick={form.open} w="fit-content">
        {messages.newAgent}
      </Button>
      <Modal
        opened={isOpen}
        onClose={form.close}
        title={messages.makeTitle(of.name)}
        closeButtonProps={{ 'aria-label': messages.close }}
      >
        <AgentForm of={of} close={form.close} onCreated={setCreated} />
      </Modal>
      <OneTimeSecret
        title={messages.shownTitle}
        label={messages.token}
        secret={created}
        done={() => setCreated(undefined)}
      />
    </Stack>
  );
}

function AgentForm({ of, close, onCreated }: { of: AgentsOf; close(): void; onCreated(token: string): void }) {
  const { messages: commonMessages } = useI18n();
  const { agents: messages } = useMessages(MESSAGES);
  const client = useQueryClient();
  const form = useForm({
    mode: 'uncontrolled',
    initialValues: { name: '', signed_only: false },
    validate: { name: (name) => (name.trim() ? null : messages.nameRule) },
  });
  const { name: _, ...ids } = of;
  const create = useMutation({
    mutationFn: (body: NewAgent) => agentsApi.create(body),
    // the response contains the secret, so it must not stay in the mutation cache
    gcTime: 0,
    onSuccess({ token }) {
      close();
      onCreated(token);
    },
    onSettled: () => client.invalidateQueries({ queryKey: agentsQuery.queryKey }),
  });
  return (
    <form noValidate onSubmit={form.onSubmit((values) => create.mutate({ ...ids, ...values }))}>
      <Stack gap="sm">
        {create.error && (
          <Alert color="red" role="alert">
            {formatError(create.error, commonMessages)}
          </Alert>
        )}
        <TextInput
          label={messages.name}
          description={messages.nameHint}
          required
          maxLength={100}
          data-autofocus
          {...form.getInputProps('name')}
        />
        <Switch
          label={messages.signedOnly}
          description={messages.signedHint}
          {...form.getInputProps('signed_only', { type: 'checkbox' })}
        />
        <FormFooter close={close} submit={messages.create} isPending={create.isPending} />
      </Stack>
    </form>
  );
}

function AgentCard({ agent }: { agent: Agent }) {
  const { formatDateTime } = useI18n();
  const { agents: messages } = useMessages(MESSAGES);
  const { id, name, hint, created_at, last_used_at, signed_only } = agent;
  return (
    <SecretCard
      name={name}
      badge={
        signed_only && (
          <Badge variant="light" flex="none">
            {messages.signed}
          </Badge>
        )
      }
      known={[
        [messages.hint, <code key="hint">…{hint}</code>],
        [messages.created, formatDateTime(created_at)],
        [messages.seen, last_used_at === null ? messages.never : formatDateTime(last_used_at)],
      ]}
      messages={messages}
      revoke={() => agentsApi.revoke(id)}
      list={agentsQuery.queryKey}
      data-agent={id}
    />
  );
}
