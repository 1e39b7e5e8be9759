import { Badge, Button, Card, Group, Modal, PasswordInput, Stack, Switch, Text, TextInput, Title } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useDisclosure } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useMessages } from '../i18n/i18n';
import { ConfirmButton } from '../ui/confirm-button';
import { CopyText } from '../ui/copy-text';
import { FormFooter } from '../ui/form-footer';
import { OneTimeSecret } from '../ui/one-time-secret';
import { NotLoaded } from '../ui/page';
import classes from './invoices.module.css';
import { invoicesApi, type Provider, providersQuery, useInvoiceMutation } from './invoices-api';
import { MESSAGES } from './messages';

/** Payment providers. */
export function Providers() {
  const messages = useMessages(MESSAGES);
  const { data, error, refetch } = useQuery(providersQuery);
  const [isOpen, form] = useDisclosure(false);
  const [edited, setEdited] = useState<Provider>();
  const [secret, setSecret] = useState<string>();
  const addNotifications = useInvoiceMutation(
    () => invoicesApi.addProvider({ kind: 'notification', name: messages.kindNames.notification }),
    (created) => setSecret(created.secret),
  );
  const edit = (provider: Provider | undefined) => {
    setEdited(provider);
    form.open();
  };
  return (
    <Stack gap="sm">
      <Title order={2} size="h5">
        {messages.providers}
      </Title>
      <Text size="sm">{messages.providersLead}</Text>
      {data ? (
        data.items.map((provider) => (
          <ProviderCard key={provider.id} provider={provider} edit={() => edit(provider)} show={setSecret} />
        ))
      ) : (
        <NotLoaded error={error} retry={refetch} lines={2} />
      )}
      <Group gap="xs">
        <Button size="xs" onClick={() => edit(undefined)}>
          {messages.addStripe}
        </Button>
        <Button
          size="xs"
          variant="default"
          loading={addNotifications.isPending}
          onClick={() => addNotifications.mutate(undefined)}
        >
          {messages.addNotifications}
        </Button>
      </Group>
      <Modal
        opened={isOpen}
        onClose={form.close}
        title={edited ? messages.change : messages.addStripe}
        closeButtonProps={{ 'aria-label': messages.close }}
      >
        <StripeForm provider={edited} close={form.close} />
      </Modal>
      <OneTimeSecret
        title={messages.secretTitle}
        label={messages.secretLabel}
        secret={secret}
        hint={messages.secretOnce}
        done={() => setSecret(undefined)}
      />
    </Stack>
  );
}

interface CardProps {
  provider: Provider;
  edit(): void;
  show(secret: string | undefined): void;
}

function ProviderCard({ provider, edit, show }: CardProps) {
  const messages = useMessages(MESSAGES);
  const { id, kind, name, enabled, is_test, is_ready, notification_url } = provider;
  const change = useInvoiceMutation((on: boolean) => invoicesApi.changeProvider(id, { enabled: on }));
  const renew = useInvoiceMutation(
    () => invoicesApi.renewSecret(id),
    (renewed) => show(renewed.secret),
  );
  const remove = useInvoiceMutation(() => invoicesApi.removeProvider(id));
  return (
    <Card withBorder padding="sm" data-provider={kind}>
      <Stack gap="xs">
        <Group justify="space-between" gap="xs">
          <Group gap="xs" miw={0}>
            <Text fw={600} className={classes.wrap}>
              {name}
            </Text>
            {name !== messages.kindNames[kind] && (
              <Badge variant="default" tt="none">
                {messages.kindNames[kind]}
              </Badge>
            )}
            {is_test && (
              <Badge color="yellow" autoContrast tt="none">
                {messages.testMode}
              </Badge>
            )}
          </Group>
          {kind === 'stripe' && (
            <Switch
              size="sm"
              label={messages.enabled}
              aria-label={`${messages.enabled}: ${name}`}
              checked={enabled}
              disabled={change.isPending}
              onChange={(event) => change.mutate(event.currentTarget.checked)}
            />
          )}
        </Group>
        {is_test && <Text size="sm">{messages.testHint}</Text>}
        {!is_ready && (
          <Text size="sm" fw={600}>
            {messages.notReady}. {messages.notReadyHint}
          </Text>
        )}
        <CopyText label={messages.webhookAt} text={notification_url} wraps />
        {kind === 'stripe' && (
          <Text size="sm" className={classes.wrap}>
            {messages.webhookEvents}
          </Text>
        )}
        <Group gap="xs">
          {kind === 'stripe' ? (
            <Button size="xs" variant="default" aria-label={`${messages.change}: ${name}`} onClick={edit}>
              {messages.change}
            </Button>
          ) : (
            <ConfirmButton
              question={messages.newSecretAsk}
              subject={name}
              loading={renew.isPending}
              onConfirm={() => renew.mutate(undefined)}
            >
              {messages.newSecret}
            </ConfirmButton>
          )}
          <ConfirmButton
            question={messages.removeProviderAsk}
            subject={name}
            loading={remove.isPending}
            onConfirm={() => remove.mutate(undefined)}
          >
            {messages.removeProvider}
          </ConfirmButton>
        </Group>
      </Stack>
    </Card>
  );
}

/** @param provider undefined creates one */
function StripeForm({ provider, close }: { provider: Provider | undefined; close(): void }) {
  const messages = useMessages(MESSAGES);
  const form = useForm({ initialValues: { name: provider?.name ?? 'Stripe', secret_key: '', webhook_secret: '' } });
  const save = useInvoiceMutation(async ({ name, ...keys }: typeof form.values) => {
    // empty fields keep their stored secret
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
        <Text size="sm">{messages.addStripeLead}</Text>
        <TextInput label={messages.providerName} maxLength={100} {...form.getInputProps('name')} />
        <PasswordInput
          label={messages.secretKey}
          autoComplete="off"
          maxLength={300}
          data-autofocus
          {...form.getInputProps('secret_key')}
        />
        <PasswordInput
          label={messages.webhookSecret}
          autoComplete="off"
          maxLength={300}
          {...form.getInputProps('webhook_secret')}
        />
        <FormFooter close={close} submit={messages.save} isPending={save.isPending} />
      </Stack>
    </form>
  );
}
