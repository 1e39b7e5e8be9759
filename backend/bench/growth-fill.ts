import { DAY_MS } from '../../common/src/clock.ts';
import type { Actor } from '../src/accounts/token.ts';
import type { Farmboard } from '../src/main.ts';
import { type Db, databaseTime, isPostgres, query } from '../src/storage/dialect.ts';
import { OWNER } from './farm.ts';

/** Orders and everything that grows with them: three events, deliveries and history entries and one deduction each. */
export interface GrownFarm {
  token: string;
  /** session owner, to sign in to the console */
  email: string;
  orderId: string;
  printerId: string;
  filamentId: string;
  subscriptionId: string;
  /** an account with SMALL orders beside the large one */
  smallToken: string;
  smallOrderId: string;
}

/** orders of each small account */
const SMALL = 50;
const SMALL_ACCOUNTS = 20;
const CHUNK = 20_000;

/**
 * Equal work at every size: the newest orders, which the measured requests match, are the same. 300 are open, 100 due
 * in one week, 100 changed in the last hour, 200 on one printer, 20 have a rare word, and 10 a day were created in the
 * last 90 days. The others are closed orders of ten years.
 */
export const EQUAL = { open: 300, due: 100, changed: 100, onPrinter: 200, rare: 20, aDay: 10, days: 90 };
/** an event that EQUAL.rare orders raised */
export const RARE_EVENT = 'filament.low_stock';
/** the week in which EQUAL.due orders are due */
export const DUE = { after: '2026-12-06', before: '2026-12-14', day: '2026-12-10' };

/**
 * Fills an empty database.
 * @param size orders of the large account, at least 1,000
 * @param report called after each chunk with the number of orders inserted so far
 */
export async function fill(farmboard: Farmboard, size: number, report: (orders: number) => void): Promise<GrownFarm> {
  const { storage } = farmboard;
  const large = await createAccount(farmboard, 'large@bench.example');
  await insertOrders(farmboard, large, 1, size, report);
  const small: Account[] = [];
  for (let i = 0; i < SMALL_ACCOUNTS; i++) {
    const account = await createAccount(farmboard, `small-${i}@bench.example`);
    await insertOrders(farmboard, account, size + i * SMALL + 1, SMALL, () => undefined);
    small.push(account);
  }
  await storage.inTransaction(({ db }) => balance(db));
  if (isPostgres(storage.writer)) await storage.writer.raw('VACUUM ANALYZE');
  const smallest = small[0] as Account;
  return {
    token: large.token,
    email: large.actor.email,
    orderId: await someOrder(storage.read, large),
    printerId: large.printerIds[0] as string,
    filamentId: large.filamentIds[0] as string,
    subscriptionId: large.subscriptionId,
    smallToken: smallest.token,
    smallOrderId: await someOrder(storage.read, smallest),
  };
}

/** Books what the ledger has deducted, and numbers the next delivery. */
async function balance(db: Db): Promise<void> {
  const deducted = (column: string, table: string) =>
    `(SELECT coalesce(-sum(l.grams_mg), 0) FROM filament_ledger l WHERE l.kind = 'consumption' AND l.${column} = ${table}.id)`;
  await query(db, `UPDATE filament_batches SET used_mg = ${deducted('batch_id', 'filament_batches')}`);
  await query(db, `UPDATE filaments SET used_mg = ${deducted('filament_id', 'filaments')}`);
  await query(
    db,
    'UPDATE subscriptions SET last_sequence = (SELECT max(sequence) FROM deliveries d WHERE d.subscription_id = subscriptions.id)',
  );
}

interface Account {
  actor: Actor;
  token: string;
  printerIds: string[];
  filamentIds: string[];
  /** the batch of each filament */
  batchIds: string[];
  subscriptionId: string;
}

async function createAccount(farmboard: Farmboard, email: string): Promise<Account> {
  const { id: accountId } = await farmboard.accounts.createAccount({ ...OWNER, email, name: 'Bench' });
  const token = await farmboard.accounts.createToken({ email, passwordCheckedAt: null }, { name: 'bench' });
  const actor: Actor = {
    accountId,
    accountName: '',
    email,
    tokenId: '',
    tokenName: 'bench',
    tokenExpiresAt: null,
    passwordCheckedAt: null,
  };
  const printerIds: string[] = [];
  const filamentIds: string[] = [];
  for (let i = 0; i < 10; i++) {
    const { result: printer } = await farmboard.printers.create(
      actor,
      { name: `Printer ${i}`, model: 'MK4' },
      undefined,
    );
    printerIds.push(printer.id);
    const spool = { name: `Spool ${i}`, type_name: ['PLA', 'PETG', 'ABS'][i % 3], spool_count: 900_000 };
    const { result: filament } = await farmboard.filaments.create(actor, spool, undefined);
    filamentIds.push(filament.id);
  }
  const subscription = {
    url: 'http://127.0.0.1:9/',
    events: ['filament.low_stock'],
    format: 'signed' as const,
    enabled: false,
  };
  const { result } = await farmboard.webhooks.create(actor, subscription, undefined);
  const batches = await query<{ id: string }>(
    farmboard.storage.read,
    'SELECT b.id FROM filament_batches b JOIN filaments f ON f.id = b.filament_id WHERE f.account_id = ? ORDER BY f.created_at, f.id',
    [accountId],
  );
  return { actor, token, printerIds, filamentIds, batchIds: batches.map(({ id }) => id), subscriptionId: result.id };
}

const someOrder = async (db: Db, { actor }: Account): Promise<string> => {
  const [row] = await query<{ id: string }>(
    db,
    'SELECT id FROM orders WHERE account_id = ? ORDER BY created_at DESC, id DESC LIMIT 1 OFFSET 20',
    [actor.accountId],
  );
  return (row as { id: string }).id;
};

const TABLES = ['orders', 'history', 'events', 'deliveries', 'ledger'] as const;

/** The expression of an id that ascends with `n.i`, as version 7 does. @param step tells the rows of an order apart */
function idOf(db: Db, table: (typeof TABLES)[number], step = 0): string {
  const end = `7${step}00-8000-00000000000${TABLES.indexOf(table)}`;
  return isPostgres(db)
    ? `(lpad(to_hex(n.i / 65536), 8, '0') || '-' || lpad(to_hex(n.i % 65536), 4, '0') || '-${end}')`
    : `printf('%08x-%04x-${end}', n.i / 65536, n.i % 65536)`;
}

/** The expression of one of the given values in turn. */
const oneOf = (values: readonly string[]): string =>
  `CASE n.i % ${values.length} ${values.map((value, i) => `WHEN ${i} THEN '${value}'`).join(' ')} END`;

/** Rows of numbers `from` to `to` of an account that has `count`; `n.back` counts back from its newest, `last`. */
interface Chunk {
  db: Db;
  account: Account;
  from: number;
  to: number;
  count: number;
  last: number;
  /** the database's time, ms */
  now: number;
}

async function insertOrders(
  { storage }: Farmboard,
  account: Account,
  first: number,
  count: number,
  report: (orders: number) => void,
): Promise<void> {
  const last = first + count - 1;
  for (let from = first; from <= last; from += CHUNK) {
    const to = Math.min(from + CHUNK - 1, last);
    await storage.inTransaction(async ({ db }) => {
      const [{ now }] = (await query<{ now: number }>(db, `SELECT ${databaseTime(db)} AS now`)) as [{ now: number }];
      const chunk = { db, account, from, to, count, last, now };
      await insertOrderRows(chunk);
      for (const [step, status] of ['confirmed', 'assigned', 'closed'].entries()) {
        await insertHistory(chunk, step, status);
        await insertEventsAndDeliveries(chunk, step);
      }
      await insertLedger(chunk);
    });
    report(to);
  }
}

/** @param columns the expression of each column, over `n` and the joined tables */
const insert = ({ db, from, to, last }: Chunk, table: string, columns: Record<string, string>, join = '') =>
  query(
    db,
    `INSERT INTO ${table} (${Object.keys(columns).join(', ')})
     WITH RECURSIVE r (i) AS (SELECT CAST(${from} AS BIGINT) UNION ALL SELECT i + 1 FROM r WHERE i < ${to}),
       n (i, back) AS (SELECT i, ${last} - i FROM r)
     SELECT ${Object.values(columns).join(', ')} FROM n ${join}`,
  );

/** The first of the values for the newest orders, the others in turn for the rest. */
const newestAndOthers = ([newest, ...others]: readonly string[]): string =>
  `CASE WHEN n.back < ${EQUAL.onPrinter} THEN '${newest}' ELSE ${oneOf(others)} END`;

/** When an order was created, in ms. */
function creationOf({ now, count }: Chunk): string {
  const older = `CAST(${3650 - EQUAL.days} AS BIGINT) * ${DAY_MS} / ${Math.max(count, 1_000)} * n.back`;
  return `CASE WHEN n.back < ${EQUAL.days * EQUAL.aDay} THEN ${now} - n.back * ${DAY_MS / EQUAL.aDay}
    ELSE ${now - EQUAL.days * DAY_MS} - ${older} END`;
}

async function insertOrderRows(chunk: Chunk): Promise<void> {
  const { db, account, now } = chunk;
  const word = `CASE WHEN n.back BETWEEN 400 AND ${400 + EQUAL.rare - 1} THEN 'quokka' ELSE 'part' END`;
  const someDay = `CAST(2016 + n.i % 10 AS TEXT) || '-0' || CAST(1 + n.i % 9 AS TEXT) || '-1' || CAST(n.i % 10 AS TEXT)`;
  await insert(chunk, 'orders', {
    id: idOf(db, 'orders'),
    account_id: `'${account.actor.accountId}'`,
    model_name: `'Bracket ' || ${word} || n.i`,
    quantity_pieces: '3',
    material_name: "'PETG'",
    color_hex: "'#1E90FF'",
    material_mg: '123456',
    print_mh: '4500',
    due_date: `CASE WHEN n.back < ${EQUAL.due} THEN '${DUE.day}' ELSE ${someDay} END`,
    order_notes: "'a note of usual length about this order'",
    workflow_status: `CASE WHEN n.back < ${EQUAL.open} THEN ${oneOf(['assigned', 'printing', 'packing'])}
      WHEN n.back < ${EQUAL.open + 100} THEN 'done' ELSE 'closed' END`,
    printer_id: newestAndOthers(account.printerIds),
    customer_name: "'A customer'",
    price: '250000',
    currency: "'RUB'",
    search_text: `'bracket ' || ${word} || n.i || '\na note of usual length about this order\na customer'`,
    version: '4',
    created_at: creationOf(chunk),
    updated_at: `CASE WHEN n.back < ${EQUAL.changed} THEN ${now} - n.back * 1000 ELSE ${creationOf(chunk)} END`,
  });
}

const insertHistory = (chunk: Chunk, step: number, status: string) =>
  insert(chunk, 'order_history', {
    id: idOf(chunk.db, 'history', step),
    order_id: idOf(chunk.db, 'orders'),
    account_id: `'${chunk.account.actor.accountId}'`,
    kind: step === 0 ? "'created'" : "'status_changed'",
    at: `${creationOf(chunk)} + ${step}`,
    actor: "'bench'",
    to_status: `'${status}'`,
  });

async function insertEventsAndDeliveries(chunk: Chunk, step: number): Promise<void> {
  const { db, account, now, count } = chunk;
  const orderId = idOf(db, 'orders');
  const eventId = idOf(db, 'events', step);
  const created = `CASE WHEN n.back < ${EQUAL.rare} THEN '${RARE_EVENT}' ELSE 'order.created' END`;
  await insert(chunk, 'events', {
    id: eventId,
    account_id: `'${account.actor.accountId}'`,
    event: step === 0 ? created : "'order.status_changed'",
    subject: orderId,
    // within the retention
    occurred_at: `${now} - n.back * ${Math.floor((20 * DAY_MS) / Math.max(count, 1_000))}`,
    body: `'{"event":"order.status_changed","data":{"id":"' || ${orderId} || '","order_notes":"${'a note '.repeat(60)}"}}'`,
  });
  const delivery = {
    id: idOf(db, 'deliveries', step),
    subscription_id: `'${account.subscriptionId}'`,
    event_seq: 'e.seq',
    subject: 'e.subject',
    state: "'succeeded'",
    committed_at: 'e.occurred_at',
    sequence: `n.i * 3 + ${step}`,
    attempted_at: 'e.occurred_at',
    duration_ms: '12',
    response_status: '204',
  };
  await insert(chunk, 'deliveries', delivery, `JOIN events e ON e.id = ${eventId}`);
}

const insertLedger = (chunk: Chunk) =>
  insert(chunk, 'filament_ledger', {
    id: idOf(chunk.db, 'ledger'),
    filament_id: newestAndOthers(chunk.account.filamentIds),
    batch_id: newestAndOthers(chunk.account.batchIds),
    kind: "'consumption'",
    grams_mg: '-123456',
    cost_minor: '100',
    order_id: idOf(chunk.db, 'orders'),
    actor: "'bench'",
    at: creationOf(chunk),
  });
