import { Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import { useI18n, useMessages } from '../i18n/i18n';
import { markOf } from '../order-data/statuses';
import { usePrinterLoad } from '../printers/printers-api';
import { printersQuery } from '../printers/use-printers';
import { daysUntil } from '../time';
import { Bars, Card } from './card';
import classes from './dashboard.module.css';
import { type DashboardStats, useLowFilaments } from './dashboard-api';
import { MESSAGES } from './messages';

const GRAMS_PER_KILOGRAM = 1000;

/** Formats grams with a suitable unit: 12.5 g, 1.2 kg. */
export function useFormatGrams() {
  const { messages, formatNumber } = useI18n();
  return (formatGrams: number) =>
    Math.abs(formatGrams) < GRAMS_PER_KILOGRAM
      ? messages.board.grams(formatNumber(formatGrams))
      : messages.board.kilograms(formatNumber(formatGrams / GRAMS_PER_KILOGRAM));
}

const Swatch = ({ color }: { color: string }) => <span className={classes.swatch} style={{ background: color }} />;

export function DueOrders({ due }: { due: DashboardStats['due'] }) {
  const { messages: commonMessages, formatDay } = useI18n();
  const messages = useMessages(MESSAGES);
  const all = due.overdue + due.today;
  const late = (dueDate: string) => daysUntil(dueDate) < 0;
  return (
    <Card
      title={messages.due}
      aside={
        all > 0 && (
          <Text size="sm">
            {due.overdue > 0 && <span className={classes.late}>{messages.overdue(due.overdue)}</span>}
            {due.overdue > 0 && due.today > 0 && ' · '}
            {due.today > 0 && messages.today(due.today)}
          </Text>
        )
      }
      empty={all === 0 ? messages.nothingDue : undefined}
    >
      <ul className={classes.list}>
        {due.orders.map((order) => (
          <li key={order.id}>
            <Swatch color={order.color_hex} />
            <Link href={`/?order=${order.id}`} title={order.model_name}>
              {order.model_name}
            </Link>
            <span className={classes.aside}>
              {[commonMessages.status[order.workflow_status], order.printer_name].filter(Boolean).join(' · ')}
              {' · '}
              <span className={late(order.due_date) ? classes.late : undefined} title={formatDay(order.due_date)}>
                {late(order.due_date)
                  ? commonMessages.card.overdue(-daysUntil(order.due_date))
                  : commonMessages.card.today}
              </span>
            </span>
          </li>
        ))}
        {all > due.orders.length && <li>{messages.more(all - due.orders.length)}</li>}
      </ul>
    </Card>
  );
}

export function PrintingNow() {
  const messages = useMessages(MESSAGES);
  const { data: load } = usePrinterLoad();
  const { data: printers } = useQuery(printersQuery);
  const names = new Map(printers?.items.map(({ id, name }) => [id, name]));
  const busy = [...(load?.values() ?? [])]
    .filter(({ printing }) => printing.length > 0)
    .map((line) => ({
      ...line,
      name: line.printer_id === null ? messages.noPrinter : (names.get(line.printer_id) ?? '…'),
    }))
    .sort((a, b) => a.name.localeCompare(b.name, undefined, { numeric: true }));
  return (
    <Card title={messages.printing} empty={load && busy.length === 0 ? messages.nothingPrinting : undefined}>
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
                {all > printing.length && ` ${messages.more(all - printing.length)}`}
              </span>
            </li>
          );
        })}
      </ul>
    </Card>
  );
}

export function ByStatus({ counts }: { counts: DashboardStats['orders_by_status'] }) {
  const { messages: commonMessages } = useI18n();
  const messages = useMessages(MESSAGES);
  return (
    <Card title={messages.byStatus}>
      <Bars
        bars={counts.map(({ workflow_status, orders }) => ({
          key: workflow_status,
          label: commonMessages.status[workflow_status],
          name: commonMessages.status[workflow_status],
          value: orders,
          text: String(orders),
          color: markOf(workflow_status),
        }))}
      />
    </Card>
  );
}

type FailingChannel = DashboardStats['failing_subscriptions'][number];

/** Failures in a row after which a channel is more than a passing fault. */
const MANY_FAILURES = 10;

export function FailingChannels({ channels }: { channels: FailingChannel[] }) {
  const { formatDateTime } = useI18n();
  const messages = useMessages(MESSAGES);
  return (
    <Card
      title={messages.channels}
      hint={messages.channelsHint}
      empty={channels.length === 0 ? messages.noChannels : undefined}
    >
      <ul className={classes.list}>
        {channels.map((channel) => {
          const { id, name, url, consecutive_failures, error, response_status, attempted_at, paused_at } = channel;
          return (
            <li key={id}>
              <Link href="/automation" title={name || url}>
                {name || url}
              </Link>
              <span className={classes.aside}>
                <span className={classes.late}>
                  {[error, response_status].filter((part) => part !== null).join(' ')}
                </span>
                {' · '}
                {formatDateTime(attempted_at)}
              </span>
              <span style={{ flexBasis: '100%', fontSize: 'var(--mantine-font-size-xs)' }}>
                {paused_at !== null && <strong className={classes.late}>{messages.paused} </strong>}
                <span className={consecutive_failures >= MANY_FAILURES ? classes.late : undefined}>
                  {messages.inARow(consecutive_failures)}
                </span>
                {' · '}
                <FailedEvent channel={channel} />
              </span>
            </li>
          );
        })}
      </ul>
    </Card>
  );
}

const PAGES: Record<string, string> = { order: '/?order=', printer: '/printers/', filament: '/stock/' };

/** The event of the latest attempt, with what it is about. */
function FailedEvent({ channel: { event, subject, subject_name } }: { channel: FailingChannel }) {
  const [kind = '', id = ''] = subject.split(':');
  const page = PAGES[kind];
  return (
    <>
      {event}
      {subject_name !== null && ': '}
      {subject_name !== null && (page ? <Link href={`${page}${id}`}>{subject_name}</Link> : subject_name)}
    </>
  );
}

export function LowStock() {
  const messages = useMessages(MESSAGES);
  const formatGrams = useFormatGrams();
  const low = useLowFilaments();
  return (
    <Card title={messages.stock} empty={low?.total === 0 ? messages.noStock : undefined}>
      <ul className={classes.list}>
        {low?.items.map(({ id, name, colors, remaining_grams }) => (
          <li key={id}>
            {colors[0] && <Swatch color={colors[0]} />}
            <Link href={`/stock/${id}`} title={name}>
              {name}
            </Link>
            <span className={`${classes.aside} ${classes.late}`}>{messages.left(formatGrams(remaining_grams))}</span>
          </li>
        ))}
        {low && low.total > low.items.length && <li>{messages.more(low.total - low.items.length)}</li>}
      </ul>
    </Card>
  );
}
