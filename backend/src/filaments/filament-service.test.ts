import { DAY_MS } from '../../../common/src/clock.ts';
import { failure } from '../../../test/kit/failure.ts';
import { forSuite } from '../../../test/kit/opened.ts';
import { newActor } from '../../../test/kit/order-service.ts';
import { createStock, START, type Stock } from '../../../test/kit/stock-service.ts';
import { openTestStorage } from '../../../test/kit/storage.ts';
import { createPrinter } from '../printers/printer-service.ts';
import { newId } from '../shared/ids.ts';
import { query } from '../storage/dialect.ts';
import type { FilamentService } from './filament-service.ts';
import { findStockFaults } from './stock-check-store.ts';

const page = { page: 1, per_page: 50 };

const storage = forSuite(openTestStorage);
let { actor, time, events, orders, filaments, create, receive, take, usedByBatch } = {} as Stock;

beforeEach(async () => {
  ({ actor, time, events, orders, filaments, create, receive, take, usedByBatch } = await createStock(storage, {
    name: 'PLA Basic',
  }));
});

// the stored stock must be consistent after every test
afterEach(async () => expect(await findStockFaults(storage.read)).toEqual([]));

describe('a filament', () => {
  test('starts with defaults and without stock', async () => {
    const filament = await create();
    expect(filament).toEqual({
      id: filament.id,
      name: 'PLA Basic',
      brand: '',
      type_name: '',
      colors: [],
      is_gradient: false,
      spool_weight_grams: 1000,
      used_grams: 0,
      spool_count: 0,
      low_stock_threshold_grams: 0,
      spool_price: null,
      spool_price_currency: 'RUB',
      spool_price_rub: null,
      remaining_grams: 0,
      is_low_stock: false,
      needs_review: false,
      created_at: '2026-11-21T12:00:00.000Z',
      updated_at: '2026-11-21T12:00:00.000Z',
    });
    expect(await filaments.get(actor.accountId, filament.id)).toEqual(filament);
  });

  test('has a later version after every change, even if the clock stands still', async () => {
    const { id } = await create();
    const versions = new Set<string>();
    const read = async () => versions.add((await filaments.get(actor.accountId, id)).updated_at).size;
    expect(await read()).toBe(1);
    await receive(id, { spool_count: 1 });
    expect(await read()).toBe(2);
    await take(id, 1);
    await filaments.update(actor, id, { name: 'Newer' });
    await take(id, 1);
    expect(await read()).toBe(3);
    expect([...versions].at(-1)).toBe('2026-11-21T12:00:00.004Z');
  });

  test('may be created with its first batch', async () => {
    const filament = await create({
      colors: ['#FF0000', '#00FF00'],
      is_gradient: true,
      spool_weight_grams: 750.5,
      low_stock_threshold_grams: null,
      spool_count: 2,
      spool_price_rub: 1499.99,
      received_at: START - DAY_MS,
    });
    expect(filament).toMatchObject({
      colors: ['#FF0000', '#00FF00'],
      is_gradient: true,
      spool_weight_grams: 750.5,
      low_stock_threshold_grams: 0,
      spool_count: 2,
      remaining_grams: 1501,
      spool_price_rub: 1499.99,
    });
    const { items } = await filaments.batches(actor.accountId, filament.id, page);
    expect(items).toEqual([
      {
        id: items[0]!.id,
        received_at: '2026-11-20T12:00:00.000Z',
        spool_count: 2,
        used_grams: 0,
        remaining_grams: 1501,
        spool_price: 1499.99,
        spool_price_currency: 'RUB',
        spool_price_rub: 1499.99,
        needs_review: false,
        archived_at: null,
        created_at: '2026-11-21T12:00:00.000Z',
      },
    ]);
    expect(await filaments.batch(actor.accountId, filament.id, items[0]!.id)).toEqual(items[0]);
    const ledger = await filaments.ledger(actor.accountId, filament.id, page);
    expect(ledger.items).toMatchObject([
      { kind: 'receipt', grams: 1501, cost_rub: 2999.98, batch_id: items[0]!.id, actor: 'n8n' },
    ]);
  });

  test('of another account is not found', async () => {
    const { id } = await create({ spool_count: 1 });
    const { items } = await filaments.batches(actor.accountId, id, page);
    const stranger = await newActor(storage);
    for (const attempt of [
      filaments.get(stranger.accountId, id),
      filaments.batches(stranger.accountId, id, page),
      filaments.batch(stranger.accountId, id, items[0]!.id),
      filaments.ledger(stranger.accountId, id, page),
      filaments.addBatch(stranger, id, { spool_count: 1 }, undefined),
      filaments.consume(stranger, id, { grams: 1 }, undefined),
      filaments.batch(actor.accountId, newId(), items[0]!.id),
    ]) {
      expect((await failure(attempt)).code).toBe('not_found');
    }
    expect((await filaments.list(stranger.accountId, {}, page)).total).toBe(0);
  });

  test('is listed newest first, found regardless of case, and filtered by low stock', async () => {
    const first = await create({
      name: 'Красный ПЛА',
      brand: 'Bestfilament',
      spool_count: 1,
      low_stock_threshold_grams: 1000,
    });
    time.now += 1;
    const second = await create({
      name: '100% PETG',
      type_name: 'PETG',
      spool_count: 1,
      low_stock_threshold_grams: 999,
    });
    time.now += 1;
    const third = await create({ name: 'empty, never low' });
    const ids = async (filter: Parameters<FilamentService['list']>[1]) =>
      (await filaments.list(actor.accountId, filter, page)).items.map(({ id }) => id);
    expect(await ids({})).toEqual([third.id, second.id, first.id]);
    expect(await ids({ sort: 'created_at' })).toEqual([first.id, second.id, third.id]);
    expect(await ids({ q: 'КРАСН' })).toEqual([first.id]);
    expect(await ids({ q: 'bestFIL' })).toEqual([first.id]);
    expect(await ids({ q: '0% p' })).toEqual([second.id]);
    expect(await ids({ q: '1%p' })).toEqual([]);
    expect(await ids({ low_stock: true })).toEqual([first.id]);
    expect(await ids({ low_stock: false })).toEqual([third.id, second.id]);
    const all = (await filaments.list(actor.accountId, {}, page)).items;
    expect(all.filter((filament) => filament.is_low_stock).map(({ id }) => id)).toEqual([first.id]);
    expect(await filaments.counts(actor.accountId)).toEqual({ filaments: 3, low_stock: 1 });
    expect(await filaments.list(actor.accountId, {}, { page: 2, per_page: 2 })).toMatchObject({
      total: 3,
      items: [{ id: first.id }],
    });
    expect(await filaments.list(actor.accountId, {}, { page: 3, per_page: 2 })).toEqual({ total: 3, items: [] });
  });
});

describe('a consumption', () => {
  test('deducts from the oldest batch first, across as many batches as needed, each at its own price', async () => {
    const { id } = await create({ spool_weight_grams: 100 });
    // entered last, received first
    await receive(id, { spool_count: 1, spool_price_rub: 300, received_at: START + 2 });
    await receive(id, { spool_count: 1, received_at: START + 2 });
    await receive(id, { spool_count: 1, spool_price_rub: 100, received_at: START + 1 });
    expect((await filaments.get(actor.accountId, id)).spool_price_rub).toBe(100);

    time.now += 5;
    expect(await take(id, 40.5)).toMatchObject({ used_grams: 40.5, remaining_grams: 259.5, spool_price_rub: 100 });
    expect(await usedByBatch(id)).toEqual([0, 0, 40.5]);
    expect(await take(id, 60.001, { note: 'plate 2' })).toMatchObject({
      used_grams: 100.501,
      spool_price_rub: 300,
      updated_at: '2026-11-21T12:00:00.006Z',
    });
    expect(await usedByBatch(id)).toEqual([0.501, 0, 100]);
    expect(await take(id, 199)).toMatchObject({ used_grams: 299.501, remaining_grams: 0.499, spool_price_rub: null });
    expect(await usedByBatch(id)).toEqual([100, 99.501, 100]);
    // all batches are empty: the price of the last one, which is unknown
    expect(await take(id, 0.499)).toMatchObject({ remaining_grams: 0, spool_price_rub: null });

    const { items } = await filaments.ledger(actor.accountId, id, page);
    expect(items.map(({ kind, grams, cost_rub }) => [kind, grams, cost_rub])).toEqual([
      ['consumption', -0.499, null],
      ['consumption', -99.501, null],
      ['consumption', -99.499, 298.5],
      ['consumption', -0.501, 1.5],
      ['consumption', -59.5, 59.5],
      ['consumption', -40.5, 40.5],
      ['receipt', 100, 100],
      ['receipt', 100, null],
      ['receipt', 100, 300],
    ]);
    expect(items[3]).toMatchObject({ note: 'plate 2', overdraw: false, actor: 'n8n', at: '2026-11-21T12:00:00.005Z' });
  });

  test('is refused as a whole when there is not enough', async () => {
    const { id } = await create({ spool_count: 2, spool_weight_grams: 50 });
    const before = await filaments.get(actor.accountId, id);
    time.now += 1;
    const error = await failure(take(id, 100.001));
    expect(error.code).toBe('insufficient_stock');
    expect(error.facts).toEqual({
      requested_grams: 100.001,
      available_grams: 100,
      shortage_grams: 0.001,
      can_overdraw: true,
    });
    expect(await filaments.get(actor.accountId, id)).toEqual(before);
    expect((await filaments.ledger(actor.accountId, id, page)).total).toBe(1);
    expect(await take(id, 100)).toMatchObject({ remaining_grams: 0, needs_review: false });
  });

  test('with allow_overdraw is deducted in full, the rest from the youngest batch', async () => {
    const { id } = await create({ spool_weight_grams: 100 });
    await receive(id, { spool_count: 1, received_at: START + 2, spool_price_rub: 10 });
    await receive(id, { spool_count: 1, received_at: START + 1 });
    expect(await take(id, 150, { allow_overdraw: true })).toMatchObject({ remaining_grams: 50, needs_review: false });
    expect(await take(id, 80, { allow_overdraw: true })).toMatchObject({
      remaining_grams: -30,
      used_grams: 230,
      needs_review: true,
    });
    expect(await usedByBatch(id)).toEqual([130, 100]);
    expect(await take(id, 5, { allow_overdraw: true })).toMatchObject({ remaining_grams: -35 });
    const { items } = await filaments.ledger(actor.accountId, id, page);
    expect(items.slice(0, 3).map(({ grams, overdraw, cost_rub }) => [grams, overdraw, cost_rub])).toEqual([
      [-5, true, 0.5],
      [-80, true, 8],
      [-50, false, 5],
    ]);
    const { items: batches } = await filaments.batches(actor.accountId, id, page);
    expect(batches.map((batch) => [batch.remaining_grams, batch.needs_review])).toEqual([
      [0, false],
      [-35, true],
    ]);

    expect((await failure(take(id, 1))).facts).toMatchObject({
      available_grams: 0,
      shortage_grams: 1,
      can_overdraw: true,
    });
    // a new batch first compensates for the overdrawn grams
    await receive(id, { spool_count: 1, received_at: START + 3 });
    expect((await failure(take(id, 65.001))).facts).toMatchObject({ available_grams: 65 });
    expect(await take(id, 65)).toMatchObject({ remaining_grams: 0, needs_review: true });
  });

  test('cannot overdraw a filament without a batch', async () => {
    const { id } = await create();
    for (const allow_overdraw of [true, false]) {
      const error = await failure(take(id, 1, { allow_overdraw }));
      expect(error.code).toBe('insufficient_stock');
      // the only way that works, whether or not overdrawing was asked for
      expect(error.message).toContain("allow_overdraw doesn't help: add a batch with POST /filaments/{id}/batches");
      expect(error.facts).toEqual({ requested_grams: 1, available_grams: 0, shortage_grams: 1, can_overdraw: false });
    }
    await receive(id, { spool_count: 1 });
    expect(await take(id, 1)).toMatchObject({ used_grams: 1 });
  });

  test('ignores archived batches', async () => {
    const { id } = await create({
      spool_weight_grams: 100,
      spool_count: 1,
      spool_price_rub: 7,
      received_at: START - DAY_MS,
    });
    await take(id, 20);
    await receive(id, { spool_count: 1, spool_price_rub: 9 });
    const archived = (await filaments.batches(actor.accountId, id, page)).items[1]!;
    await storage.inTransaction(async ({ db }) => {
      await query(db, 'UPDATE filament_batches SET archived_at = ?, needs_review = 1 WHERE id = ?', [
        time.now,
        archived.id,
      ]);
      await query(db, 'UPDATE filaments SET spool_count = 1, used_mg = 0 WHERE id = ?', [id]);
    });
    const expected = { spool_count: 1, used_grams: 0, remaining_grams: 100, needs_review: false, spool_price_rub: 9 };
    expect(await filaments.get(actor.accountId, id)).toMatchObject(expected);
    await take(id, 30);
    await take(id, 80, { allow_overdraw: true });
    expect(await usedByBatch(id)).toEqual([20, 110]);
    expect((await filaments.batches(actor.accountId, id, page)).items[1]).toMatchObject({
      archived_at: '2026-11-21T12:00:00.000Z',
    });
  });

  test('for an order appears in its history once, with the sums', async () => {
    const { order } = (await orders.create(actor, { model_name: 'Vase' }, undefined)).result;
    const printer = await storage.inTransaction((tx) =>
      createPrinter(tx, actor.accountId, { name: 'K1', model: 'K1 Max', at: time.now }),
    );
    const { id } = await create({ spool_weight_grams: 100, spool_count: 1, spool_price_rub: 100 });
    await receive(id, { spool_count: 1, spool_price_rub: 200, received_at: START + 1 });
    await take(id, 150, { order_id: order.id, printer_id: printer.id, note: 'two plates' });
    const history = await orders.history(actor.accountId, order.id, page);
    expect(history.items[0]).toMatchObject({
      kind: 'consumption',
      filament_id: id,
      grams: 150,
      cost_rub: 200,
      note: 'two plates',
      actor: 'n8n',
    });
    expect(history.total).toBe(2);
    const { items } = await filaments.ledger(actor.accountId, id, page);
    expect(items.slice(0, 2)).toMatchObject([
      { order_id: order.id, printer_id: printer.id, grams: -50, cost_rub: 100 },
      { order_id: order.id, printer_id: printer.id, grams: -100, cost_rub: 100 },
    ]);
    // the ledger outlives the order
    await orders.remove(actor, order.id, undefined);
    expect((await filaments.ledger(actor.accountId, id, page)).items[0]).toMatchObject({ order_id: null, grams: -50 });
  });

  test('is refused if it names an order or a printer that does not exist', async () => {
    const { id } = await create({ spool_count: 1 });
    const stranger = await newActor(storage);
    const { order } = (await orders.create(stranger, { model_name: 'Vase' }, undefined)).result;
    expect((await failure(take(id, 1, { order_id: order.id }))).faults).toMatchObject([{ pointer: '/order_id' }]);
    expect((await failure(take(id, 1, { printer_id: newId() }))).faults).toMatchObject([{ pointer: '/printer_id' }]);
    expect((await filaments.get(actor.accountId, id)).used_grams).toBe(0);
  });
});

describe('at once', () => {
  test('creating and receiving twice with one idempotency key happens once', async () => {
    const key = { key: 'new', hash: 'h' };
    const first = await filaments.create(actor, { name: 'PLA', spool_count: 1 }, key);
    expect(await filaments.create(actor, { name: 'PLA', spool_count: 1 }, key)).toEqual({
      result: first.result,
      replayed: true,
    });
    const { id } = first.result;
    const batch = await filaments.addBatch(actor, id, { spool_count: 1 }, { key: 'batch', hash: 'h' });
    expect(await filaments.addBatch(actor, id, { spool_count: 1 }, { key: 'batch', hash: 'h' })).toEqual({
      ...batch,
      replayed: true,
    });
    expect(await filaments.get(actor.accountId, id)).toMatchObject({ spool_count: 2 });
  });
});

describe('filament.low_stock', () => {
  test('is sent once per fall to the threshold, and again after a receipt', async () => {
    const { id } = await create({
      name: 'Black',
      spool_weight_grams: 100,
      spool_count: 1,
      low_stock_threshold_grams: 50,
    });
    expect(await take(id, 49.999)).toMatchObject({ is_low_stock: false });
    expect(events).toHaveLength(0);
    expect(await take(id, 0.001)).toMatchObject({ is_low_stock: true, remaining_grams: 50 });
    expect(events).toEqual([
      {
        accountId: actor.accountId,
        event: 'filament.low_stock',
        subject: `filament:${id}`,
        data: { filament_id: id, name: 'Black', remaining_grams: 50, threshold_grams: 50 },
        occurredAt: time.now,
      },
    ]);
    await take(id, 10);
    await take(id, 60, { allow_overdraw: true });
    expect(events).toHaveLength(1);
    await receive(id, { spool_count: 1 });
    expect(events).toHaveLength(1);
    // 80 g are left: crossing the threshold sends one event, also when the stock falls far below it
    await take(id, 75);
    expect(events.map(({ data }) => (data as { remaining_grams: number }).remaining_grams)).toEqual([50, 5]);
    const logged = await query<{ n: number }>(storage.read, 'SELECT count(*) AS n FROM events WHERE account_id = ?', [
      actor.accountId,
    ]);
    expect(logged[0]!.n).toBe(2);
  });

  test('is not sent for a receipt that stays below, nor with a threshold of 0, nor when nothing was deducted', async () => {
    const low = await create({ spool_weight_grams: 100, low_stock_threshold_grams: 500, spool_count: 1 });
    expect(low.is_low_stock).toBe(true);
    await receive(low.id, { spool_count: 1 });
    await take(low.id, 10);
    const never = await create({ spool_weight_grams: 100, spool_count: 1 });
    await take(never.id, 100);
    await take(never.id, 10, { allow_overdraw: true });
    const refused = await create({ spool_weight_grams: 100, spool_count: 1, low_stock_threshold_grams: 10 });
    await failure(take(refused.id, 101));
    expect(events).toEqual([]);
  });

  test('is sent once by 100 concurrent consumptions that cross the threshold', async () => {
    const { id } = await create({ spool_weight_grams: 100, spool_count: 1, low_stock_threshold_grams: 40 });
    await Promise.all(Array.from({ length: 100 }, () => take(id, 1)));
    expect(events.map(({ data }) => (data as { remaining_grams: number }).remaining_grams)).toEqual([40]);
  });

  test('is not sent again for a replay', async () => {
    const { id } = await create({ spool_count: 1, low_stock_threshold_grams: 999 });
    const key = { key: 'k', hash: 'h' };
    await filaments.consume(actor, id, { grams: 1 }, key);
    expect((await filaments.consume(actor, id, { grams: 1 }, key)).replayed).toBe(true);
    expect(events).toHaveLength(1);
  });
});

describe('check', () => {
  /** Applies a fault, returns what the check reports, and reverts it, because afterEach checks again. */
  async function findings(damage: string, values: (string | number)[]): Promise<string[]> {
    const undo = new Error('undo');
    let found: string[] = [];
    await expect(
      storage.inTransaction(async ({ db }) => {
        await query(db, damage, values);
        found = await findStockFaults(db);
        throw undo;
      }),
    ).rejects.toBe(undo);
    return found;
  }

  test('finds wrong sums, ledgers, review marks and batch order', async () => {
    const { id } = await create({ spool_weight_grams: 100, spool_count: 1, received_at: START });
    const younger = await receive(id, { spool_count: 1, received_at: START + 1 });
    await take(id, 120);
    const older = (await filaments.batches(actor.accountId, id, page)).items[1]!;
    const other = await create({ name: 'other' });

    expect(await findings('UPDATE filaments SET used_mg = used_mg + 1 WHERE id = ?', [id])).toEqual([
      expect.stringContaining(`Filament ${id} says 2 spools and 120001 mg used`),
    ]);
    expect(await findings('UPDATE filaments SET spool_count = 3 WHERE id = ?', [id])).toHaveLength(1);
    expect(await findings("DELETE FROM filament_ledger WHERE kind = 'receipt' AND batch_id = ?", [younger.id])).toEqual(
      [expect.stringContaining(`Batch ${younger.id} holds 100000 mg`)],
    );
    expect(
      await findings('UPDATE filament_ledger SET filament_id = ? WHERE batch_id = ?', [other.id, younger.id]),
    ).toHaveLength(2);
    // moves 10 g in ledger and batches from the older to the younger batch: sums are right, the order is not
    const found = await findings(
      `UPDATE filament_batches SET used_mg = used_mg + CASE WHEN id = ? THEN -10000 ELSE 10000 END WHERE filament_id = ?`,
      [older.id, id],
    );
    expect(found).toHaveLength(3);
    expect(found[2]).toBe(`Batch ${younger.id} was used while the older batch ${older.id} had grams left.`);
    expect(
      await findings('UPDATE filament_batches SET spool_count = 1, used_mg = 100001 WHERE id = ?', [older.id]),
    ).toContain(`Batch ${older.id} is overdrawn and not marked for review.`);
  });

  test('accepts a batch that was entered late with an early date', async () => {
    const { id } = await create({ spool_weight_grams: 100, spool_count: 1 });
    await take(id, 50);
    const early = await receive(id, { spool_count: 1, received_at: START - DAY_MS });
    expect(await findStockFaults(storage.read)).toEqual([]);
    await take(id, 10);
    expect(await filaments.batch(actor.accountId, id, early.id)).toMatchObject({ used_grams: 10 });
  });
});
