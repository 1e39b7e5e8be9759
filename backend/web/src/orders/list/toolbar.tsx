import { Button, Checkbox, MultiSelect, Popover, Select, Stack, Switch } from '@mantine/core';
import { useI18n, useMessages } from '../../i18n/i18n';
import { STATUSES } from '../../order-data/statuses';
import {
  IconColumns3,
  IconDownload,
  IconPlus,
  IconSortAscending,
  IconSortDescending,
  IconUpload,
} from '../../ui/icons.tsx';
import { PrinterFilter, Search } from '../filters';
import { LABELS } from '../messages';
import type { ColumnName } from '../order-columns';
import { inOrder, LIST_COLUMNS } from './columns';
import { DUE_FILTERS, fromSort, type ListUrl } from './list-url';
import { MESSAGES } from './messages';
import classes from './orders.module.css';

interface ToolbarProps {
  url: ListUrl;
  columns: ColumnName[];
  setColumns(columns: ColumnName[]): void;
  isPhone: boolean;
  exportShown(): void;
  openImport(): void;
  openNew(): void;
}

export function Toolbar({ url, columns, setColumns, isPhone, exportShown, openImport, openNew }: ToolbarProps) {
  const { messages } = useI18n();
  const pageMessages = useMessages(MESSAGES);
  return (
    <div className={classes.toolbar}>
      <Search className={classes.search} q={url.q} setQ={(q) => url.set({ q })} />
      <MultiSelect
        size="xs"
        className={classes.filter}
        aria-label={pageMessages.status}
        placeholder={url.statuses.length === 0 ? pageMessages.anyStatus : undefined}
        clearable
        data={STATUSES.map((value) => ({ value, label: messages.status[value] }))}
        maxDropdownHeight={360}
        value={url.statuses}
        onChange={(statuses) => url.set({ status: statuses.join(',') })}
      />
      <Select
        size="xs"
        className={classes.filter}
        aria-label={pageMessages.dueLabel}
        placeholder={pageMessages.anyDue}
        clearable
        data={DUE_FILTERS.map((value) => ({ value, label: pageMessages.due[value] }))}
        value={url.due}
        onChange={(due) => url.set({ due })}
      />
      <PrinterFilter className={classes.filter} printerId={url.printerId} choose={(printer) => url.set({ printer })} />
      <Switch
        size="xs"
        label={messages.board.showClosed}
        checked={url.showsClosed}
        disabled={url.statuses.includes('closed')}
        onChange={(event) => url.set({ closed: event.currentTarget.checked ? '1' : null })}
      />
      <div className={classes.actions}>
        {isPhone ? <SortChoice url={url} /> : <ColumnChoice columns={columns} setColumns={setColumns} />}
        <Button size="xs" variant="default" leftSection={<IconDownload size={16} aria-hidden />} onClick={exportShown}>
          {pageMessages.export}
        </Button>
        <Button size="xs" variant="default" leftSection={<IconUpload size={16} aria-hidden />} onClick={openImport}>
          {pageMessages.import}
        </Button>
        <Button size="xs" leftSection={<IconPlus size={16} aria-hidden />} onClick={openNew}>
          {messages.board.newOrder}
        </Button>
      </div>
    </div>
  );
}

function ColumnChoice({ columns, setColumns }: Pick<ToolbarProps, 'columns' | 'setColumns'>) {
  const pageMessages = useMessages(MESSAGES);
  const labels = useMessages(LABELS);
  return (
    <Popover position="bottom-end" shadow="md" trapFocus returnFocus>
      <Popover.Target>
        <Button size="xs" variant="default" leftSection={<IconColumns3 size={16} aria-hidden />}>
          {pageMessages.columns}
        </Button>
      </Popover.Target>
      <Popover.Dropdown aria-label={pageMessages.columns}>
        <Stack gap={6}>
          {LIST_COLUMNS.filter((name) => name !== 'model_name').map((name) => (
            <Checkbox
              key={name}
              size="xs"
              label={labels[name]}
              checked={columns.includes(name)}
              onChange={({ currentTarget: { checked } }) =>
                setColumns(inOrder(checked ? [...columns, name] : columns.filter((other) => other !== name)))
              }
            />
          ))}
        </Stack>
      </Popover.Dropdown>
    </Popover>
  );
}

/** Cards have no headings to sort by. */
function SortChoice({ url: { sort, set } }: { url: ListUrl }) {
  const pageMessages = useMessages(MESSAGES);
  const labels = useMessages(LABELS);
  const Icon = sort.descending ? IconSortDescending : IconSortAscending;
  return (
    <>
      <Select
        size="xs"
        className={classes.filter}
        aria-label={pageMessages.sortBy}
        allowDeselect={false}
        data={LIST_COLUMNS.map((value) => ({ value, label: labels[value] }))}
        value={sort.by}
        onChange={(by) => set({ sort: fromSort({ ...sort, by: by as ColumnName }) })}
      />
      <Button
        size="xs"
        variant="default"
        aria-label={sort.descending ? pageMessages.descending : pageMessages.ascending}
        onClick={() => set({ sort: fromSort({ ...sort, descending: !sort.descending }) })}
      >
        <Icon size={16} aria-hidden />
      </Button>
    </>
  );
}
