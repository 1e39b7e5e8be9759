import { Skeleton } from '@mantine/core';
import { Link } from 'wouter';
import { useSpeech, useWordsOf } from '../i18n/i18n';
import { part } from '../ui/lazy-part';
import { markOf } from '../orders/statuses';
import type { Figures } from './dashboard-api';
import { useGrams } from './current-cards';
import { Bars, Card, DayTable } from './card';
import { WORDS } from './messages';

// the charts are heavier than the page: it is there before them
const waiting = <Skeleton height={220} />;
const OrdersChart = part('orders-chart', async () => (await import('./charts')).OrdersChart, { waiting });
const FailuresChart = part('failures-chart', async () => (await import('./charts')).FailuresChart, { waiting });

export function OrdersByDay({ days }: { days: Figures['days'] }) {
  const { words: common } = useSpeech();
  const words = useWordsOf(WORDS);
  return (
    <Card title={words.byDay} hint={words.byDayHint} isWide>
      <DayTable
        title={words.byDay}
        days={days}
        columns={[
          ['created', words.created],
          ['done', common.status.done],
        ]}
      />
      <div aria-hidden>
        <OrdersChart days={days} />
      </div>
    </Card>
  );
}

export function Failures({ days, failures }: Pick<Figures, 'days' | 'failures'>) {
  const { words: common } = useSpeech();
  const words = useWordsOf(WORDS);
  const isNone = days.every(({ print_error }) => print_error === 0);
  return (
    <Card title={words.failures} hint={words.failuresHint} empty={isNone ? words.noFailures : undefined}>
      <DayTable title={words.failures} days={days} columns={[['print_error', common.status.print_error]]} />
      <div aria-hidden>
        <FailuresChart days={days} />
      </div>
      <Bars
        bars={failures.map(({ printer_id, printer_name, failures: times }) => ({
          key: printer_id ?? '',
          label: printer_name ?? words.noPrinter,
          name: printer_name ?? words.noPrinter,
          value: times,
          text: words.failed(times),
          color: markOf('print_error'),
        }))}
      />
    </Card>
  );
}

/** Of farms whose printers report: others need not see an empty card. */
export function Prints({ prints }: Pick<Figures, 'prints'>) {
  const words = useWordsOf(WORDS);
  if (prints.length === 0) return null;
  return (
    <Card title={words.prints} hint={words.printsHint}>
      <Bars
        bars={prints.map(({ printer_id, printer_name, finished, failed, cancelled }) => ({
          key: printer_id,
          label: <Link href={`/printers/${printer_id}`}>{printer_name}</Link>,
          name: printer_name,
          value: finished + failed + cancelled,
          text: words.ofPrints(finished + failed + cancelled, failed),
          color: failed > 0 ? markOf('print_error') : markOf('done'),
        }))}
      />
    </Card>
  );
}

export function Materials({ materials }: { materials: Figures['materials'] }) {
  const words = useWordsOf(WORDS);
  const grams = useGrams();
  return (
    <Card
      title={words.materials}
      hint={words.materialsHint}
      empty={materials.length === 0 ? words.noMaterials : undefined}
    >
      <Bars
        bars={materials.map((material) => ({
          key: material.type_name,
          label: material.type_name || words.noType,
          name: material.type_name || words.noType,
          value: material.grams,
          text: grams(material.grams),
          color: 'cyan.7',
        }))}
      />
    </Card>
  );
}
