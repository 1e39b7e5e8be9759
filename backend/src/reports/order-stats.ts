import type { Storage } from '../storage/open.ts';
import type { Day } from './calendar.ts';
import * as store from './order-stats-store.ts';

/** Statistics about the orders of an account, for the dashboard and the summary. */
export function createOrderStats({ storage: { read } }: { storage: Storage }) {
  return {
    byStatus: (accountId: string) => store.countByStatus(read, accountId),
    byDay: (accountId: string, days: readonly Day[]) => store.countByDay(read, accountId, days),
    failures: (accountId: string, span: Pick<Day, 'since' | 'until'>, limit: number) =>
      store.listFailures(read, accountId, span, limit),
    async due(accountId: string, day: string, limit: number) {
      const [counts, orders] = await Promise.all([
        store.countDue(read, accountId, day),
        store.listDue(read, accountId, day, limit),
      ]);
      return { ...counts, orders };
    },
    async summary(accountId: string, day: string) {
      const [byStatus, due, statusReset] = await Promise.all([
        store.countByStatus(read, accountId),
        store.countDue(read, accountId, day),
        store.countStatusResets(read, accountId),
      ]);
      return { byStatus, overdue: due.overdue, dueToday: due.today, statusReset };
    },
    byPrinter: (accountId: string) => store.countByPrinter(read, accountId),
    printing: (accountId: string, maxPerPrinter: number) => store.listPrinting(read, accountId, maxPerPrinter),
  };
}
