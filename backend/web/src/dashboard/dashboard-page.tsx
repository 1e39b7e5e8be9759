import { Button, SegmentedControl } from '@mantine/core';
import { Link, useSearchParams } from 'wouter';
import { useMessages } from '../i18n/i18n';
import { Empty, NotLoaded, Page } from '../ui/page';
import { ByStatus, DueOrders, FailingChannels, LowStock, PrintingNow } from './current-cards';
import classes from './dashboard.module.css';
import { PERIODS, type Period, useDashboardStats } from './dashboard-api';
import { MESSAGES } from './messages';
import { Failures, Materials, OrdersByDay, Prints } from './period-cards';

const isPeriod = (value: string | null): value is Period => PERIODS.includes(value as Period);

export function DashboardPage() {
  const messages = useMessages(MESSAGES);
  const [params, setParams] = useSearchParams();
  const asked = params.get('days');
  const days: Period = isPeriod(asked) ? asked : '30';
  const { data: stats, error, refetch } = useDashboardStats(days);
  const isEmpty =
    stats?.orders_by_status.every(({ orders }) => orders === 0) &&
    stats.prints.length === 0 &&
    stats.materials.length === 0 &&
    stats.failing_subscriptions.length === 0;
  return (
    <Page
      title={messages.title}
      actions={
        <SegmentedControl
          size="xs"
          aria-label={messages.period}
          value={days}
          onChange={(value) => setParams({ days: value }, { replace: true })}
          data={PERIODS.map((value) => ({ value, label: messages.days(Number(value)) }))}
        />
      }
    >
      {stats ? (
        isEmpty ? (
          <Empty title={messages.empty} lead={messages.emptyLead}>
            <Button component={Link} href="/">
              {messages.toBoard}
            </Button>
          </Empty>
        ) : (
          <div className={classes.grid}>
            <DueOrders due={stats.due} />
            <PrintingNow />
            <ByStatus counts={stats.orders_by_status} />
            <OrdersByDay days={stats.days} />
            <Failures days={stats.days} failures={stats.failures} />
            <Prints prints={stats.prints} />
            <Materials materials={stats.materials} />
            <div className={classes.stack}>
              <LowStock />
              <FailingChannels channels={stats.failing_subscriptions} />
            </div>
          </div>
        )
      ) : (
        <NotLoaded error={error} retry={refetch} lines={8} />
      )}
    </Page>
  );
}
