import { Badge, Button, Card, Group, Modal, NumberInput, Select, Stack, Text, TextInput, Title } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useDisclosure } from '@mantine/hooks';
import { useState } from 'react';
import { newKey } from '../api/api';
import { decimalsOf, toMajor, toMinor } from '../i18n/currency';
import { useSpeech, useWordsOf } from '../i18n/i18n';
import { sayMoney } from '../i18n/format-money';
import classes from './invoices.module.css';
import { type InvoiceDetail, invoicesApi, type Payment, useChange } from './invoices-api';
import { WORDS } from './messages';

/** What was paid and given back, newest first. */
export function Payments({ invoice }: { invoice: InvoiceDetail }) {
  const words = useWordsOf(WORDS);
  const [isOpen, record] = useDisclosure(false);
  return (
    <>
      <Group justify="space-between">
        <Title order={2} size="h5">
          {words.payments}
        </Title>
        <Button size="xs" variant="default" onClick={record.open}>
          {words.record}
        </Button>
      </Group>
      {invoice.payments.length === 0 ? (
        <Text size="sm">{words.noPayments}</Text>
      ) : (
        <Stack gap="xs">
          {invoice.payments.map((payment) => (
            <Row key={payment.id} payment={payment} />
          ))}
        </Stack>
      )}
      <Modal
        opened={isOpen}
        onClose={record.close}
        title={words.record}
        closeButtonProps={{ 'aria-label': words.close }}
      >
        <RecordForm invoice={invoice} close={record.close} />
      </Modal>
    </>
  );
}

function Row({ payment }: { payment: Payment }) {
  const words = useWordsOf(WORDS);
  const { moment, language } = useSpeech();
  const review = useChange(() => invoicesApi.review(payment.id));
  const isWaiting = payment.needs_review && payment.reviewed_at === null;
  return (
    <Card withBorder padding="xs" data-payment={payment.id}>
      <Group justify="space-between" gap="xs">
        <Stack gap={2} miw={0}>
          <Text fw={600}>
            {words.kinds[payment.kind]} {payment.kind === 'refund' && '−'}
            {sayMoney(payment.amount, payment.currency, language)}
          </Text>
          <Text size="sm" className={classes.wrap}>
            {[words.sources[payment.source], moment(payment.at), payment.payer, payment.note, payment.payment_id]
              .filter(Boolean)
              .join(' · ')}
          </Text>
          {payment.reason && <Text size="sm">{words.reasons[payment.reason]}</Text>}
        </Stack>
        {isWaiting ? (
          <Group gap="xs">
            <Badge color="yellow" autoContrast tt="none">
              {words.needsReview}
            </Badge>
            <Button
              size="compact-sm"
              variant="default"
              loading={review.isPending}
              onClick={() => review.mutate(undefined)}
            >
              {words.markReviewed}
            </Button>
          </Group>
        ) : (
          payment.needs_review && (
            <Badge variant="default" tt="none">
              {words.reviewed}
            </Badge>
          )
        )}
      </Group>
    </Card>
  );
}

function RecordForm({ invoice, close }: { invoice: InvoiceDetail; close(): void }) {
  const words = useWordsOf(WORDS);
  const { currency } = invoice;
  // sent again because nobody answered it is the same payment
  const [key] = useState(() => newKey());
  const form = useForm({
    initialValues: {
      kind: 'payment' as Payment['kind'],
      amount: (invoice.amount_due > 0 ? toMajor(invoice.amount_due, currency) : '') as number | string,
      note: '',
    },
  });
  const record = useChange(
    ({ kind, amount, note }: typeof form.values) =>
      invoicesApi.recordPayment(
        invoice.id,
        { kind, amount: toMinor(amount, currency), ...(note.trim() && { note }) },
        key,
      ),
    close,
  );
  return (
    <form noValidate onSubmit={form.onSubmit((values) => record.mutate(values))}>
      <Stack gap="sm">
        <Text size="sm">{words.recordLead}</Text>
        <Select
          label={words.kind}
          allowDeselect={false}
          data={(['payment', 'refund'] as const).map((value) => ({ value, label: words.kinds[value] }))}
          {...form.getInputProps('kind')}
        />
        <NumberInput
          label={`${words.amount}, ${currency}`}
          decimalScale={decimalsOf(currency)}
          min={0}
          hideControls
          data-autofocus
          {...form.getInputProps('amount')}
        />
        <TextInput label={words.recordNote} maxLength={500} {...form.getInputProps('note')} />
        <Group justify="flex-end">
          <Button variant="default" onClick={close}>
            {words.cancel}
          </Button>
          <Button type="submit" loading={record.isPending} disabled={!(Number(form.values.amount) > 0)}>
            {words.save}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
