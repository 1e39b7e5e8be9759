import { type Db, query } from '../storage/dialect.ts';

export interface PrintsOfPrinter {
  printer_id: string;
  printer_name: string;
  finished: number;
  failed: number;
  cancelled: number;
}

/**
 * Counts ended prints by printer, those with the most failures first. Held failures, which may be cancelled prints, are
 * not counted yet.
 * @param span milliseconds; `until` is exclusive
 */
export const countPrints = (
  db: Db,
  accountId: string,
  { since, until }: { since: number; until: number },
  limit: number,
): Promise<PrintsOfPrinter[]> => {
  const count = (outcome: string) => `count(CASE WHEN r.outcome = '${outcome}' THEN 1 END) AS ${outcome}`;
  return query<PrintsOfPrinter>(
    db,
    `SELECT r.printer_id, min(p.name) AS printer_name, ${['finished', 'failed', 'cancelled'].map(count).join(', ')}
     FROM print_reports r JOIN printers p ON p.id = r.printer_id
     WHERE r.account_id = ? AND r.at >= ? AND r.at < ? AND r.held_until IS NULL
     GROUP BY r.printer_id ORDER BY failed DESC, finished DESC, min(p.name), r.printer_id LIMIT ?`,
    [accountId, since, until, limit],
  );
};
