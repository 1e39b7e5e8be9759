import { countedTotal, ORDER_COUNTS } from './counters.ts';
import { containsPattern, type Db, isPostgres, query, queryOne, type Value } from './dialect.ts';
import type { PageQuery } from './page.ts';

/** Fewer orders are searched by reading their texts, so that texts of other accounts cost a small one nothing. */
const MIN_ORDERS = 2_000;
/** An order that the index finds costs as much as reading about this many in turn. */
const LOOKUP_COST = 20;
const MAX_FOUND = 10_000;
/** Parts of a long text that are looked up in the index, which suffices to find few orders. */
const MAX_TRIGRAMS = 16;

/**
 * The parts of a search, in lower case, each of which must be somewhere in the text: its words, in any order. A number
 * belongs to the word before it, so "Part 77" doesn't find Part 177.
 */
const toTerms = (search: string): string[] =>
  search
    .toLowerCase()
    .replace(/\s+/g, ' ')
    .trim()
    .split(/ (?!\d)/)
    .filter((term) => term !== '');

/** That a row `t` has every part of a search in its column `search_text`, which is in lower case; no condition without one. */
export function matchesText(search = ''): { where: string[]; values: string[] } {
  const terms = toTerms(search);
  return { where: terms.map(() => "t.search_text LIKE ? ESCAPE '!'"), values: terms.map(containsPattern) };
}

export interface Found {
  /** conditions on the joined tables and `orders t` */
  where: string[];
  values: Value[];
  plan: Pick<PageQuery, 'via' | 'key'>;
}

const ALL: Found = { where: [], values: [], plan: {} };

/**
 * On SQLite, how a search reads those orders only that contain all its trigrams. The index has the orders of all
 * accounts, and the trigrams may be anywhere in an order, so further conditions choose from them.
 * @returns nothing if reading all orders of the account costs less, or the words are too short
 */
export async function findByTrigrams(db: Db, accountId: string, search: string): Promise<Found> {
  const trigrams = toTrigrams(toTerms(search));
  if (isPostgres(db) || trigrams.length === 0) return ALL;
  const count = countedTotal(ORDER_COUNTS, { account_id: accountId });
  const orders = (await queryOne<{ n: number }>(db, `SELECT ${count.sql} AS n`, count.values))?.n ?? 0;
  if (orders < MIN_ORDERS) return ALL;
  const match = trigrams.join(' AND ');
  const few = Math.min(MAX_FOUND, Math.floor(orders / LOOKUP_COST));
  const found = await queryOne<{ n: number }>(
    db,
    'SELECT count(*) AS n FROM (SELECT 1 FROM order_search WHERE order_search MATCH ? LIMIT ?)',
    [match, few],
  );
  if (found?.n === few) return ALL;
  return {
    where: ['s.order_search MATCH ?', 't.id = k.order_id'],
    values: [match],
    // SQLite keeps the order of a CROSS JOIN
    plan: { via: 'order_search s CROSS JOIN order_search_keys k ON k.n = s.rowid CROSS JOIN', key: 'id' },
  };
}

/** Some of the three consecutive characters in each text, quoted for FTS5. */
function toTrigrams(texts: string[]): string[] {
  const all = texts.flatMap((text) => {
    const characters = [...text];
    return characters.slice(2).map((_, i) => characters.slice(i, i + 3).join(''));
  });
  const step = Math.ceil(all.length / MAX_TRIGRAMS);
  const some = all.filter((_, i) => i % step === 0);
  return [...new Set(some)].map((trigram) => `"${trigram.replaceAll('"', '""')}"`);
}

export const NO_SEARCH_INDEX =
  'Searches in orders have no index, because the extension pg_trgm was not available. They work, but become slower with the number of orders. docs/reference/processes.md says how to create the index.';

/** Whether searches have an index, which on PostgreSQL needs an extension. */
export async function hasSearchIndex(db: Db): Promise<boolean> {
  if (!isPostgres(db)) return true;
  return (
    (await query(db, "SELECT 1 FROM pg_index WHERE indexrelid = to_regclass('orders_search') AND indisvalid")).length >
    0
  );
}
