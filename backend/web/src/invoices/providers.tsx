import { Badge, Button, Card, Group, Modal, PasswordInput, Stack, Switch, Text, TextInput, Title } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useDisclosure } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { AskFirst } from '../ui/confirm-button';
import { CopyText } from '../ui/copy-text';
import { useWordsOf } from '../i18n/i18n';
import { Failed, Loading } from '../ui/page';
import classes from './invoices.module.css';
import { invoicesApi, type Provider, providersQuery, useChange } from './invoices-api';
import { SecretOnce } from './one-time-secret';
import { WORDS } from './messages';

/** How invoices are paid, and who reports it. */
export function Providers() {
  const words = useWordsOf(WORDS);
  const { data, error, refetch } = useQuery(providersQuery);
  const [isOpen, form] = useDisclosure(false);
  const [edited, setEdited] = useState<Provider>();
  const [secret, setSecret] = useState<string>();
  const addNotice = useChange(
    () => invoicesApi.addProvider({ kind: 'notice', name: words.kindNames.notice }),
    (made) => setSecret(made.secret),
  );
  const edit = (provider: Provider | undefined) => {
    setEdited(provider);
    form.open();
  };
  return (
    <Stack gap="sm">
      <Title order={2} size="h5">
        {words.providers}
      </Title>
      <Text size="sm">{words.providersLead}</Text>
      {data ? (
        data.items.map((provider) => (
          <ProviderCard key={provider.id} provider={provider} edit={() => edit(provider)} show={setSecret} />
        ))
      ) : error ? (
        <Failed error={error} retry={refetch} />
      ) : (
        <Loading lines={2} />
      )}
      <Group gap="xs">
        <Button size="xs" onClick={() => edit(undefined)}>
          {words.addStripe}
        </Button>
        <Button size="xs" variant="default" loading={addNotice.isPending} onClick={() => addNotice.mutate(undefined)}>
          {words.addNotice}
        </Button>
      </Group>
      <Modal
        opened={isOpen}
        onClose={form.close}
        title={edited ? words.change : words.addStripe}
        closeButtonProps={{ 'aria-label': words.close }}
      >
        <StripeForm provider={edited} close={form.close} />
      </Modal>
      <SecretOnce secret={secret} done={() => setSecret(undefined)} />
    </Stack>
  );
}

interface CardProps {
  provider: Provider;
  edit(): void;
  show(secret: string | undefined): void;
}

function ProviderCard({ provider, edit, show }: CardProps) {
  const words = useWordsOf(WORDS);
  const { id, kind, name, enabled, is_test, is_ready, notice_url } = provider;
  const change = useChange((on: boolean) => invoicesApi.changeProvider(id, { enabled: on }));
  const renew = useChange(
    () => invoicesApi.renewSecret(id),
    (renewed) => show(renewed.secret),
  );
  const remove = useChange(() => invoicesApi.removeProvider(id));
  return (
    <Card withBorder padding="sm" data-provider={kind}>
      <Stack gap="xs">
        <Group justify="space-between" gap="xs">
          <Group gap="xs" miw={0}>
            <Text fw={600} className={classes.wrap}>
              {name}
            </Text>
            {name !== words.kindNames[kind] && (
              <Badge variant="default" tt="none">
                {words.kindNames[kind]}
              </Badge>
            )}
            {is_test && (
              <Badge color="yellow" autoContrast tt="none">
                {words.testMode}
              </Badge>
            )}
          </Group>
          {kind === 'stripe' && (
            <Switch
              size="sm"
              label={words.enabled}
              aria-label={`${words.enabled}: ${name}`}
              checked={enabled}
              disabled={change.isPending}
              onChange={(event) => change.mutate(event.currentTarget.checked)}
            />
          )}
        </Group>
        {is_test && <Text size="sm">{words.testHint}</Text>}
        {!is_ready && (
          <Text size="sm" fw={600}>
            {words.notReady}. {words.notReadyHint}
          </Text>
        )}
        <CopyText label={words.webhookAt} text={notice_url} wraps />
        {kind === 'stripe' && (
          <Text size="sm" className={classes.wrap}>
            {words.webhookEvents}
          </Text>
        )}
        <Group gap="xs">
          {kind === 'stripe' ? (
            <Button size="xs" variant="default" aria-label={`${words.change}: ${name}`} onClick={edit}>
              {words.change}
            </Button>
          ) : (
            <AskFirst
              question={words.newSecretAsk}
              of={name}
              loading={renew.isPending}
              act={() => renew.mutate(undefined)}
            >
              {words.newSecret}
            </AskFirst>
          )}
          <AskFirst
            question={words.removeProviderAsk}
            of={name}
            loading={remove.isPending}
            act={() => remove.mutate(undefined)}
          >
            {words.removeProvider}
          </AskFirst>
        </Group>
      </Stack>
    </Card>
  );
}

/** @param provider undefined: a new one */
function StripeForm({ provider, close }: { provider: Provider | undefined; close(): void }) {
  const words = useWordsOf(WORDS);
  const form = useForm({ initialValues: { name: provider?.name ?? 'Stripe', secret_key: '', webhook_secret: '' } });
  const save = useChange(async ({ name, ...keys }: typeof form.values) => {
    // what is left empty stays as it is
    const given = Object.fromEntries(
      Object.entries(keys).flatMap(([key, value]) => (value.trim() ? [[key, value.trim()]] : [])),
    );
    const body = { ...(name.trim() && { name }), ...given };
    await (provider
      ? invoicesApi.changeProvider(provider.id, body)
      : invoicesApi.addProvider({ kind: 'stripe', ...body }));
  }, close);
  return (
    <form noValidate onSubmit={form.onSubmit((values) => save.mutate(values))}>
      <Stack gap="sm">
        <Text size="sm">{words.addStripeLead}</Text>
        <TextInput label={words.providerName} maxLength={100} {...form.getInputProps('name')} />
        <PasswordInput
          label={words.secretKey}
          autoComplete="off"
          maxLength={300}
          data-autofocus
          {...form.getInputProps('secret_key')}
        />
        <PasswordInput
          label={words.webhookSecret}
          autoComplete="off"
          maxLength={300}
          {...form.getInputProps('webhook_secret')}
        />
        <Group justify="flex-end">
          <Button variant="default" onClick={close}>
            {words.cancel}
          </Button>
          <Button type="submit" loading={save.isPending}>
            {words.save}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
