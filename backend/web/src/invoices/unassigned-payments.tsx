import { Alert, Button, Group, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useSpeech, useWordsOf } from '../i18n/i18n';
import { sayMoney } from '../i18n/format-money';
import classes from './invoices.module.css';
import { invoicesApi, unassignedQuery, useChange } from './invoices-api';
import { WORDS } from './messages';

/** Money that a provider reported and that belongs to no invoice, until somebody has looked at it. */
export function Unassigned() {
  const words = useWordsOf(WORDS);
  const { moment, language } = useSpeech();
  const { data } = useQuery(unassignedQuery);
  const review = useChange(invoicesApi.review);
  if (!data || data.total === 0) return null;
  return (
    <Alert color="yellow" variant="outline" c="inherit" title={words.unassigned} mb="md">
      <Text size="sm" mb="xs">
        {words.unassignedLead}
      </Text>
      <Stack gap="xs">
        {data.items.map((payment) => (
          <Group key={payment.id} justify="space-between" gap="xs">
            <Text size="sm" className={classes.wrap} maw="100%">
              <strong>
                {words.kinds[payment.kind]} {sayMoney(payment.amount, payment.currency, language)}
              </strong>{' '}
              · {words.sources[payment.source]} · {moment(payment.at)}
              {payment.named_invoice && ` · ${words.named(payment.named_invoice)}`}
              {payment.payer && ` · ${payment.payer}`}
            </Text>
            <Button
              size="compact-xs"
              variant="default"
              loading={review.isPending && review.variables === payment.id}
              onClick={() => review.mutate(payment.id)}
            >
              {words.markReviewed}
            </Button>
          </Group>
        ))}
      </Stack>
    </Alert>
  );
}
