import { Badge, Button, Card, Group, Modal, Select, Stack, Text, TextInput, Title } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useDisclosure } from '@mantine/hooks';
import { useState } from 'react';
import { newKey } from '../api/ids';
import { decimalsOf, toMajor, toMinor } from '../i18n/currency';
import { formatMoney } from '../i18n/format-money';
import { useI18n, useMessages } from '../i18n/i18n';
import { FormFooter } from '../ui/form-footer';
import { NumberField } from '../ui/number-field';
import classes from './invoices.module.css';
import { type InvoiceDetail, invoicesApi, type Payment, useInvoiceMutation } from './invoices-api';
import { MESSAGES } from './messages';

/** Payments and refunds, newest first. */
export function Payments({ invoice }: { invoice: InvoiceDetail }) {
  const messages = useMessages(MESSAGES);
  const [isOpen, record] = useDisclosure(false);
  return (
    <>
      <Group justify="space-between">
        <Title order={2} size="h5">
          {messages.payments}
        </Title>
        <Button size="xs" variant="default" onClick={record.open}>
          {messages.record}
        </Button>
      </Group>
      {invoice.payments.length === 0 ? (
        <Text size="sm">{messages.noPayments}</Text>
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
        title={messages.record}
        closeButtonProps={{ 'aria-label': messages.close }}
      >
        <RecordForm invoice={invoice} close={record.close} />
      </Modal>
    </>
  );
}

function Row({ payment }: { payment: Payment }) {
  const messages = useMessages(MESSAGES);
  const { formatDateTime, language } = useI18n();
  const review = useInvoiceMutation(() => invoicesApi.review(payment.id));
  const isWaiting = payment.needs_review && payment.reviewed_at === null;
  return (
    <Card withBorder padding="xs" data-payment={payment.id}>
      <Group justify="space-between" gap="xs">
        <Stack gap={2} miw={0}>
          <Text fw={600}>
            {messages.kinds[payment.kind]} {payment.kind === 'refund' && '−'}
            {formatMoney(payment.amount, payment.currency, language)}
          </Text>
          <Text size="sm" className={classes.wrap}>
            {[
              messages.sources[payment.source],
              formatDateTime(payment.at),
              payment.payer,
              payment.note,
              payment.payment_id,
            ]
              .filter(Boolean)
              .join(' · ')}
          </Text>
          {payment.reason && <Text size="sm">{messages.reasons[payment.reason]}</Text>}
        </Stack>
        {isWaiting ? (
          <Group gap="xs">
            <Badge color="yellow" autoContrast tt="none">
              {messages.needsReview}
            </Badge>
            <Button
              size="compact-sm"
              variant="default"
              loading={review.isPending}
              onClick={() => review.mutate(undefined)}
            >
              {messages.markReviewed}
            </Button>
          </Group>
        ) : (
          payment.needs_review && (
            <Badge variant="default" tt="none">
              {messages.reviewed}
            </Badge>
          )
        )}
      </Group>
    </Card>
  );
}

function RecordForm({ invoice, close }: { invoice: InvoiceDetail; close(): void }) {
  const messages = useMessages(MESSAGES);
  const { currency } = invoice;
  // a retry without a response is the same payment
  const [key] = useState(() => newKey());
  const form = useForm({
    initialValues: {
      kind: 'payment' as Payment['kind'],
      amount: (invoice.amount_due > 0 ? toMajor(invoice.amount_due, currency) : '') as number | string,
      note: '',
    },
  });
  const record = useInvoiceMutation(
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
        <Text size="sm">{messages.recordLead}</Text>
        <Select
          label={messages.kind}
          allowDeselect={false}
          data={(['payment', 'refund'] as const).map((value) => ({ value, label: messages.kinds[value] }))}
          {...form.getInputProps('kind')}
        />
        <NumberField
          label={`${messages.amount}, ${currency}`}
          decimals={decimalsOf(currency)}
          data-autofocus
          {...form.getInputProps('amount')}
        />
        <TextInput label={messages.recordNote} maxLength={500} {...form.getInputProps('note')} />
        <FormFooter
          close={close}
          submit={messages.save}
          isPending={record.isPending}
          isDisabled={!(Number(form.values.amount) > 0)}
        />
      </Stack>
    </form>
  );
}
