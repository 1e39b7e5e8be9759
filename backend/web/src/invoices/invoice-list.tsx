import { Anchor, Button, Group, SegmentedControl, Select, Table, Text } from '@mantine/core';
import { useDebouncedValue, useDisclosure, useMediaQuery } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Link } from 'wouter';
import { formatMoney } from '../i18n/format-money';
import { useI18n, useMessages } from '../i18n/i18n';
import { IconPlus, IconSettings } from '../ui/icons.tsx';
import { Empty, NotLoaded, Page } from '../ui/page';
import { SearchBox } from '../ui/search-box';
import classes from './invoices.module.css';
import { type Invoice, listQuery, PER_PAGE } from './invoices-api';
import { MESSAGES } from './messages';
import { NewInvoice } from './new-invoice';
import { StatusBadge } from './status-badge';
import { UnassignedPayments } from './unassigned-payments';

const FILTERS = ['draft', 'issued', 'paid', 'review', 'void'] as const;
const TYPING_MS = 200;

/** `/invoices`: the list and payments without an invoice. */
export function InvoiceList() {
  const messages = useMessages(MESSAGES);
  const [status, setStatus] = useState<(typeof FILTERS)[number] | null>(null);
  const [typed, setTyped] = useState('');
  const [q] = useDebouncedValue(typed.trim(), TYPING_MS);
  const [page, setPage] = useState(1);
  const { data, error, refetch } = useQuery(listQuery({ status, q, page }));
  const [isNewOpen, newInvoice] = useDisclosure(false);
  const isFiltered = status !== null || q !== '';
  const add = (
    <Button size="xs" leftSection={<IconPlus size={16} aria-hidden />} onClick={newInvoice.open}>
      {messages.add}
    </Button>
  );
  const pages = Math.max(1, Math.ceil((data?.total ?? 0) / PER_PAGE));
  return (
    <Page
      title={messages.title}
      actions={
        <>
          <Button
            component={Link}
            href="/invoices/settings"
            size="xs"
            variant="default"
            leftSection={<IconSettings size={16} aria-hidden />}
          >
            {messages.settings}
          </Button>
          {add}
        </>
      }
    >
      <UnassignedPayments />
      {data ? (
        data.total === 0 && !isFiltered ? (
          <Empty title={messages.empty} lead={messages.emptyLead} />
        ) : (
          <>
            <div className={classes.toolbar}>
              <SearchBox
                className={classes.search}
                label={messages.search}
                clear={messages.close}
                value={typed}
                onChange={(text) => {
                  setTyped(text);
                  setPage(1);
                }}
              />
              <Filter
                value={status}
                onChange={(chosen) => {
                  setStatus(chosen);
                  setPage(1);
                }}
              />
            </div>
            {data.items.length === 0 ? (
              <Text role="status">{messages.nothingFound}</Text>
            ) : (
              <Rows invoices={data.items} />
            )}
            {pages > 1 && (
              <Group mt="md" gap="xs">
                <Button size="xs" variant="default" disabled={page === 1} onClick={() => setPage(page - 1)}>
                  {messages.less}
                </Button>
                <Text size="sm">{messages.pageOf(page, pages)}</Text>
                <Button size="xs" variant="default" disabled={page >= pages} onClick={() => setPage(page + 1)}>
                  {messages.more}
                </Button>
              </Group>
            )}
          </>
        )
      ) : (
        <NotLoaded error={error} retry={refetch} />
      )}
      <NewInvoice opened={isNewOpen} close={newInvoice.close} />
    </Page>
  );
}

type Status = (typeof FILTERS)[number] | null;

function Filter({ value, onChange }: { value: Status; onChange(status: Status): void }) {
  const messages = useMessages(MESSAGES);
  const isPhone = useMediaQuery('(max-width: 640px)');
  const commonMessages = {
    size: 'xs',
    'aria-label': messages.status,
    data: [
      { value: '', label: messages.all },
      ...FILTERS.map((name) => ({ value: name, label: messages.statuses[name] })),
    ],
    value: value ?? '',
    onChange: (chosen: string | null) => onChange((chosen || null) as Status),
  };
  return isPhone ? <Select allowDeselect={false} {...commonMessages} /> : <SegmentedControl {...commonMessages} />;
}

function Rows({ invoices }: { invoices: Invoice[] }) {
  const messages = useMessages(MESSAGES);
  const { formatDay, language } = useI18n();
  return (
    <div className={classes.sheet}>
      <Table verticalSpacing={8} aria-label={messages.title} className={classes.invoices}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{messages.number}</Table.Th>
            <Table.Th>{messages.customer}</Table.Th>
            <Table.Th>{messages.status}</Table.Th>
            <Table.Th>{messages.date}</Table.Th>
            <Table.Th ta="end">{messages.total}</Table.Th>
            <Table.Th ta="end">{messages.due}</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {invoices.map((invoice) => (
            <Table.Tr key={invoice.id} data-invoice={invoice.id} className={classes.row}>
              <Table.Td className={classes.nowrap}>
                <Anchor component={Link} href={`/invoices/${invoice.id}`} fw={600} className={classes.open}>
                  {invoice.number ?? messages.draftTitle}
                </Anchor>
              </Table.Td>
              <Table.Td className={classes.wrap}>{invoice.customer_name}</Table.Td>
              <Table.Td className={classes.nowrap}>
                <StatusBadge invoice={invoice} />
              </Table.Td>
              <Table.Td className={classes.nowrap}>
                {formatDay(invoice.issue_date ?? invoice.created_at.slice(0, 10))}
              </Table.Td>
              <Table.Td ta="end" className={classes.nowrap}>
                {formatMoney(invoice.total, invoice.currency, language)}
              </Table.Td>
              <Table.Td ta="end" className={classes.nowrap} data-label={messages.due}>
                {invoice.amount_due > 0 && formatMoney(invoice.amount_due, invoice.currency, language)}
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </div>
  );
}
