import { sha256 } from '../../../common/src/crypto.ts';
import { type Db, placeholders, query } from '../storage/dialect.ts';
import { SAMPLE_SERIES, STRUCK_REASONS } from './invoice.ts';

/** Violated invariants of the stored invoices, of all accounts, one sentence each. Reads only. */
export async function findInvoiceFaults(db: Db): Promise<string[]> {
  return [
    ...(await gapsInNumbers(db)),
    ...(await differingSums(db)),
    ...(await differingTotals(db)),
    ...(await changedDocuments(db)),
    ...(await wronglyPaid(db)),
  ];
}

/** The invoice numbers of an account and year are consecutive from 1 and unique. Samples are not counted. */
async function gapsInNumbers(db: Db): Promise<string[]> {
  const rows = await query<{ account_id: string; year: number; last_number: number; n: number; most: number }>(
    db,
    `SELECT * FROM (
       SELECT c.account_id, c.year, c.last_number, count(i.id) AS n, coalesce(max(i.number_place), 0) AS most FROM invoice_counters c
       LEFT JOIN invoices i ON i.account_id = c.account_id AND i.number_year = c.year
       GROUP BY c.account_id, c.year, c.last_number) s
     WHERE s.n <> s.last_number OR s.most <> s.last_number ORDER BY s.account_id, s.year`,
  );
  const uncounted = await query<{ id: string; number: string }>(
    db,
    `SELECT id, number FROM invoices i WHERE number IS NOT NULL
       AND NOT (number_year IS NULL AND number LIKE '${SAMPLE_SERIES}%') AND NOT EXISTS (
       SELECT 1 FROM invoice_counters c WHERE c.account_id = i.account_id AND c.year = i.number_year AND c.last_number >= i.number_place)`,
  );
  return [
    ...rows.map(
      (row) =>
        `Account ${row.account_id} assigned ${row.last_number} invoice numbers in ${row.year}, but has ${row.n} up to ${row.most}.`,
    ),
    ...uncounted.map(({ id, number }) => `Invoice ${id} has the number ${number}, which was never assigned.`),
  ];
}

/** The received amount is the sum of payments less refunds, in the invoice's currency. */
async function differingSums(db: Db): Promise<string[]> {
  const rows = await query<{ id: string; received_minor: number; moved: number }>(
    db,
    `SELECT * FROM (
       SELECT i.id, i.received_minor, coalesce(p.moved, 0) AS moved FROM invoices i
       LEFT JOIN (SELECT invoice_id, CAST(sum(CASE WHEN kind = 'payment' THEN amount_minor ELSE -amount_minor END) AS BIGINT) AS moved
         FROM invoice_payments WHERE counts = 1 GROUP BY invoice_id) p ON p.invoice_id = i.id) s
     WHERE s.received_minor <> s.moved ORDER BY s.id`,
  );
  const stray = await query<{ id: string }>(
    db,
    `SELECT p.id FROM invoice_payments p LEFT JOIN invoices i ON i.id = p.invoice_id
     WHERE p.counts <> CASE WHEN i.currency = p.currency AND coalesce(p.reason, '') NOT IN ${placeholders(1, STRUCK_REASONS.length)} THEN 1 ELSE 0 END
       OR (i.id IS NOT NULL AND i.account_id <> p.account_id)
     ORDER BY p.seq`,
    [...STRUCK_REASONS],
  );
  return [
    ...rows.map(
      (row) =>
        `Invoice ${row.id} says ${row.received_minor} received, but its payments minus refunds are ${row.moved}.`,
    ),
    ...stray.map(({ id }) => `Payment ${id} is counted for the wrong invoice, or for none.`),
  ];
}

async function differingTotals(db: Db): Promise<string[]> {
  const rows = await query<{ id: string; total_minor: number; lines: number }>(
    db,
    `SELECT * FROM (
       SELECT i.id, i.total_minor, coalesce(l.total, 0) AS lines FROM invoices i
       LEFT JOIN (SELECT invoice_id, CAST(sum(quantity * unit_price_minor) AS BIGINT) AS total FROM invoice_lines GROUP BY invoice_id) l
         ON l.invoice_id = i.id) s
     WHERE s.total_minor <> s.lines ORDER BY s.id`,
  );
  return rows.map(
    (row) => `Invoice ${row.id} has a total of ${row.total_minor}, but its lines add up to ${row.lines}.`,
  );
}

const PAGE = 200;

/** An issued document is unchanged and has the number and total of its invoice. */
async function changedDocuments(db: Db): Promise<string[]> {
  const faults: string[] = [];
  let after = '';
  for (;;) {
    const rows = await query<{
      id: string;
      number: string;
      total_minor: number;
      document: string;
      document_sha256: string;
    }>(
      db,
      `SELECT id, number, total_minor, document, document_sha256 FROM invoices WHERE document IS NOT NULL AND id > ? ORDER BY id LIMIT ${PAGE}`,
      [after],
    );
    for (const { id, number, total_minor, document, document_sha256 } of rows) {
      if (sha256(document) !== document_sha256)
        faults.push(`The document of invoice ${id} was changed after it was issued.`);
      else {
        const said = JSON.parse(document) as { number: string; total: number };
        if (said.number !== number || said.total !== total_minor) {
          faults.push(
            `Invoice ${id} says ${number} and ${total_minor}, its document ${said.number} and ${said.total}.`,
          );
        }
      }
    }
    const last = rows[PAGE - 1];
    if (!last) return faults;
    after = last.id;
  }
}

/** An invoice is paid exactly if it received its total once. */
async function wronglyPaid(db: Db): Promise<string[]> {
  const rows = await query<{ id: string }>(
    db,
    `SELECT id FROM invoices WHERE (state = 'draft' AND (paid_at IS NOT NULL OR received_minor <> 0))
       OR (state = 'issued' AND paid_at IS NULL AND received_minor >= total_minor) ORDER BY id`,
  );
  return rows.map(({ id }) => `Invoice ${id} is marked as paid but isn't, or is paid but isn't marked so.`);
}
