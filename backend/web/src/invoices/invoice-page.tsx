import { Anchor, Button, Group, Stack, Table, Text, Title } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { Link, useLocation } from 'wouter';
import { discardUnsaved } from '../drafts/leave-guard';
import { formatMoney } from '../i18n/format-money';
import { useI18n, useMessages } from '../i18n/i18n';
import { ConfirmButton } from '../ui/confirm-button';
import { CopyText } from '../ui/copy-text';
import facts from '../ui/facts.module.css';
import { IconExternalLink, IconFileTypePdf } from '../ui/icons.tsx';
import { RecordPage } from '../ui/page';
import { DraftForm, draftNameOf } from './draft-form';
import classes from './invoices.module.css';
import { type InvoiceDetail, invoiceQuery, invoicesApi, useInvoiceMutation } from './invoices-api';
import { MESSAGES } from './messages';
import { Payments } from './payments';
import { StatusBadge } from './status-badge';

/** `/invoices/<id>`: the editor of a draft, or an issued invoice with its payments. */
export function InvoicePage({ id }: { id: string }) {
  const messages = useMessages(MESSAGES);
  return (
    <RecordPage
      id={id}
      query={invoiceQuery(id)}
      title={(invoice) =>
        invoice === undefined
          ? messages.title
          : invoice.number
            ? messages.numberOf(invoice.number)
            : messages.draftTitle
      }
      back={{ href: '/invoices', label: messages.back }}
      isMissing={messages.gone}
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
  const messages = useMessages(MESSAGES);
  const [, navigate] = useLocation();
  const remove = useInvoiceMutation(
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
        <ConfirmButton
          question={messages.removeAsk}
          loading={remove.isPending}
          onConfirm={() => remove.mutate(undefined)}
        >
          {messages.remove}
        </ConfirmButton>
      </Group>
    </>
  );
}

function Issued({ invoice }: { invoice: InvoiceDetail }) {
  const messages = useMessages(MESSAGES);
  const { formatDay, language } = useI18n();
  const cancel = useInvoiceMutation(
    () => invoicesApi.void(invoice.id),
    () => notifications.show({ message: messages.statuses.void, withCloseButton: false }),
  );
  const formatTotal = (minor: number) => formatMoney(minor, invoice.currency, language);
  // a path on this server, because PUBLIC_URL may differ from the address in use
  const path = new URL(invoice.pay_url ?? '/', location.origin).pathname;
  return (
    <>
      <dl className={facts.facts}>
        <dt>{messages.customer}</dt>
        <dd className={classes.wrap}>{invoice.customer_name}</dd>
        <dt>{messages.date}</dt>
        <dd>{invoice.issue_date && formatDay(invoice.issue_date)}</dd>
        {invoice.due_date && (
          <>
            <dt>{messages.dueDate}</dt>
            <dd>{formatDay(invoice.due_date)}</dd>
          </>
        )}
        <dt>{messages.total}</dt>
        <dd>{formatTotal(invoice.total)}</dd>
        <dt>{messages.received}</dt>
        <dd>{formatTotal(invoice.received)}</dd>
        <dt>{messages.amountDue}</dt>
        <dd>{formatTotal(invoice.amount_due)}</dd>
      </dl>
      {invoice.status !== 'void' && <CopyText label={messages.link} text={invoice.pay_url ?? ''} wraps />}
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
          {messages.view}
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
          {messages.pdf}
        </Button>
        {invoice.status !== 'void' && (
          <ConfirmButton
            question={messages.voidAsk}
            loading={cancel.isPending}
            onConfirm={() => cancel.mutate(undefined)}
          >
            {messages.void}
          </ConfirmButton>
        )}
      </Group>
      <Title order={2} size="h5">
        {messages.lines}
      </Title>
      <Lines invoice={invoice} />
      <Payments invoice={invoice} />
    </>
  );
}

function Lines({ invoice }: { invoice: InvoiceDetail }) {
  const messages = useMessages(MESSAGES);
  const { language } = useI18n();
  const formatTotal = (minor: number) => formatMoney(minor, invoice.currency, language);
  return (
    <div className={classes.sheet}>
      <Table aria-label={messages.lines} className={classes.billed}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{messages.description}</Table.Th>
            <Table.Th ta="end">{messages.quantity}</Table.Th>
            <Table.Th ta="end">{messages.unitPrice}</Table.Th>
            <Table.Th ta="end">{messages.amount}</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {invoice.lines.map((line, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: the lines of an issued invoice never change
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
                {formatTotal(line.unit_price)}
              </Table.Td>
              <Table.Td ta="end" className={classes.nowrap}>
                {formatTotal(line.amount)}
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </div>
  );
}
