import { Anchor, Button, Group, Stack, Text, Textarea, TextInput, Title } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from 'wouter';
import { changesOf } from '../drafts/changes';
import { DraftBanner } from '../drafts/draft-banner';
import { useDraftForm } from '../drafts/use-draft-form';
import { useI18n, useMessages } from '../i18n/i18n';
import { IconArrowLeft } from '../ui/icons.tsx';
import { NotLoaded, Page } from '../ui/page';
import { showFaults } from '../ui/show-faults';
import { type BusinessDetails, businessDetailsQuery, invoicesApi, useInvoiceMutation } from './invoices-api';
import { MESSAGES } from './messages';
import { Providers } from './providers';

/** `/invoices/settings`: business details and payment providers. */
export function InvoiceSettings() {
  const messages = useMessages(MESSAGES);
  const { data, error, refetch } = useQuery(businessDetailsQuery);
  return (
    <Page title={messages.settings}>
      <Anchor component={Link} href="/invoices" size="sm">
        <IconArrowLeft size={14} aria-hidden /> {messages.back}
      </Anchor>
      <Stack mt="md" gap="xl" maw={720}>
        {data ? <BusinessDetailsForm businessDetails={data} /> : <NotLoaded error={error} retry={refetch} />}
        <Providers />
      </Stack>
    </Page>
  );
}

function BusinessDetailsForm({ businessDetails }: { businessDetails: BusinessDetails }) {
  const messages = useMessages(MESSAGES);
  const { required } = useI18n().messages;
  const client = useQueryClient();
  const draft = useDraftForm('business-details', businessDetails, {
    validate: { name: (name) => (name.trim() ? null : required) },
  });
  const { form } = draft;
  const save = useInvoiceMutation(
    async (sent: BusinessDetails) => {
      const stored = await invoicesApi.saveBusinessDetails(changesOf(sent, draft.initial));
      draft.saved(stored, sent);
      client.setQueryData(businessDetailsQuery.queryKey, stored);
    },
    () => notifications.show({ color: 'teal', message: messages.saved, withCloseButton: false }),
  );
  const field = form.getInputProps;
  return (
    <form
      noValidate
      onSubmit={form.onSubmit((values) => save.mutate(values, { onError: (error) => showFaults(form, error) }))}
    >
      <DraftBanner
        draft={draft}
        fields={{
          name: { label: messages.businessName },
          address: { label: messages.address },
          tax_id: { label: messages.taxId },
          bank_details: { label: messages.bankDetails },
          payment_note: { label: messages.paymentNote },
          default_currency: { label: messages.defaultCurrency },
        }}
      />
      <Stack gap="sm">
        <Title order={2} size="h5">
          {messages.businessDetails}
        </Title>
        <Text size="sm">{messages.businessDetailsLead}</Text>
        <TextInput label={messages.businessName} required maxLength={300} {...field('name')} />
        <Textarea label={messages.address} rows={2} maxLength={1000} {...field('address')} />
        <Group grow>
          <TextInput label={messages.taxId} maxLength={100} {...field('tax_id')} />
          <TextInput
            label={messages.defaultCurrency}
            maxLength={3}
            {...field('default_currency')}
            onChange={(event) => form.setFieldValue('default_currency', event.currentTarget.value.toUpperCase())}
          />
        </Group>
        <Textarea label={messages.bankDetails} rows={3} maxLength={1000} {...field('bank_details')} />
        <Textarea label={messages.paymentNote} rows={2} maxLength={1000} {...field('payment_note')} />
        <Button type="submit" w="fit-content" disabled={draft.isUndecided} loading={save.isPending}>
          {messages.save}
        </Button>
      </Stack>
    </form>
  );
}
