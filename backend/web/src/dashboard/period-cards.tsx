import { Skeleton } from '@mantine/core';
import { Link } from 'wouter';
import { useI18n, useMessages } from '../i18n/i18n';
import { markOf } from '../order-data/statuses';
import { lazyPart } from '../ui/lazy-part';
import { Bars, Card, DayTable } from './card';
import { useFormatGrams } from './current-cards';
import type { DashboardStats } from './dashboard-api';
import { MESSAGES } from './messages';

// the chart library is large, so it is loaded after the page
const waiting = <Skeleton height={220} />;
const OrdersChart = lazyPart('orders-chart', async () => (await import('./charts')).OrdersChart, { waiting });
const FailuresChart = lazyPart('failures-chart', async () => (await import('./charts')).FailuresChart, { waiting });

export function OrdersByDay({ days }: { days: DashboardStats['days'] }) {
  const { messages: commonMessages } = useI18n();
  const messages = useMessages(MESSAGES);
  return (
    <Card title={messages.byDay} hint={messages.byDayHint} isWide>
      <DayTable
        title={messages.byDay}
        days={days}
        columns={[
          ['created', messages.created],
          ['done', commonMessages.status.done],
        ]}
      />
      <div aria-hidden>
        <OrdersChart days={days} />
      </div>
    </Card>
  );
}

export function Failures({ days, failures }: Pick<DashboardStats, 'days' | 'failures'>) {
  const { messages: commonMessages } = useI18n();
  const messages = useMessages(MESSAGES);
  const isNone = days.every(({ print_error }) => print_error === 0);
  return (
    <Card title={messages.failures} hint={messages.failuresHint} empty={isNone ? messages.noFailures : undefined}>
      <DayTable title={messages.failures} days={days} columns={[['print_error', commonMessages.status.print_error]]} />
      <div aria-hidden>
        <FailuresChart days={days} />
      </div>
      <Bars
        bars={failures.map(({ printer_id, printer_name, failures: times }) => ({
          key: printer_id ?? '',
          label: printer_name ?? messages.noPrinter,
          name: printer_name ?? messages.noPrinter,
          value: times,
          text: messages.failed(times),
          color: markOf('print_error'),
        }))}
      />
    </Card>
  );
}

/** Hidden for farms whose printers don't report. */
export function Prints({ prints }: Pick<DashboardStats, 'prints'>) {
  const messages = useMessages(MESSAGES);
  if (prints.length === 0) return null;
  return (
    <Card title={messages.prints} hint={messages.printsHint}>
      <Bars
        bars={prints.map(({ printer_id, printer_name, finished, failed, cancelled }) => ({
          key: printer_id,
          label: <Link href={`/printers/${printer_id}`}>{printer_name}</Link>,
          name: printer_name,
          value: finished + failed + cancelled,
          text: messages.ofPrints(finished + failed + cancelled, failed),
          color: markOf('done'),
          part: { value: failed, color: markOf('print_error') },
        }))}
      />
    </Card>
  );
}

export function Materials({ materials }: { materials: DashboardStats['materials'] }) {
  const messages = useMessages(MESSAGES);
  const formatGrams = useFormatGrams();
  return (
    <Card
      title={messages.materials}
      hint={messages.materialsHint}
      empty={materials.length === 0 ? messages.noMaterials : undefined}
    >
      <Bars
        bars={materials.map((material) => ({
          key: material.type_name,
          label: material.type_name || messages.noType,
          name: material.type_name || messages.noType,
          value: material.grams,
          text: formatGrams(material.grams),
          color: 'cyan.7',
        }))}
      />
    </Card>
  );
}
