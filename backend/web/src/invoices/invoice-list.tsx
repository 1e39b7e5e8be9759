import { Anchor, Button, CloseButton, Group, SegmentedControl, Select, Table, Text, TextInput } from '@mantine/core';
import { useDebouncedValue, useDisclosure, useMediaQuery } from '@mantine/hooks';
import { IconPlus, IconSearch, IconSettings } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Link } from 'wouter';
import { useSpeech, useWordsOf } from '../i18n/i18n';
import { sayMoney } from '../i18n/format-money';
import { Empty, Failed, Loading, Page } from '../ui/page';
import classes from './invoices.module.css';
import { type Invoice, listQuery, PER_PAGE } from './invoices-api';
import { NewInvoice } from './new-invoice';
import { StatusBadge } from './status-badge';
import { Unassigned } from './unassigned-payments';
import { WORDS } from './messages';

const FILTERS = ['draft', 'issued', 'paid', 'review', 'void'] as const;
const TYPING_MS = 200;

/** `/invoices`: all of them, and payments that belong to none. */
export function InvoiceList() {
  const words = useWordsOf(WORDS);
  const [status, setStatus] = useState<(typeof FILTERS)[number] | null>(null);
  const [typed, setTyped] = useState('');
  const [q] = useDebouncedValue(typed.trim(), TYPING_MS);
  const [page, setPage] = useState(1);
  const { data, error, refetch } = useQuery(listQuery({ status, q, page }));
  const [isNewOpen, newInvoice] = useDisclosure(false);
  const isFiltered = status !== null || q !== '';
  const add = (
    <Button size="xs" leftSection={<IconPlus size={16} aria-hidden />} onClick={newInvoice.open}>
      {words.add}
    </Button>
  );
  const pages = Math.max(1, Math.ceil((data?.total ?? 0) / PER_PAGE));
  return (
    <Page
      title={words.title}
      actions={
        <>
          <Button
            component={Link}
            href="/invoices/settings"
            size="xs"
            variant="default"
            leftSection={<IconSettings size={16} aria-hidden />}
          >
            {words.settings}
          </Button>
          {add}
        </>
      }
    >
      <Unassigned />
      {data ? (
        data.total === 0 && !isFiltered ? (
          <Empty title={words.empty} lead={words.emptyLead} />
        ) : (
          <>
            <div className={classes.toolbar}>
              <TextInput
                type="search"
                size="xs"
                className={classes.search}
                aria-label={words.search}
                placeholder={words.search}
                leftSection={<IconSearch size={16} aria-hidden />}
                rightSection={typed && <CloseButton size="xs" aria-label={words.close} onClick={() => setTyped('')} />}
                value={typed}
                onChange={(event) => {
                  setTyped(event.currentTarget.value);
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
            {data.items.length === 0 ? <Text role="status">{words.nothingFound}</Text> : <Rows invoices={data.items} />}
            {pages > 1 && (
              <Group mt="md" gap="xs">
                <Button size="xs" variant="default" disabled={page === 1} onClick={() => setPage(page - 1)}>
                  {words.less}
                </Button>
                <Text size="sm">{words.pageOf(page, pages)}</Text>
                <Button size="xs" variant="default" disabled={page >= pages} onClick={() => setPage(page + 1)}>
                  {words.more}
                </Button>
              </Group>
            )}
          </>
        )
      ) : error ? (
        <Failed error={error} retry={refetch} />
      ) : (
        <Loading />
      )}
      <NewInvoice opened={isNewOpen} close={newInvoice.close} />
    </Page>
  );
}

type Status = (typeof FILTERS)[number] | null;

function Filter({ value, onChange }: { value: Status; onChange(status: Status): void }) {
  const words = useWordsOf(WORDS);
  const isPhone = useMediaQuery('(max-width: 640px)');
  const common = {
    size: 'xs',
    'aria-label': words.status,
    data: [{ value: '', label: words.all }, ...FILTERS.map((name) => ({ value: name, label: words.statuses[name] }))],
    value: value ?? '',
    onChange: (chosen: string | null) => onChange((chosen || null) as Status),
  };
  return isPhone ? <Select allowDeselect={false} {...common} /> : <SegmentedControl {...common} />;
}

function Rows({ invoices }: { invoices: Invoice[] }) {
  const words = useWordsOf(WORDS);
  const { day, language } = useSpeech();
  return (
    <div className={classes.sheet}>
      <Table verticalSpacing={8} aria-label={words.title} className={classes.invoices}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{words.number}</Table.Th>
            <Table.Th>{words.customer}</Table.Th>
            <Table.Th>{words.status}</Table.Th>
            <Table.Th>{words.date}</Table.Th>
            <Table.Th ta="end">{words.total}</Table.Th>
            <Table.Th ta="end">{words.due}</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {invoices.map((invoice) => (
            <Table.Tr key={invoice.id} data-invoice={invoice.id} className={classes.row}>
              <Table.Td className={classes.nowrap}>
                <Anchor component={Link} href={`/invoices/${invoice.id}`} fw={600} className={classes.open}>
                  {invoice.number ?? words.draftTitle}
                </Anchor>
              </Table.Td>
              <Table.Td className={classes.wrap}>{invoice.customer_name}</Table.Td>
              <Table.Td className={classes.nowrap}>
                <StatusBadge invoice={invoice} />
              </Table.Td>
              <Table.Td className={classes.nowrap}>
                {day(invoice.issue_date ?? invoice.created_at.slice(0, 10))}
              </Table.Td>
              <Table.Td ta="end" className={classes.nowrap}>
                {sayMoney(invoice.total, invoice.currency, language)}
              </Table.Td>
              <Table.Td ta="end" className={classes.nowrap} data-label={words.due}>
                {invoice.amount_due > 0 && sayMoney(invoice.amount_due, invoice.currency, language)}
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </div>
  );
}
