/**
 * Conventions of all tables. Ids are UUIDs as text. Times are ms since 1970 (`…_at`). Quantities are integers of a
 * small unit: milligrams (`…_mg`), thousandths of an hour (`…_mh`), minor units of money. Flags are 0 and 1.
 */
export const ACCOUNT = 'account_id TEXT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE';
