import { Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import { api } from '../api/api';
import { daysUntil } from '../orders/due-date';
import { useSpeech, useWordsOf } from '../i18n/i18n';
import { usePrinterLoad } from '../printers/printers-api';
import { markOf } from '../orders/statuses';
import classes from './dashboard.module.css';
import { type Figures, useLowFilaments } from './dashboard-api';
import { Bars, Card } from './card';
import { WORDS } from './messages';

const GRAMS_PER_KILOGRAM = 1000;

/** Grams as one reads them: 12.5 g, 1.2 kg. */
export function useGrams() {
  const { words, number } = useSpeech();
  return (grams: number) =>
    Math.abs(grams) < GRAMS_PER_KILOGRAM
      ? words.board.grams(number(grams))
      : words.board.kilograms(number(grams / GRAMS_PER_KILOGRAM));
}

const Swatch = ({ color }: { color: string }) => <span className={classes.swatch} style={{ background: color }} />;

export function Due({ due }: { due: Figures['due'] }) {
  const { words: common, day } = useSpeech();
  const words = useWordsOf(WORDS);
  const all = due.overdue + due.today;
  const late = (dueDate: string) => daysUntil(dueDate) < 0;
  return (
    <Card
      title={words.due}
      aside={
        all > 0 && (
          <Text size="sm">
            {due.overdue > 0 && <span className={classes.late}>{words.overdue(due.overdue)}</span>}
            {due.overdue > 0 && due.today > 0 && ' · '}
            {due.today > 0 && words.today(due.today)}
          </Text>
        )
      }
      empty={all === 0 ? words.nothingDue : undefined}
    >
      <ul className={classes.list}>
        {due.orders.map((order) => (
          <li key={order.id}>
            <Swatch color={order.color_hex} />
            <Link href={`/?order=${order.id}`} title={order.model_name}>
              {order.model_name}
            </Link>
            <span className={classes.aside}>
              {[common.status[order.workflow_status], order.printer_name].filter(Boolean).join(' · ')}
              {' · '}
              <span className={late(order.due_date) ? classes.late : undefined} title={day(order.due_date)}>
                {late(order.due_date) ? common.card.overdue(-daysUntil(order.due_date)) : common.card.today}
              </span>
            </span>
          </li>
        ))}
        {all > due.orders.length && <li>{words.more(all - due.orders.length)}</li>}
      </ul>
    </Card>
  );
}

export function PrintingNow() {
  const words = useWordsOf(WORDS);
  const { data: load } = usePrinterLoad();
  const { data: printers } = useQuery({ queryKey: ['printers'], queryFn: ({ signal }) => api.printers(signal) });
  const names = new Map(printers?.items.map(({ id, name }) => [id, name]));
  const busy = [...(load?.values() ?? [])]
    .filter(({ printing }) => printing.length > 0)
    .map((line) => ({
      ...line,
      name: line.printer_id === null ? words.noPrinter : (names.get(line.printer_id) ?? '…'),
    }))
    .sort((a, b) => a.name.localeCompare(b.name, undefined, { numeric: true }));
  return (
    <Card title={words.printing} empty={load && busy.length === 0 ? words.nothingPrinting : undefined}>
      <ul className={classes.list}>
        {busy.map(({ printer_id, name, open, printing }) => {
          const all = open.find(({ workflow_status }) => workflow_status === 'printing')?.orders ?? 0;
          return (
            <li key={printer_id}>
              {printer_id === null ? <span>{name}</span> : <Link href={`/?printer=${printer_id}`}>{name}</Link>}
              <span className={classes.aside}>
                {printing.map((order, index) => (
                  <span key={order.id}>
                    {index > 0 && ', '}
                    <Link href={`/?order=${order.id}`} title={order.model_name}>
                      {order.model_name}
                    </Link>
                  </span>
                ))}
                {all > printing.length && ` ${words.more(all - printing.length)}`}
              </span>
            </li>
          );
        })}
      </ul>
    </Card>
  );
}

export function ByStatus({ counts }: { counts: Figures['orders_by_status'] }) {
  const { words: common } = useSpeech();
  const words = useWordsOf(WORDS);
  return (
    <Card title={words.byStatus}>
      <Bars
        bars={counts.map(({ workflow_status, orders }) => ({
          key: workflow_status,
          label: common.status[workflow_status],
          name: common.status[workflow_status],
          value: orders,
          text: String(orders),
          color: markOf(workflow_status),
        }))}
      />
    </Card>
  );
}

export function FailingChannels({ channels }: { channels: Figures['failing_channels'] }) {
  const { moment } = useSpeech();
  const words = useWordsOf(WORDS);
  return (
    <Card title={words.channels} hint={words.channelsHint} empty={channels.length === 0 ? words.noChannels : undefined}>
      <ul className={classes.list}>
        {channels.map(({ id, name, url, error, response_status, attempted_at }) => (
          <li key={id}>
            <Link href="/automation" title={name || url}>
              {name || url}
            </Link>
            <span className={classes.aside}>
              <span className={classes.late}>{[error, response_status].filter((part) => part !== null).join(' ')}</span>
              {' · '}
              {moment(attempted_at)}
            </span>
          </li>
        ))}
      </ul>
    </Card>
  );
}

export function LowStock() {
  const words = useWordsOf(WORDS);
  const grams = useGrams();
  const low = useLowFilaments();
  return (
    <Card title={words.stock} empty={low?.total === 0 ? words.noStock : undefined}>
      <ul className={classes.list}>
        {low?.items.map(({ id, name, colors, remaining_grams }) => (
          <li key={id}>
            {colors[0] && <Swatch color={colors[0]} />}
            <Link href={`/stock/${id}`} title={name}>
              {name}
            </Link>
            <span className={`${classes.aside} ${classes.late}`}>{words.left(grams(remaining_grams))}</span>
          </li>
        ))}
        {low && low.total > low.items.length && <li>{words.more(low.total - low.items.length)}</li>}
      </ul>
    </Card>
  );
}
