import fc from 'fast-check';
import { insertTestAccount, openTestStorage } from '../../../test/kit/storage.ts';
import { holdCurrency } from '../accounts/account-store.ts';
import type { Actor } from '../accounts/token.ts';
import type { EventName } from '../events/catalogue.ts';
import { createOutbox, type NewEvent } from '../events/outbox.ts';
import { createWithIdempotency } from '../idempotency/with-idempotency.ts';
import { createOrderService } from '../orders/order-service.ts';
import { holdPrinter } from '../printers/printer-store.ts';
import { DAY_MS } from '../shared/clock.ts';
import { DomainError } from '../shared/errors.ts';
import { newId } from '../shared/ids.ts';
import { query } from '../storage/dialect.ts';
import type { Storage } from '../storage/open.ts';
import { insertDeliveries } from '../webhooks/delivery/delivery-store.ts';
import type { LedgerEntry } from './filament.ts';
import { createFilamentService, type FilamentService } from './filament-service.ts';

const START = Date.UTC(2026, 10, 21, 12);
const page = { page: 1, per_page: 200 };

let storage: Storage;
let now: number;
let actor: Actor;
let events: NewEvent<EventName>[];
let orders: ReturnType<typeof createOrderService>;
let filaments: FilamentService;

beforeAll(async () => {
  storage = await openTestStorage();
});
afterAll(() => storage.close());

beforeEach(async () => {
  now = START;
  events = [];
  const accountId = await insertTestAccount(storage);
  actor = { accountId, accountName: 'Farm', email: 'a@b.c', tokenId: newId(), tokenName: 'n8n', tokenExpiresAt: null };
  const clock = () => now;
  const withIdempotency = createWithIdempotency({ storage, clock });
  const outbox = createOutbox({ insertDeliveries, wake: () => {} });
  const append: typeof outbox.append = async (tx, event) => {
    events.push(event as NewEvent<EventName>);
    await outbox.append(tx, event);
  };
  orders = createOrderService({ storage, clock, withIdempotency, append, holdPrinter });
  filaments = createFilamentService({
    storage,
    clock,
    withIdempotency,
    append,
    recordConsumption: orders.recordConsumption,
    holdOrder: orders.holdOrder,
    holdPrinter,
    holdCurrency,
  });
});

// the stored stock must be consistent after every test
afterEach(async () => expect(await filaments.check(storage.read)).toEqual([]));

const create = async (input: Partial<Parameters<FilamentService['create']>[1]> = {}) =>
  (await filaments.create(actor, { name: 'PLA', spool_weight_grams: 100, ...input }, undefined)).result;
const receive = async (id: string, input: Parameters<FilamentService['addBatch']>[2]) =>
  (await filaments.addBatch(actor, id, input, undefined)).result;
const take = async (id: string, grams: number, more: object = {}) =>
  (await filaments.consume(actor, id, { grams, ...more }, undefined)).result;
const undo = async (id: string, entryId: string) => (await filaments.undo(actor, id, entryId, {}, undefined)).result;
const count = async (id: string, remaining_grams: number, more: object = {}) =>
  (await filaments.stocktake(actor, id, { remaining_grams, ...more }, undefined)).result;
const ledger = async (id: string) => (await filaments.ledger(actor.accountId, id, page)).items;
const newest = async (id: string) => (await ledger(id))[0] as LedgerEntry;
/** Used grams by batch, in the order in which they were entered. */
const usedByBatch = async (id: string) =>
  (await filaments.batches(actor.accountId, id, page)).items.map((batch) => batch.used_grams).reverse();
const lows = () => events.map(({ event, data }) => [event, (data as { remaining_grams: number }).remaining_grams]);

const failure = (promise: Promise<unknown>): Promise<DomainError> =>
  promise.then(
    () => Promise.reject(new Error('should have failed')),
    (error: unknown) => {
      if (error instanceof DomainError) return error;
      throw error;
    },
  );

describe('an undo', () => {
  test('reverses a consumption in all its batches, to the milligram, with its cost and in its order', async () => {
    const { order } = (await orders.create(actor, { model_name: 'Vase' }, undefined)).result;
    const { id } = await create({ spool_count: 1, spool_price_rub: 100 });
    await receive(id, { spool_count: 1, spool_price_rub: 200, received_at: START + 1 });
    const before = await filaments.get(actor.accountId, id);
    await take(id, 133.337, { order_id: order.id, note: 'two plates' });
    const [younger, older] = await ledger(id);
    expect(older?.booking_id).toBe(younger?.booking_id);
    // undoing either entry undoes both
    const after = await undo(id, older!.id);
    expect(after).toEqual({ ...before, updated_at: after.updated_at });
    expect(await usedByBatch(id)).toEqual([0, 0]);
    const lines = await ledger(id);
    expect(lines.slice(0, 2)).toMatchObject([
      { kind: 'undo', undoes_id: younger?.id, grams: 33.337, cost_rub: -66.67, order_id: order.id, overdraw: false },
      { kind: 'undo', undoes_id: older?.id, grams: 100, cost_rub: -100, order_id: order.id, undone_by_id: null },
    ]);
    expect(lines[2]?.undone_by_id).toBe(lines[0]?.id);
    expect(lines[3]?.undone_by_id).toBe(lines[1]?.id);
    const history = (await orders.history(actor.accountId, order.id, page)).items;
    expect(history.slice(0, 2)).toMatchObject([
      { kind: 'consumption', grams: -133.337, cost_rub: -166.67, filament_id: id },
      { kind: 'consumption', grams: 133.337, cost_rub: 166.67, filament_id: id },
    ]);
  });

  test('happens once, also with 50 concurrent requests', async () => {
    const { id } = await create({ spool_count: 2 });
    // enough is used that undoing would be possible more than once
    await take(id, 120);
    await take(id, 30);
    const entry = await newest(id);
    const results = await Promise.allSettled(Array.from({ length: 50 }, () => undo(id, entry.id)));
    const late = results.filter((result) => result.status === 'rejected');
    expect(late).toHaveLength(49);
    for (const { reason } of late) expect((reason as DomainError).message).toBe('This entry has already been undone.');
    expect(await filaments.get(actor.accountId, id)).toMatchObject({ used_grams: 120 });
    expect((await ledger(id)).filter(({ kind }) => kind === 'undo')).toHaveLength(1);
  });

  test('is limited to once by the database too', async () => {
    const { id } = await create({ spool_count: 1 });
    await take(id, 30);
    await undo(id, (await newest(id)).id);
    const columns = 'filament_id, batch_id, kind, grams_mg, undoes_id, actor, at';
    await expect(
      storage.inTransaction(({ db }) =>
        query(
          db,
          `INSERT INTO filament_ledger (id, ${columns}) SELECT 'x', ${columns} FROM filament_ledger WHERE kind = 'undo' AND filament_id = ?`,
          [id],
        ),
      ),
    ).rejects.toThrow(/unique/i);
  });

  test('repeated with one idempotency key happens once and gets the same response', async () => {
    const { id } = await create({ spool_count: 1 });
    await take(id, 30);
    const { id: entryId } = await newest(id);
    const key = { key: 'k', hash: 'h' };
    const first = await filaments.undo(actor, id, entryId, {}, key);
    expect(await filaments.undo(actor, id, entryId, {}, key)).toEqual({ result: first.result, replayed: true });
  });

  test('of an overdraw removes the review mark; of part of it keeps it', async () => {
    const { id } = await create({ spool_count: 1 });
    await take(id, 90);
    await take(id, 20, { allow_overdraw: true });
    const first = await newest(id);
    await take(id, 5, { allow_overdraw: true });
    const second = await newest(id);
    expect(await undo(id, second.id)).toMatchObject({ remaining_grams: -10, needs_review: true });
    expect(await undo(id, first.id)).toMatchObject({ remaining_grams: 10, needs_review: false });
  });

  test('of a receipt removes the spools, but only while none of them is used', async () => {
    const { id } = await create({ spool_count: 1, low_stock_threshold_grams: 150, spool_price_rub: 5 });
    const { id: batchId } = await receive(id, { spool_count: 2, spool_price_rub: 7, received_at: START - DAY_MS });
    const receipt = await newest(id);
    await take(id, 1);
    const use = await newest(id);
    expect((await failure(undo(id, receipt.id))).code).toBe('validation_error');
    await undo(id, use.id);
    expect(events).toEqual([]);
    const after = await undo(id, receipt.id);
    expect(after).toMatchObject({ spool_count: 1, remaining_grams: 100, spool_price_rub: 5, is_low_stock: true });
    // the stock fell to the threshold
    expect(lows()).toEqual([['filament.low_stock', 100]]);
    expect(await newest(id)).toMatchObject({ kind: 'undo', grams: -200, cost_rub: -14, undoes_id: receipt.id });
    expect((await filaments.batch(actor.accountId, id, batchId)).archived_at).not.toBeNull();
    expect((await failure(undo(id, receipt.id))).message).toBe('This entry has already been undone.');
  });

  test('cannot be undone, and is not found under another filament or account', async () => {
    const { id } = await create({ spool_count: 1 });
    const other = await create({ name: 'other', spool_count: 1 });
    await take(id, 10);
    const use = await newest(id);
    expect((await failure(undo(other.id, use.id))).code).toBe('not_found');
    expect((await failure(undo(id, newId()))).code).toBe('not_found');
    const stranger = { ...actor, accountId: await insertTestAccount(storage) };
    expect((await failure(filaments.undo(stranger, id, use.id, {}, undefined))).code).toBe('not_found');
    await undo(id, use.id);
    expect((await failure(undo(id, (await newest(id)).id))).message).toContain('is itself an undo');
  });

  test('lets low stock be sent again once the stock is above the threshold', async () => {
    const { id } = await create({ spool_count: 1, low_stock_threshold_grams: 50 });
    await take(id, 60);
    await undo(id, (await newest(id)).id);
    await take(id, 70);
    expect(lows()).toEqual([
      ['filament.low_stock', 40],
      ['filament.low_stock', 30],
    ]);
  });

  test('is refused if a stocktake has already returned the grams', async () => {
    const { id } = await create({ spool_count: 1 });
    await take(id, 30);
    const use = await newest(id);
    await count(id, 95);
    expect((await failure(undo(id, use.id))).message).toContain('Undo the stocktake first');
    await undo(id, (await newest(id)).id);
    expect(await undo(id, use.id)).toMatchObject({ used_grams: 0 });
  });

  test('works for a deleted order', async () => {
    const { order } = (await orders.create(actor, { model_name: 'Vase' }, undefined)).result;
    const { id } = await create({ spool_count: 1 });
    await take(id, 10, { order_id: order.id });
    await orders.remove(actor, order.id, undefined);
    expect(await undo(id, (await newest(id)).id)).toMatchObject({ used_grams: 0 });
  });
});

describe('a stocktake', () => {
  test('deducts missing grams first in, first out, with their cost and a note', async () => {
    const { id } = await create({ spool_count: 1, spool_price_rub: 100, low_stock_threshold_grams: 60 });
    await receive(id, { spool_count: 1, spool_price_rub: 200, received_at: START + 1 });
    expect(await count(id, 42.5, { note: 'weighed' })).toMatchObject({ remaining_grams: 42.5, is_low_stock: true });
    expect(await usedByBatch(id)).toEqual([100, 57.5]);
    expect((await ledger(id)).slice(0, 2)).toMatchObject([
      { kind: 'adjustment', grams: -57.5, cost_rub: 115, note: 'weighed', overdraw: false },
      { kind: 'adjustment', grams: -100, cost_rub: 100, note: 'weighed' },
    ]);
    expect(lows()).toEqual([['filament.low_stock', 42.5]]);
  });

  test('returns surplus grams to the batch used last, then to those before it, and no more than they held', async () => {
    const { id } = await create({ spool_count: 1 });
    await receive(id, { spool_count: 1, received_at: START + 1 });
    await receive(id, { spool_count: 1, received_at: START + 2 });
    await take(id, 150);
    await count(id, 210);
    expect(await usedByBatch(id)).toEqual([90, 0, 0]);
    const refused = await failure(count(id, 300.001));
    expect(refused.faults).toMatchObject([{ pointer: '/remaining_grams' }]);
    expect(refused.message).toContain('300 g). Add a batch');
    expect(await usedByBatch(id)).toEqual([90, 0, 0]);
    expect(await count(id, 300)).toMatchObject({ used_grams: 0 });
  });

  test('of one batch does not change the others', async () => {
    const { id } = await create({ spool_count: 1 });
    const second = await receive(id, { spool_count: 1, received_at: START + 1 });
    expect(await count(id, 30, { batch_id: second.id })).toMatchObject({ remaining_grams: 130 });
    expect(await usedByBatch(id)).toEqual([0, 70]);
    expect((await failure(count(id, 101, { batch_id: second.id }))).code).toBe('validation_error');
    expect((await failure(count(id, 1, { batch_id: newId() }))).faults).toMatchObject([{ pointer: '/batch_id' }]);
  });

  test('sets overdrawn batches to zero, whatever is counted', async () => {
    const { id } = await create({ spool_count: 1 });
    await take(id, 110, { allow_overdraw: true });
    await receive(id, { spool_count: 1, received_at: START + 1 });
    // the count equals the remaining grams, but a batch was overdrawn
    expect(await count(id, 90)).toMatchObject({ remaining_grams: 90, needs_review: false });
    expect(await usedByBatch(id)).toEqual([100, 10]);
  });

  test('that equals the stock on record writes nothing', async () => {
    const created = await create({ spool_count: 1 });
    expect(await count(created.id, 100)).toEqual(created);
    expect(await ledger(created.id)).toHaveLength(1);
    const empty = await create();
    expect(await count(empty.id, 0)).toEqual(empty);
    expect((await failure(count(empty.id, 1))).message).toContain('Add a batch');
  });

  test('can be undone', async () => {
    const { id } = await create({ spool_count: 1 });
    await take(id, 10);
    await count(id, 20);
    expect(await undo(id, (await newest(id)).id)).toMatchObject({ remaining_grams: 90 });
  });
});

describe('a change', () => {
  test('writes the sent fields, and the filament is found by its new name', async () => {
    const created = await create({ spool_count: 1 });
    now += 1;
    const fields = {
      name: 'ÄNDERUNG',
      brand: 'Prusament',
      type_name: 'PETG',
      colors: ['#FF0000', '#00FF00'],
      is_gradient: true,
    };
    const changed = await filaments.update(actor, created.id, fields);
    expect(changed).toEqual({ ...created, ...fields, updated_at: '2026-11-21T12:00:00.001Z' });
    now += 1;
    expect(await filaments.update(actor, created.id, { name: 'ÄNDERUNG' })).toEqual(changed);
    const found = await filaments.list(actor.accountId, { q: 'änderung' }, page);
    expect(found.items.map(({ id }) => id)).toEqual([created.id]);
    expect((await failure(filaments.update({ ...actor, accountId: newId() }, created.id, {}))).code).toBe('not_found');
  });

  test('of the spool weight is refused if there is a batch, even an archived one', async () => {
    const { id } = await create();
    expect(await filaments.update(actor, id, { spool_weight_grams: 750.5 })).toMatchObject({
      spool_weight_grams: 750.5,
    });
    await receive(id, { spool_count: 1 });
    const refused = await failure(filaments.update(actor, id, { spool_weight_grams: 750 }));
    expect(refused.faults).toMatchObject([{ pointer: '/spool_weight_grams' }]);
    expect(await filaments.update(actor, id, { spool_weight_grams: 750.5, brand: 'x' })).toMatchObject({ brand: 'x' });
    await undo(id, (await newest(id)).id);
    expect((await failure(filaments.update(actor, id, { spool_weight_grams: 750 }))).code).toBe('validation_error');
  });

  test('of the threshold sends low stock if the stock becomes low, and allows it again if it does not stay low', async () => {
    const { id } = await create({ spool_count: 1 });
    await filaments.update(actor, id, { low_stock_threshold_grams: 99.999 });
    expect(lows()).toEqual([]);
    expect(await filaments.update(actor, id, { low_stock_threshold_grams: 100 })).toMatchObject({ is_low_stock: true });
    expect(lows()).toEqual([['filament.low_stock', 100]]);
    // low already
    await filaments.update(actor, id, { low_stock_threshold_grams: 500 });
    expect(lows()).toHaveLength(1);
    await filaments.update(actor, id, { low_stock_threshold_grams: null });
    await filaments.update(actor, id, { low_stock_threshold_grams: 90, name: 'renamed' });
    await take(id, 10);
    expect(events[1]?.data).toEqual({ filament_id: id, name: 'renamed', remaining_grams: 90, threshold_grams: 90 });
  });
});

test('deleting a filament deletes its ledger and keeps the history of orders', async () => {
  const { order } = (await orders.create(actor, { model_name: 'Vase' }, undefined)).result;
  const { id } = await create({ spool_count: 1 });
  await take(id, 10, { order_id: order.id });
  await filaments.remove(actor, id);
  expect((await failure(filaments.get(actor.accountId, id))).code).toBe('not_found');
  expect((await failure(filaments.remove(actor, id))).code).toBe('not_found');
  expect(await query(storage.read, 'SELECT id FROM filament_ledger WHERE filament_id = ?', [id])).toEqual([]);
  expect((await orders.history(actor.accountId, order.id, page)).items[0]).toMatchObject({
    grams: 10,
    filament_id: id,
  });
});

describe('usage', () => {
  test('is counted by UTC day, without undone entries and stocktakes', async () => {
    const black = await create({ name: 'Black', colors: ['#000000'], spool_count: 10 });
    const white = await create({ name: 'White', spool_count: 10 });
    now = Date.UTC(2026, 10, 20, 23, 59, 59, 999);
    await take(black.id, 1.5);
    now += 1;
    await take(black.id, 2);
    await take(black.id, 3.25);
    await take(white.id, 90);
    await take(black.id, 400);
    await undo(black.id, (await newest(black.id)).id);
    await count(black.id, 500);
    const days = [
      { day: '2026-11-20', grams: 1.5 },
      { day: '2026-11-21', grams: 5.25 },
    ];
    const of = { filament_id: black.id, name: 'Black', colors: ['#000000'], grams: 6.75, days };
    const { from, to, items } = await filaments.usage(actor.accountId, 30, undefined);
    expect([from, to]).toEqual(['2026-10-23', '2026-11-21']);
    expect(items).toMatchObject([{ name: 'White', grams: 90 }, of]);
    expect((await filaments.usage(actor.accountId, 30, black.id)).items).toEqual([of]);
    now += 29 * DAY_MS;
    expect((await filaments.usage(actor.accountId, 30, black.id)).items).toMatchObject([{ grams: 5.25 }]);
    expect((await filaments.usage(await insertTestAccount(storage), 365, undefined)).items).toEqual([]);
    expect((await filaments.usage(await insertTestAccount(storage), 365, black.id)).items).toEqual([]);
  });

  test('lists twelve filaments and then the sum of the others', async () => {
    for (let n = 1; n <= 15; n++) {
      const { id } = await create({ name: `F${n}`, spool_count: 10 });
      await take(id, n);
    }
    const { items } = await filaments.usage(actor.accountId, 90, undefined);
    expect(items.map(({ name, grams }) => [name, grams])).toEqual([
      ...Array.from({ length: 12 }, (_, i) => [`F${15 - i}`, 15 - i]),
      [null, 6],
    ]);
  });
});

test('after any sequence of receipts, consumptions, undos and stocktakes, the ledger adds up and no batch holds more than it received', async () => {
  const grams = fc.integer({ min: 1, max: 250_000 }).map((mg) => mg / 1000);
  const step = fc.oneof(
    { weight: 4, arbitrary: fc.record({ do: fc.constant('use' as const), grams, overdraw: fc.boolean() }) },
    {
      weight: 1,
      arbitrary: fc.record({
        do: fc.constant('receive' as const),
        spools: fc.integer({ min: 1, max: 3 }),
        age: fc.integer({ min: -3, max: 3 }),
      }),
    },
    { weight: 3, arbitrary: fc.record({ do: fc.constant('undo' as const), which: fc.nat(30) }) },
    {
      // half of them are refused
      weight: 5,
      arbitrary: fc.record({
        do: fc.constant('count' as const),
        grams: fc.integer({ min: 0, max: 500_000 }).map((mg) => mg / 1000),
        batch: fc.option(fc.nat(4)),
      }),
    },
  );
  const done = { use: 0, receive: 0, undo: 0, count: 0, refused: 0 };
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 10, maxLength: 25, size: 'max' }), async (steps) => {
      const { id } = await create({ spool_count: 1, low_stock_threshold_grams: 40, spool_price_rub: 12.34 });
      let expected = 100_000;
      let isLow = false;
      let expectedEvents = 0;
      events = [];
      for (const next of steps) {
        now += 1;
        const lines = await ledger(id);
        const batches = (await filaments.batches(actor.accountId, id, page)).items;
        let after = expected;
        const work = async () => {
          if (next.do === 'use') {
            await take(id, next.grams, { allow_overdraw: next.overdraw });
            after = expected - Math.round(next.grams * 1000);
          } else if (next.do === 'receive') {
            await receive(id, { spool_count: next.spools, received_at: now + next.age * DAY_MS });
            after = expected + next.spools * 100_000;
          } else if (next.do === 'undo') {
            const line = lines[next.which % lines.length] as LedgerEntry;
            await undo(id, line.id);
            const together = lines.filter(
              (other) => other === line || (line.booking_id !== null && other.booking_id === line.booking_id),
            );
            after = expected - together.reduce((sum, other) => sum + Math.round(other.grams * 1000), 0);
          } else {
            const batch = next.batch === null ? undefined : batches[next.batch % batches.length];
            await count(id, next.grams, { batch_id: batch?.id });
            const counted = Math.round(next.grams * 1000);
            after = batch ? expected - Math.round(batch.remaining_grams * 1000) + counted : counted;
          }
        };
        await work().then(
          () => {
            done[next.do] += 1;
          },
          (error: unknown) => {
            if (!(error instanceof DomainError)) throw error;
            done.refused += 1;
            after = expected;
          },
        );
        const filament = await filaments.get(actor.accountId, id);
        expect(Math.round(filament.remaining_grams * 1000)).toBe(after);
        const sum = (await ledger(id)).reduce((total, line) => total + Math.round(line.grams * 1000), 0);
        expect(sum).toBe(after);
        for (const batch of (await filaments.batches(actor.accountId, id, page)).items) {
          expect(batch.used_grams).toBeGreaterThanOrEqual(0);
          if (batch.archived_at === null) expect(batch.needs_review).toBe(batch.remaining_grams < 0);
        }
        if (!isLow && after <= 40_000) expectedEvents += 1;
        isLow = after <= 40_000;
        expect(events).toHaveLength(expectedEvents);
        expected = after;
      }
      expect(await filaments.check(storage.read)).toEqual([]);
    }),
    { numRuns: 40 },
  );
  // every kind of step was really taken
  expect(Math.min(...Object.values(done))).toBeGreaterThan(20);
});
