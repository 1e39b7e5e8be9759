import { Button, Checkbox, MultiSelect, Popover, Select, Stack, Switch, TextInput } from '@mantine/core';
import {
  IconColumns3,
  IconDownload,
  IconPlus,
  IconSearch,
  IconSortAscending,
  IconSortDescending,
  IconUpload,
} from '@tabler/icons-react';
import { useEffect, useState } from 'react';
import { usePrinters } from '../use-printers';
import { useSpeech, useWordsOf } from '../../i18n/i18n';
import { STATUSES } from '../statuses';
import { useColumnLabels } from './column-labels';
import { COLUMN_NAMES, type ColumnName, inOrder } from './columns';
import { DUE_FILTERS, fromSort, type ListAddress } from './list-url';
import classes from './orders.module.css';
import { WORDS } from './messages';

const SEARCH_WAIT_MS = 150;

interface ToolbarProps {
  address: ListAddress;
  columns: ColumnName[];
  setColumns(columns: ColumnName[]): void;
  isPhone: boolean;
  exportShown(): void;
  openImport(): void;
  openNew(): void;
}

export function Toolbar({ address, columns, setColumns, isPhone, exportShown, openImport, openNew }: ToolbarProps) {
  const { words } = useSpeech();
  const said = useWordsOf(WORDS);
  const printers = usePrinters();
  return (
    <div className={classes.toolbar}>
      <Search address={address} />
      <MultiSelect
        size="xs"
        className={classes.filter}
        aria-label={said.status}
        placeholder={address.statuses.length === 0 ? said.anyStatus : undefined}
        clearable
        data={STATUSES.map((value) => ({ value, label: words.status[value] }))}
        maxDropdownHeight={360}
        value={address.statuses}
        onChange={(statuses) => address.set({ status: statuses.join(',') })}
      />
      <Select
        size="xs"
        className={classes.filter}
        aria-label={said.dueLabel}
        placeholder={said.anyDue}
        clearable
        data={DUE_FILTERS.map((value) => ({ value, label: said.due[value] }))}
        value={address.due}
        onChange={(due) => address.set({ due })}
      />
      {printers.length > 0 && (
        <Select
          size="xs"
          className={classes.filter}
          aria-label={words.board.printer}
          placeholder={words.board.anyPrinter}
          clearable
          searchable
          data={printers.map(({ id, name }) => ({ value: id, label: name }))}
          value={address.printerId}
          onChange={(printer) => address.set({ printer })}
        />
      )}
      <Switch
        size="xs"
        label={words.board.showClosed}
        checked={address.showsClosed}
        disabled={address.statuses.includes('closed')}
        onChange={(event) => address.set({ closed: event.currentTarget.checked ? '1' : null })}
      />
      <div className={classes.actions}>
        {isPhone ? <SortChoice address={address} /> : <ColumnChoice columns={columns} setColumns={setColumns} />}
        <Button size="xs" variant="default" leftSection={<IconDownload size={16} aria-hidden />} onClick={exportShown}>
          {said.export}
        </Button>
        <Button size="xs" variant="default" leftSection={<IconUpload size={16} aria-hidden />} onClick={openImport}>
          {said.import}
        </Button>
        <Button size="xs" leftSection={<IconPlus size={16} aria-hidden />} onClick={openNew}>
          {words.board.newOrder}
        </Button>
      </div>
    </div>
  );
}

function Search({ address: { q, set } }: { address: ListAddress }) {
  const { words } = useSpeech();
  const [typed, setTyped] = useState(q);
  useEffect(() => setTyped(q), [q]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: only what is typed starts the wait
  useEffect(() => {
    if (typed === q) return;
    const waiting = setTimeout(() => set({ q: typed }), SEARCH_WAIT_MS);
    return () => clearTimeout(waiting);
  }, [typed]);
  return (
    <TextInput
      type="search"
      size="xs"
      className={classes.search}
      aria-label={words.board.search}
      placeholder={words.board.searchHint}
      leftSection={<IconSearch size={16} aria-hidden />}
      value={typed}
      onChange={(event) => setTyped(event.currentTarget.value)}
    />
  );
}

function ColumnChoice({ columns, setColumns }: Pick<ToolbarProps, 'columns' | 'setColumns'>) {
  const said = useWordsOf(WORDS);
  const labels = useColumnLabels();
  return (
    <Popover position="bottom-end" shadow="md" trapFocus returnFocus>
      <Popover.Target>
        <Button size="xs" variant="default" leftSection={<IconColumns3 size={16} aria-hidden />}>
          {said.columns}
        </Button>
      </Popover.Target>
      <Popover.Dropdown aria-label={said.columns}>
        <Stack gap={6}>
          {COLUMN_NAMES.filter((name) => name !== 'model_name').map((name) => (
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

/** Cards have no headings to click on. */
function SortChoice({ address: { sort, set } }: { address: ListAddress }) {
  const said = useWordsOf(WORDS);
  const labels = useColumnLabels();
  const Icon = sort.descending ? IconSortDescending : IconSortAscending;
  return (
    <>
      <Select
        size="xs"
        className={classes.filter}
        aria-label={said.sortBy}
        allowDeselect={false}
        data={COLUMN_NAMES.map((value) => ({ value, label: labels[value] }))}
        value={sort.by}
        onChange={(by) => set({ sort: fromSort({ ...sort, by: by as ColumnName }) })}
      />
      <Button
        size="xs"
        variant="default"
        aria-label={sort.descending ? said.descending : said.ascending}
        onClick={() => set({ sort: fromSort({ ...sort, descending: !sort.descending }) })}
      >
        <Icon size={16} aria-hidden />
      </Button>
    </>
  );
}
