import { sha256 } from '../../../../common/src/crypto.ts';
import { type Db, query } from '../dialect.ts';

/** Payment notifications that name an invoice by its payment link were stored with the link in plain. */
export async function up(db: Db): Promise<void> {
  const rows = await query<{ seq: number; named_invoice: string | null; raw: string | null }>(
    db,
    "SELECT seq, named_invoice, raw FROM invoice_payments WHERE raw LIKE '%pay!_%' ESCAPE '!' OR named_invoice LIKE '%pay!_%' ESCAPE '!'",
  );
  const hashed = (text: string | null) =>
    text?.replace(/pay_[0-9a-z]+/gi, (token) => `sha256:${sha256(token)}`) ?? null;
  for (const { seq, named_invoice, raw } of rows) {
    await query(db, 'UPDATE invoice_payments SET named_invoice = ?, raw = ? WHERE seq = ?', [
      hashed(named_invoice),
      hashed(raw),
      seq,
    ]);
  }
}
