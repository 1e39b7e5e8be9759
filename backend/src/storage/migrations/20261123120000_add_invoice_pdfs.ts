import { type Db, query } from '../dialect.ts';

/** Adds the rendered PDFs of issued invoices, as base64 text like all files. */
export async function up(db: Db): Promise<void> {
  await query(
    db,
    `CREATE TABLE invoice_pdfs (
      invoice_id TEXT PRIMARY KEY REFERENCES invoices (id) ON DELETE CASCADE,
      content TEXT NOT NULL
    )`,
  );
}
