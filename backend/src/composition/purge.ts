import { DAY_MS } from '../../../common/src/clock.ts';
import { expiredTokens } from '../accounts/account-store.ts';
import { expiredSessions } from '../accounts/session-store.ts';
import { expiredEvents } from '../events/event-store.ts';
import type { JobHandlers } from '../jobs/jobs.ts';
import { expiredFiles } from '../leads/file-store.ts';
import { PER_ACCOUNT } from '../leads/lead.ts';
import { expiredTimes } from '../leads/lead-store.ts';
import { expiredAgents } from '../prints/agent-store.ts';
import { expiredRefusals } from '../prints/refused-report-store.ts';
import { expiredReports } from '../prints/report-store.ts';
import { emptyLog } from '../storage/empty-log.ts';
import { expiredKeys } from '../storage/idempotency/idempotency-store.ts';
import { KEY_LIFETIME_MS } from '../storage/idempotency/with-idempotency.ts';
import { purgeRows } from '../storage/purge.ts';
import { expiredDeliveries } from '../webhooks/delivery/delivery-store.ts';
import { expiredSubscriptions } from '../webhooks/subscriptions/deleted-store.ts';
import { DELETED_KEPT_MS, HISTORY_LENGTH } from '../webhooks/subscriptions/subscription.ts';
import { eraseExpiredSecrets } from '../webhooks/subscriptions/subscription-store.ts';
import type { Shared } from './parts.ts';

const YEAR_MS = 365 * DAY_MS;

/** How long data is kept that nobody deletes; documented in `docs/reference/retention.md`. */
const KEPT_MS = {
  events: 30 * DAY_MS,
  /** after they were revoked */
  revokedTokens: 30 * DAY_MS,
  /** after they expired: the console shows them until then */
  expiredTokens: YEAR_MS,
  reports: 2 * YEAR_MS,
  refusedReports: 30 * DAY_MS,
  /** after their request was archived */
  files: YEAR_MS,
};

/** Reports of each printer that are kept however old they are. */
const KEPT_REPORTS = 50;

/** Deletes what has expired, erases replaced secrets, and what is left of all deletions in SQLite's log. */
export const createPurge =
  ({ storage, clock }: Pick<Shared, 'storage' | 'clock'>): JobHandlers['purge'] =>
  async (isStopping) => {
    const now = clock();
    const revokedBefore = now - KEPT_MS.revokedTokens;
    for (const rows of [
      expiredEvents(now - KEPT_MS.events, HISTORY_LENGTH),
      expiredDeliveries(now - DELETED_KEPT_MS),
      expiredSubscriptions(now - DELETED_KEPT_MS),
      expiredKeys(now - KEY_LIFETIME_MS),
      expiredSessions(now),
      expiredTimes(now - PER_ACCOUNT.withinMs),
      expiredTokens(revokedBefore, now - KEPT_MS.expiredTokens),
      expiredAgents(revokedBefore),
      expiredReports(now - KEPT_MS.reports, KEPT_REPORTS),
      expiredRefusals(now - KEPT_MS.refusedReports),
      expiredFiles(now - KEPT_MS.files),
    ]) {
      await purgeRows(storage, rows, isStopping);
    }
    await storage.inTransaction(({ db }) => eraseExpiredSecrets(db, now));
    await emptyLog(storage);
  };
