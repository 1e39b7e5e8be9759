import { Anchor, Button, Group, Stack, Text, Textarea, TextInput, Title } from '@mantine/core';
import { useForm } from '@mantine/form';
import { notifications } from '@mantine/notifications';
import { IconArrowLeft } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import { useWordsOf } from '../i18n/i18n';
import { Failed, Loading, Page } from '../ui/page';
import { invoicesApi, type Seller, sellerQuery, useChange } from './invoices-api';
import { Providers } from './providers';
import { WORDS } from './messages';

/** `/invoices/settings`: who sells, and how one is paid. */
export function InvoiceSettings() {
  const words = useWordsOf(WORDS);
  const { data, error, refetch } = useQuery(sellerQuery);
  return (
    <Page title={words.settings}>
      <Anchor component={Link} href="/invoices" size="sm">
        <IconArrowLeft size={14} aria-hidden /> {words.back}
      </Anchor>
      <Stack mt="md" gap="xl" maw={720}>
        {data ? <SellerForm seller={data} /> : error ? <Failed error={error} retry={refetch} /> : <Loading />}
        <Providers />
      </Stack>
    </Page>
  );
}

function SellerForm({ seller }: { seller: Seller }) {
  const words = useWordsOf(WORDS);
  const form = useForm({ initialValues: seller });
  const save = useChange(
    (values: Seller) => invoicesApi.saveSeller(values),
    () => notifications.show({ color: 'teal', message: words.saved, withCloseButton: false }),
  );
  const field = form.getInputProps;
  return (
    <form noValidate onSubmit={form.onSubmit((values) => save.mutate(values))}>
      <Stack gap="sm">
        <Title order={2} size="h5">
          {words.seller}
        </Title>
        <Text size="sm">{words.sellerLead}</Text>
        <TextInput label={words.sellerName} maxLength={300} {...field('name')} />
        <Textarea label={words.address} rows={2} maxLength={1000} {...field('address')} />
        <Group grow>
          <TextInput label={words.taxId} maxLength={100} {...field('tax_id')} />
          <TextInput
            label={words.defaultCurrency}
            maxLength={3}
            {...field('default_currency')}
            onChange={(event) => form.setFieldValue('default_currency', event.currentTarget.value.toUpperCase())}
          />
        </Group>
        <Textarea label={words.bankDetails} rows={3} maxLength={1000} {...field('bank_details')} />
        <Textarea label={words.paymentNote} rows={2} maxLength={1000} {...field('payment_note')} />
        <Button type="submit" w="fit-content" loading={save.isPending}>
          {words.save}
        </Button>
      </Stack>
    </form>
  );
}
