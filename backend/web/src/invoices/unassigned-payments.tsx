import { Alert, Button, Group, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { formatMoney } from '../i18n/format-money';
import { useI18n, useMessages } from '../i18n/i18n';
import classes from './invoices.module.css';
import { invoicesApi, unassignedQuery, useInvoiceMutation } from './invoices-api';
import { MESSAGES } from './messages';

/** Unreviewed payments that a provider reported for no known invoice. */
export function UnassignedPayments() {
  const messages = useMessages(MESSAGES);
  const { formatDateTime, language } = useI18n();
  const { data } = useQuery(unassignedQuery);
  const review = useInvoiceMutation(invoicesApi.review);
  if (!data || data.total === 0) return null;
  return (
    <Alert color="yellow" variant="outline" c="inherit" title={messages.unassigned} mb="md">
      <Text size="sm" mb="xs">
        {messages.unassignedLead}
      </Text>
      <Stack gap="xs">
        {data.items.map((payment) => (
          <Group key={payment.id} justify="space-between" gap="xs">
            <Text size="sm" className={classes.wrap} maw="100%">
              <strong>
                {messages.kinds[payment.kind]} {formatMoney(payment.amount, payment.currency, language)}
              </strong>{' '}
              · {messages.sources[payment.source]} · {formatDateTime(payment.at)}
              {payment.named_invoice && ` · ${messages.named(payment.named_invoice)}`}
              {payment.payer && ` · ${payment.payer}`}
            </Text>
            <Button
              size="compact-xs"
              variant="default"
              loading={review.isPending && review.variables === payment.id}
              onClick={() => review.mutate(payment.id)}
            >
              {messages.markReviewed}
            </Button>
          </Group>
        ))}
      </Stack>
    </Alert>
  );
}
