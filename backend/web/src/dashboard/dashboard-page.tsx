import { Button, SegmentedControl } from '@mantine/core';
import { Link, useSearchParams } from 'wouter';
import { useWordsOf } from '../i18n/i18n';
import { Empty, Failed, Loading, Page } from '../ui/page';
import classes from './dashboard.module.css';
import { PERIODS, type Period, useFigures } from './dashboard-api';
import { ByStatus, Due, FailingChannels, LowStock, PrintingNow } from './current-cards';
import { Failures, Materials, OrdersByDay, Prints } from './period-cards';
import { WORDS } from './messages';

const isPeriod = (value: string | null): value is Period => PERIODS.includes(value as Period);

export function DashboardPage() {
  const words = useWordsOf(WORDS);
  const [params, setParams] = useSearchParams();
  const asked = params.get('days');
  const days: Period = isPeriod(asked) ? asked : '30';
  const { data: figures, error, refetch } = useFigures(days);
  const isEmpty =
    figures?.orders_by_status.every(({ orders }) => orders === 0) &&
    figures.prints.length === 0 &&
    figures.materials.length === 0 &&
    figures.failing_channels.length === 0;
  return (
    <Page
      title={words.title}
      actions={
        <SegmentedControl
          size="xs"
          aria-label={words.period}
          value={days}
          onChange={(value) => setParams({ days: value }, { replace: true })}
          data={PERIODS.map((value) => ({ value, label: words.days(Number(value)) }))}
        />
      }
    >
      {figures ? (
        isEmpty ? (
          <Empty title={words.empty} lead={words.emptyLead}>
            <Button component={Link} href="/">
              {words.toBoard}
            </Button>
          </Empty>
        ) : (
          <div className={classes.grid}>
            <Due due={figures.due} />
            <PrintingNow />
            <ByStatus counts={figures.orders_by_status} />
            <OrdersByDay days={figures.days} />
            <Failures days={figures.days} failures={figures.failures} />
            <Prints prints={figures.prints} />
            <Materials materials={figures.materials} />
            <div className={classes.stack}>
              <LowStock />
              <FailingChannels channels={figures.failing_channels} />
            </div>
          </div>
        )
      ) : error ? (
        <Failed error={error} retry={refetch} />
      ) : (
        <Loading lines={8} />
      )}
    </Page>
  );
}
