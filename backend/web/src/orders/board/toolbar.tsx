import { Button, CloseButton, Group, Kbd, Progress, Select, Switch, Text, TextInput } from '@mantine/core';
import { IconPlus, IconSearch } from '@tabler/icons-react';
import { type RefObject, useEffect, useState } from 'react';
import { useI18n } from '../../i18n/i18n';
import { usePrinters } from '../../printers/use-printers';
import { NewOrderForm } from '../detail/new-order';
import classes from './board.module.css';
import type { useBoardUrl } from './board-url';

/** Debounce of the search before it is written to the URL. */
const SEARCH_WAIT_MS = 150;

interface ToolbarProps {
  url: ReturnType<typeof useBoardUrl>;
  searchBox: RefObject<HTMLInputElement | null>;
  newOrder(): void;
  loading: { loaded: number; total: number } | undefined;
}

export function Toolbar({ url, searchBox, newOrder, loading }: ToolbarProps) {
  const { messages } = useI18n();
  const printers = usePrinters();
  const { q, set } = url;
  const [typed, setTyped] = useState(q);
  useEffect(() => setTyped(q), [q]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: only typing restarts the debounce
  useEffect(() => {
    if (typed === q) return;
    const waiting = setTimeout(() => set('q', typed), SEARCH_WAIT_MS);
    return () => clearTimeout(waiting);
  }, [typed]);
  return (
    <div className={classes.toolbar}>
      <h1 className={classes.hidden}>{messages.board.title}</h1>
      <TextInput
        ref={searchBox}
        type="search"
        size="xs"
        className={classes.search}
        aria-label={messages.board.search}
        placeholder={messages.board.searchHint}
        leftSection={<IconSearch size={16} aria-hidden />}
        rightSection={
          typed ? (
            <CloseButton size="xs" aria-label={messages.board.clear} onClick={() => setTyped('')} />
          ) : (
            <Kbd size="xs" visibleFrom="sm">
              /
            </Kbd>
          )
        }
        value={typed}
        onChange={(event) => setTyped(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key === 'Escape') event.currentTarget.blur();
        }}
      />
      {printers.length > 0 && (
        <Select
          size="xs"
          className={classes.printer}
          aria-label={messages.board.printer}
          placeholder={messages.board.anyPrinter}
          clearable
          searchable
          data={printers.map(({ id, name }) => ({ value: id, label: name }))}
          value={url.printerId}
          onChange={(id) => set('printer', id)}
        />
      )}
      <Switch
        size="xs"
        label={messages.board.showClosed}
        checked={url.showsClosed}
        onChange={(event) => set('closed', event.currentTarget.checked ? '1' : null)}
      />
      {loading && (
        <Group gap="xs" wrap="nowrap" role="status">
          <Progress value={(100 * loading.loaded) / loading.total} w={80} aria-label={messages.board.title} />
          <Text size="xs">{messages.board.loading(loading.loaded, loading.total)}</Text>
        </Group>
      )}
      <Button
        size="xs"
        className={classes.new}
        leftSection={<IconPlus size={16} aria-hidden />}
        onPointerEnter={NewOrderForm.preload}
        onClick={newOrder}
      >
        {messages.board.newOrder}
      </Button>
    </div>
  );
}
