import { Button, Group, Progress, Switch, Text } from '@mantine/core';
import type { RefObject } from 'react';
import { useI18n } from '../../i18n/i18n';
import { IconPlus } from '../../ui/icons.tsx';
import { NewOrderForm } from '../detail/new-order';
import { PrinterFilter, Search } from '../filters';
import classes from './board.module.css';
import type { useBoardUrl } from './board-url';

interface ToolbarProps {
  url: ReturnType<typeof useBoardUrl>;
  searchBox: RefObject<HTMLInputElement | null>;
  newOrder(): void;
  loading: { loaded: number; total: number } | undefined;
}

export function Toolbar({ url, searchBox, newOrder, loading }: ToolbarProps) {
  const { messages } = useI18n();
  const { q, set } = url;
  return (
    <div className={classes.toolbar}>
      <h1 className={classes.hidden}>{messages.board.title}</h1>
      <Search className={classes.search} q={q} setQ={(text) => set('q', text)} box={searchBox} />
      <PrinterFilter className={classes.printer} printerId={url.printerId} choose={(id) => set('printer', id)} />
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
