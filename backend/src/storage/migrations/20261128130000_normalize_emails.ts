import { type Db, query } from '../dialect.ts';

/** Accounts are found by NFC; earlier releases stored email addresses as they were typed. */
export async function up(db: Db): Promise<void> {
  const accounts = await query<{ id: string; email: string }>(db, 'SELECT id, email FROM accounts');
  const taken = new Set(accounts.map(({ email }) => email));
  for (const { id, email } of accounts) {
    const normalized = email.normalize('NFC');
    // of two accounts with the same address in NFC, one can have it
    if (taken.has(normalized)) continue;
    taken.add(normalized);
    await query(db, 'UPDATE accounts SET email = ? WHERE id = ?', [normalized, id]);
  }
}
