import { Anchor, Button, Group, Stack, Table, Text, Title } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { IconExternalLink, IconFileTypePdf } from '@tabler/icons-react';
import { Link, useLocation } from 'wouter';
import { AskFirst } from '../ui/confirm-button';
import { CopyText } from '../ui/copy-text';
import { discardUnsaved } from '../drafts/leave-guard';
import facts from '../ui/facts.module.css';
import { useSpeech, useWordsOf } from '../i18n/i18n';
import { sayMoney } from '../i18n/format-money';
import { RecordPage } from '../ui/page';
import { DraftForm, draftNameOf } from './draft-form';
import classes from './invoices.module.css';
import { type InvoiceDetail, invoiceQuery, invoicesApi, useChange } from './invoices-api';
import { Payments } from './payments';
import { StatusBadge } from './status-badge';
import { WORDS } from './messages';

/** `/invoices/<id>`: a draft to fill in, or an issued invoice and what was paid of it. */
export function InvoicePage({ id }: { id: string }) {
  const words = useWordsOf(WORDS);
  return (
    <RecordPage
      id={id}
      query={invoiceQuery(id)}
      title={(invoice) =>
        invoice === undefined ? words.title : invoice.number ? words.numberOf(invoice.number) : words.draftTitle
      }
      back={{ href: '/invoices', label: words.back }}
      gone={words.gone}
    >
      {(invoice) => (
        <Stack>
          <Group gap="xs">
            <StatusBadge invoice={invoice} />
          </Group>
          {invoice.status === 'draft' ? <Draft invoice={invoice} /> : <Issued invoice={invoice} />}
        </Stack>
      )}
    </RecordPage>
  );
}

function Draft({ invoice }: { invoice: InvoiceDetail }) {
  const words = useWordsOf(WORDS);
  const [, navigate] = useLocation();
  const remove = useChange(
    () => invoicesApi.remove(invoice.id),
    () => {
      discardUnsaved(draftNameOf(invoice));
      navigate('/invoices', { replace: true });
    },
  );
  return (
    <>
      <DraftForm invoice={invoice} />
      <Group>
        <AskFirst question={words.removeAsk} loading={remove.isPending} act={() => remove.mutate(undefined)}>
          {words.remove}
        </AskFirst>
      </Group>
    </>
  );
}

function Issued({ invoice }: { invoice: InvoiceDetail }) {
  const words = useWordsOf(WORDS);
  const { day, language } = useSpeech();
  const cancel = useChange(
    () => invoicesApi.void(invoice.id),
    () => notifications.show({ message: words.statuses.void, withCloseButton: false }),
  );
  const say = (minor: number) => sayMoney(minor, invoice.currency, language);
  // of this very service, however its public name is: the page is open here already
  const path = new URL(invoice.pay_url ?? '/', location.origin).pathname;
  return (
    <>
      <dl className={facts.facts}>
        <dt>{words.customer}</dt>
        <dd className={classes.wrap}>{invoice.customer_name}</dd>
        <dt>{words.date}</dt>
        <dd>{invoice.issue_date && day(invoice.issue_date)}</dd>
        {invoice.due_date && (
          <>
            <dt>{words.dueDate}</dt>
            <dd>{day(invoice.due_date)}</dd>
          </>
        )}
        <dt>{words.total}</dt>
        <dd>{say(invoice.total)}</dd>
        <dt>{words.received}</dt>
        <dd>{say(invoice.received)}</dd>
        <dt>{words.amountDue}</dt>
        <dd>{say(invoice.amount_due)}</dd>
      </dl>
      {invoice.status !== 'void' && <CopyText label={words.link} text={invoice.pay_url ?? ''} wraps />}
      <Group gap="xs">
        <Button
          component="a"
          href={`${path}/document`}
          target="_blank"
          rel="noreferrer"
          size="xs"
          variant="default"
          leftSection={<IconExternalLink size={16} aria-hidden />}
        >
          {words.view}
        </Button>
        <Button
          component="a"
          href={`${path}/invoice.pdf`}
          target="_blank"
          rel="noreferrer"
          size="xs"
          variant="default"
          leftSection={<IconFileTypePdf size={16} aria-hidden />}
        >
          {words.pdf}
        </Button>
        {invoice.status !== 'void' && (
          <AskFirst question={words.voidAsk} loading={cancel.isPending} act={() => cancel.mutate(undefined)}>
            {words.void}
          </AskFirst>
        )}
      </Group>
      <Title order={2} size="h5">
        {words.lines}
      </Title>
      <Lines invoice={invoice} />
      <Payments invoice={invoice} />
    </>
  );
}

function Lines({ invoice }: { invoice: InvoiceDetail }) {
  const words = useWordsOf(WORDS);
  const { language } = useSpeech();
  const say = (minor: number) => sayMoney(minor, invoice.currency, language);
  return (
    <div className={classes.sheet}>
      <Table aria-label={words.lines} className={classes.billed}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{words.description}</Table.Th>
            <Table.Th ta="end">{words.quantity}</Table.Th>
            <Table.Th ta="end">{words.unitPrice}</Table.Th>
            <Table.Th ta="end">{words.amount}</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {invoice.lines.map((line, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: an issued invoice never changes
            <Table.Tr key={index}>
              <Table.Td className={classes.wrap}>
                {line.order_id ? (
                  <Anchor component={Link} href={`/?order=${line.order_id}`} size="sm">
                    {line.description}
                  </Anchor>
                ) : (
                  <Text size="sm">{line.description}</Text>
                )}
              </Table.Td>
              <Table.Td ta="end" className={classes.nowrap}>
                {line.quantity}
              </Table.Td>
              <Table.Td ta="end" className={classes.nowrap}>
                {say(line.unit_price)}
              </Table.Td>
              <Table.Td ta="end" className={classes.nowrap}>
                {say(line.amount)}
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </div>
  );
}
