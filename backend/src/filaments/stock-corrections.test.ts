import fc from 'fast-check';
import { DAY_MS } from '../../../common/src/clock.ts';
import { failure } from '../../../test/kit/failure.ts';
import { forSuite } from '../../../test/kit/opened.ts';
import { createStock, START, type Stock } from '../../../test/kit/stock-service.ts';
import { insertTestAccount, openTestStorage } from '../../../test/kit/storage.ts';
import { DomainError } from '../shared/errors.ts';
import { newId } from '../shared/ids.ts';
import { query } from '../storage/dialect.ts';
import type { LedgerEntry } from './filament-schema.ts';
import { findStockFaults } from './stock-check-store.ts';

const page = { page: 1, per_page: 200 };

const storage = forSuite(openTestStorage);
let { actor, time, events, orders, filaments, create, receive, take, usedByBatch } = {} as Stock;

beforeEach(async () => {
  ({ actor, time, events, orders, filaments, create, receive, take, usedByBatch } = await createStock(storage, {
    name: 'PLA',
    spool_weight_grams: 100,
  }));
});

// the stored stock must be consistent after every test
afterEach(async () => expect(await findStockFaults(storage.read)).toEqual([]));

const undo = async (id: string, entryId: string) => (await filaments.undo(actor, id, entryId, {}, undefined)).result;
const count = async (id: string, remaining_grams: number, more: object = {}) =>
  (await filaments.stocktake(actor, id, { remaining_grams, ...more }, undefined)).result;
const ledger = async (id: string) => (await filaments.ledger(actor.accountId, id, page)).items;
const newest = async (id: string) => (await ledger(id))[0] as LedgerEntry;
const lows = () => events.map(({ event, data }) => [event, (data as { remaining_grams: number }).remaining_grams]);

describe('an undo', () => {
  test('reverses a consumption in all its batches, to the milligram, with its cost and in its order', async () => {
    const { order } = (await orders.create(actor, { model_name: 'Vase' }, undefined)).result;
    const { id } = await create({ spool_count: 1, spool_price_rub: 100 });
    await receive(id, { spool_count: 1, spool_price_rub: 200, received_at: START + 1 });
    const before = await filaments.get(actor.accountId, id);
    await take(id, 133.337, { order_id: order.id, note: 'two plates' });
    const [younger, older] = await ledger(id);
    expect(older?.deduction_id).toBe(younger?.deduction_id);
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

describe('an undo of what is older than a stocktake', () => {
  /** Of each entry, newest first: what a later stocktake counted. */
  const counts = async (id: string) =>
    (await ledger(id)).map(({ kind, later_stocktake }) => [kind, later_stocktake?.counted_grams ?? null]);

  test('says so before and after, also in a batch that the stocktake did not correct', async () => {
    const { id } = await create({ spool_count: 1 });
    await receive(id, { spool_count: 1, received_at: START + 1 });
    await take(id, 100);
    const first = await newest(id);
    await take(id, 50);
    time.now += 1000;
    await count(id, 5);
    const stocktaken = await newest(id);
    time.now += 1000;
    await take(id, 1);
    expect(await counts(id)).toEqual([
      ['consumption', null],
      ['adjustment', null],
      ['consumption', 5],
      ['consumption', 5],
      ['receipt', 5],
      ['receipt', 5],
    ]);
    const entry = (await ledger(id)).find((line) => line.id === first.id);
    const at = '2026-11-21T12:00:01.000Z';
    expect(entry?.later_stocktake).toEqual({ entry_id: stocktaken.id, at, counted_grams: 5, batch_id: null });
    expect(await undo(id, first.id)).toMatchObject({ remaining_grams: 104, older_than_stocktake: at });
    // what is newer contradicts nothing, and neither does the stocktake itself
    const { older_than_stocktake } = await undo(id, (await ledger(id)).find(({ grams }) => grams === -1)!.id);
    expect(older_than_stocktake).toBeUndefined();
    expect(await undo(id, stocktaken.id)).not.toHaveProperty('older_than_stocktake');
    expect((await counts(id)).every(([, counted]) => counted === null)).toBe(true);
  });

  test('says so for a count that matched, of several batches, and for an older stocktake', async () => {
    const { id } = await create({ spool_count: 1 });
    await receive(id, { spool_count: 1, received_at: START + 1 });
    await take(id, 150);
    await count(id, 50);
    await count(id, 120, { note: 'two batches' });
    expect(await counts(id)).toEqual([
      ['adjustment', null],
      ['adjustment', null],
      ['adjustment', 120],
      ['consumption', 120],
      ['consumption', 120],
      ['receipt', 120],
      ['receipt', 120],
    ]);
    const [counted, , matched, use] = await ledger(id);
    expect(await undo(id, matched!.id)).toHaveProperty('older_than_stocktake');
    expect((await failure(undo(id, use!.id))).message).toContain('Undo the stocktake first');
    await undo(id, counted!.id);
    expect(await undo(id, use!.id)).not.toHaveProperty('older_than_stocktake');
  });

  test('says nothing about a stocktake of another batch, or of a filament', async () => {
    const { id } = await create({ spool_count: 1 });
    const second = await receive(id, { spool_count: 1, received_at: START + 1 });
    await take(id, 40);
    const use = await newest(id);
    await count(id, 70, { batch_id: second.id });
    const other = await create({ spool_count: 1 });
    await count(other.id, 1);
    expect((await ledger(id)).map(({ later_stocktake }) => later_stocktake?.batch_id ?? null)).toEqual([
      null,
      null,
      // the receipt of the batch that was counted
      second.id,
      null,
    ]);
    expect(await undo(id, use.id)).not.toHaveProperty('older_than_stocktake');
    const receipt = (await ledger(id)).find(({ kind, batch_id }) => kind === 'receipt' && batch_id === second.id);
    expect((await failure(undo(id, receipt!.id))).message).toContain('Undo its deductions and stocktakes first');
  });
});

describe('two deductions for one order', () => {
  const newOrder = async () => (await orders.create(actor, { model_name: 'Vase' }, undefined)).result.order.id;
  const report = (id: string, grams: number, order_id: string | null) =>
    storage.inTransaction((tx) =>
      filaments.consumeInTransaction(tx, actor, id, { grams, order_id, allow_overdraw: true }, 'report'),
    );
  const already = async (id: string, grams: number, order_id: string | null) =>
    (await filaments.consume(actor, id, { grams, order_id, allow_overdraw: true }, undefined)).result
      .already_deducted_grams;
  const marks = async (id: string) => (await ledger(id)).map((line) => [line.source, line.also_deducted_grams]);

  test('one by a print report, one by a request, are marked on both entries, whichever came first', async () => {
    const { id } = await create({ spool_count: 5 });
    const [first, second] = [await newOrder(), await newOrder()];
    await report(id, 45.5, first);
    expect(await already(id, 40, first)).toBe(45.5);
    expect(await already(id, 45.5, second)).toBeUndefined();
    expect(await filaments.deductedFor(second, 'request', time.now)).toBe(45.5);
    await report(id, 41, second);
    expect(await marks(id)).toEqual([
      ['report', 45.5],
      ['request', 41],
      ['request', 45.5],
      ['report', 40],
      [null, null],
    ]);
  });

  test('count over filaments and batches, and no longer once one is undone', async () => {
    const [black, white] = [await create({ spool_count: 1 }), await create({ spool_count: 1 })];
    await receive(black.id, { spool_count: 1, received_at: START + 1 });
    const order = await newOrder();
    await report(black.id, 150, order);
    await report(white.id, 110, order);
    expect(await already(white.id, 1.5, order)).toBe(260);
    expect(await marks(black.id)).toEqual([
      ['report', 1.5],
      ['report', 1.5],
      [null, null],
      [null, null],
    ]);
    await undo(black.id, (await newest(black.id)).id);
    expect((await marks(black.id)).slice(0, 4).every(([, grams]) => grams === null)).toBe(true);
    expect((await newest(white.id)).also_deducted_grams).toBe(110);
    expect(await already(white.id, 2, order)).toBe(110);
    await undo(white.id, (await ledger(white.id)).find(({ source }) => source === 'report')!.id);
    expect(await already(white.id, 3, order)).toBeUndefined();
    expect((await ledger(white.id)).every((line) => line.also_deducted_grams === null)).toBe(true);
  });

  test('are normal from one source, for different orders, without an order, and more than a day apart', async () => {
    const { id } = await create({ spool_count: 5 });
    const [printed, requested, late] = [await newOrder(), await newOrder(), await newOrder()];
    await report(id, 10, printed);
    await report(id, 11, printed);
    for (const grams of [12, 13]) expect(await already(id, grams, requested)).toBeUndefined();
    await report(id, 14, null);
    expect(await already(id, 15, null)).toBeUndefined();
    await report(id, 16, late);
    time.now += DAY_MS + 1;
    expect(await already(id, 17, late)).toBeUndefined();
    expect((await ledger(id)).every((line) => line.also_deducted_grams === null)).toBe(true);
    // at the limit
    time.now -= 1;
    expect(await already(id, 18, late)).toBe(16);
  });

  test('are told the same to a repeated request, even after the first one was undone', async () => {
    const { id } = await create({ spool_count: 5 });
    const order = await newOrder();
    await report(id, 10, order);
    const entry = await newest(id);
    const key = { key: 'twice', hash: 'h' };
    const first = await filaments.consume(actor, id, { grams: 10, order_id: order }, key);
    expect(first.result.already_deducted_grams).toBe(10);
    await undo(id, entry.id);
    const again = await filaments.consume(actor, id, { grams: 10, order_id: order }, key);
    expect(again).toEqual({ result: first.result, replayed: true });
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
    expect(await count(id, 300)).toMatchObject({ used_grams: 0 });
  });

  test('accepts up to 10 % more than the labels of full spools say, in the youngest batch first', async () => {
    const { id } = await create({ spool_count: 1, spool_price_rub: 100 });
    await receive(id, { spool_count: 2, received_at: START + 1 });
    await take(id, 1);
    expect(await count(id, 325)).toMatchObject({ remaining_grams: 325, used_grams: -25, needs_review: false });
    expect(await usedByBatch(id)).toEqual([-5, -20]);
    const refused = await failure(count(id, 330.001));
    expect(refused.faults).toMatchObject([{ pointer: '/remaining_grams' }]);
    expect(refused.message).toContain('received (300 g), even if full spools weigh 10 % more: at most 330 g');
    expect(await count(id, 330)).toMatchObject({ remaining_grams: 330 });
    // what was found can be used, oldest batch first, without an overdraw
    expect(await take(id, 115)).toMatchObject({ remaining_grams: 215, needs_review: false });
    expect(await usedByBatch(id)).toEqual([100, -15]);
    expect(await take(id, 215)).toMatchObject({ remaining_grams: 0, needs_review: false });
    expect(await take(id, 1, { allow_overdraw: true })).toMatchObject({ remaining_grams: -1, needs_review: true });
    expect((await newest(id)).overdraw).toBe(true);
  });

  test('above the labels can be undone, before and after some of it was used', async () => {
    const { id } = await create({ spool_count: 1, low_stock_threshold_grams: 105 });
    await take(id, 10);
    const use = await newest(id);
    await count(id, 108);
    const found = await newest(id);
    expect(lows()).toEqual([]);
    // the stocktake counted the grams of the earlier deduction
    expect((await failure(undo(id, use.id))).message).toContain('Undo the stocktake first');
    await take(id, 105);
    const later = await newest(id);
    expect(await undo(id, later.id)).toMatchObject({ remaining_grams: 108, used_grams: -8 });
    await take(id, 105);
    // more than the label says was used, but not more than was found
    await take(id, 1);
    expect(await undo(id, (await newest(id)).id)).toMatchObject({ remaining_grams: 3, needs_review: false });
    expect((await newest(id)).overdraw).toBe(false);
    expect(await undo(id, found.id)).toMatchObject({ remaining_grams: -15, needs_review: true });
    expect(
      await undo(id, (await ledger(id)).find((line) => line.grams === -105 && !line.undone_by_id)!.id),
    ).toMatchObject({ remaining_grams: 90, used_grams: 10, needs_review: false });
    await undo(id, use.id);
    // nothing is used, so even the receipt can be undone
    expect(await undo(id, (await ledger(id)).at(-1)!.id)).toMatchObject({ spool_count: 0, remaining_grams: 0 });
  });

  test('that is too high names the ways out that work', async () => {
    const { id } = await create({ spool_count: 1 });
    expect((await failure(count(id, 120))).message).toContain('holds more than 100 g, change spool_weight_grams.');
    await filaments.update(actor, id, { spool_weight_grams: 120 });
    expect(await count(id, 120)).toMatchObject({ remaining_grams: 120 });
    const { message } = await failure(count(id, 140));
    expect(message).toContain('undo the deductions and stocktakes in the ledger, the newest first, and then change');
    await undo(id, (await newest(id)).id);
    await receive(id, { spool_count: 1 });
    expect(await count(id, 140)).toMatchObject({ remaining_grams: 140 });
    const empty = await create();
    expect((await failure(count(empty.id, 1))).message).toContain('No spools have been received');
  });

  test('of one batch does not change the others', async () => {
    const { id } = await create({ spool_count: 1 });
    const second = await receive(id, { spool_count: 1, received_at: START + 1 });
    expect(await count(id, 30, { batch_id: second.id })).toMatchObject({ remaining_grams: 130 });
    expect(await usedByBatch(id)).toEqual([0, 70]);
    expect((await failure(count(id, 110.001, { batch_id: second.id }))).message).toContain('received (100 g)');
    expect(await count(id, 110, { batch_id: second.id })).toMatchObject({ remaining_grams: 210 });
    expect(await usedByBatch(id)).toEqual([0, -10]);
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

  test('that equals the stock on record is kept as a count, and changes nothing else', async () => {
    const created = await create({ spool_count: 1, spool_price_rub: 10 });
    expect(await count(created.id, 100)).toEqual({ ...created, updated_at: '2026-11-21T12:00:00.001Z' });
    const [counted, ...others] = await ledger(created.id);
    expect(counted).toMatchObject({ kind: 'adjustment', grams: 0, cost_rub: 0, counted_grams: 100 });
    expect(others).toHaveLength(1);
    expect(await undo(created.id, counted!.id)).toEqual({ ...created, updated_at: '2026-11-21T12:00:00.002Z' });
    const empty = await create();
    expect(await count(empty.id, 0)).toEqual(empty);
    expect(await ledger(empty.id)).toEqual([]);
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
    time.now += 1;
    const fields = {
      name: 'ÄNDERUNG',
      brand: 'Prusament',
      type_name: 'PETG',
      colors: ['#FF0000', '#00FF00'],
      is_gradient: true,
    };
    const changed = await filaments.update(actor, created.id, fields);
    expect(changed).toEqual({ ...created, ...fields, updated_at: '2026-11-21T12:00:00.001Z' });
    time.now += 1;
    expect(await filaments.update(actor, created.id, { name: 'ÄNDERUNG' })).toEqual(changed);
    const found = await filaments.list(actor.accountId, { q: 'änderung' }, page);
    expect(found.items.map(({ id }) => id)).toEqual([created.id]);
    expect((await failure(filaments.update({ ...actor, accountId: newId() }, created.id, {}))).code).toBe('not_found');
  });

  const changeWeight = (id: string, spool_weight_grams: number) => filaments.update(actor, id, { spool_weight_grams });

  test('of the spool weight corrects what unused spools hold, in the ledger too', async () => {
    const { id } = await create({ spool_count: 3, spool_price_rub: 20, low_stock_threshold_grams: 350 });
    await receive(id, { spool_count: 1, received_at: START - DAY_MS });
    expect(await changeWeight(id, 300.5)).toMatchObject({ spool_count: 4, used_grams: 0, remaining_grams: 1202 });
    expect((await ledger(id)).map(({ kind, grams, cost_rub }) => [kind, grams, cost_rub])).toEqual([
      ['receipt', 300.5, null],
      ['undo', -100, null],
      ['receipt', 901.5, 60],
      ['undo', -300, -60],
      ['receipt', 100, null],
      ['receipt', 300, 60],
    ]);
    // less than expected can be low, and more can be undone: the batches stay the same
    expect(lows()).toEqual([]);
    expect(await changeWeight(id, 80)).toMatchObject({ remaining_grams: 320, is_low_stock: true });
    expect(lows()).toEqual([['filament.low_stock', 320]]);
    await take(id, 100);
    expect(await usedByBatch(id)).toEqual([20, 80]);
    await undo(id, (await newest(id)).id);
    const receipt = (await ledger(id)).find(({ kind, grams }) => kind === 'receipt' && grams === 240);
    expect(await undo(id, receipt!.id)).toMatchObject({ spool_count: 1, remaining_grams: 80 });
    expect(await changeWeight(id, 1000)).toMatchObject({ remaining_grams: 1000 });
  });

  test.each<[string, (id: string) => Promise<unknown>]>([
    ['a deduction', (id) => take(id, 10)],
    ['an overdraw', (id) => take(id, 500, { allow_overdraw: true })],
    ['a stocktake', (id) => count(id, 110)],
    ['a stocktake that matches', (id) => count(id, 100)],
  ])('of the spool weight is refused after %s, until that is undone', async (_what, use) => {
    const { id } = await create({ spool_count: 1 });
    await use(id);
    const refused = await failure(changeWeight(id, 750));
    expect(refused.faults).toMatchObject([{ pointer: '/spool_weight_grams' }]);
    expect(refused.message).toContain('Undo those deductions and stocktakes in the ledger first');
    expect(await filaments.update(actor, id, { spool_weight_grams: 100, brand: 'x' })).toMatchObject({ brand: 'x' });
    await undo(id, (await newest(id)).id);
    expect(await changeWeight(id, 750)).toMatchObject({ used_grams: 0, remaining_grams: 750 });
  });

  test('of the spool weight is refused if a stocktake only made up for a deduction', async () => {
    const { id } = await create({ spool_count: 1 });
    await take(id, 10);
    expect(await count(id, 100)).toMatchObject({ used_grams: 0 });
    expect((await failure(changeWeight(id, 750))).code).toBe('validation_error');
  });

  test('of the spool weight is possible without a batch, and after every receipt was undone', async () => {
    const { id } = await create();
    expect(await changeWeight(id, 750.5)).toMatchObject({ spool_weight_grams: 750.5 });
    await receive(id, { spool_count: 1 });
    const receipt = await newest(id);
    await take(id, 10);
    await undo(id, (await newest(id)).id);
    await undo(id, receipt.id);
    expect(await changeWeight(id, 750)).toMatchObject({ spool_weight_grams: 750, remaining_grams: 0 });
    await receive(id, { spool_count: 1 });
    expect(await take(id, 750)).toMatchObject({ remaining_grams: 0 });
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
    time.now = Date.UTC(2026, 10, 20, 23, 59, 59, 999);
    await take(black.id, 1.5);
    time.now += 1;
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
    time.now += 29 * DAY_MS;
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

test('after any sequence of receipts, consumptions, undos and stocktakes, the ledger adds up and no batch holds more than full spools may', async () => {
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
      // most are refused, because something was used
      weight: 3,
      arbitrary: fc.record({ do: fc.constant('weight' as const), grams: fc.integer({ min: 50, max: 150 }) }),
    },
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
  const done = { use: 0, receive: 0, undo: 0, count: 0, weight: 0, refused: 0 };
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 10, maxLength: 25, size: 'max' }), async (steps) => {
      const { id } = await create({ spool_count: 1, low_stock_threshold_grams: 40, spool_price_rub: 12.34 });
      let expected = 100_000;
      let weightMg = 100_000;
      let isLow = false;
      let expectedEvents = 0;
      events.length = 0;
      for (const next of steps) {
        time.now += 1;
        const lines = await ledger(id);
        const batches = (await filaments.batches(actor.accountId, id, page)).items;
        let after = expected;
        const work = async () => {
          if (next.do === 'use') {
            await take(id, next.grams, { allow_overdraw: next.overdraw });
            after = expected - Math.round(next.grams * 1000);
          } else if (next.do === 'receive') {
            await receive(id, { spool_count: next.spools, received_at: time.now + next.age * DAY_MS });
            after = expected + next.spools * weightMg;
          } else if (next.do === 'weight') {
            const { spool_count } = await filaments.update(actor, id, { spool_weight_grams: next.grams });
            after = expected + spool_count * (next.grams * 1000 - weightMg);
            weightMg = next.grams * 1000;
          } else if (next.do === 'undo') {
            const line = lines[next.which % lines.length] as LedgerEntry;
            await undo(id, line.id);
            const together = lines.filter(
              (other) => other === line || (line.deduction_id !== null && other.deduction_id === line.deduction_id),
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
          expect(batch.used_grams).toBeGreaterThanOrEqual(-0.1 * batch.spool_count * filament.spool_weight_grams);
          if (batch.archived_at === null) expect(batch.needs_review).toBe(batch.remaining_grams < 0);
        }
        if (!isLow && after <= 40_000) expectedEvents += 1;
        isLow = after <= 40_000;
        expect(events).toHaveLength(expectedEvents);
        expected = after;
      }
      expect(await findStockFaults(storage.read)).toEqual([]);
    }),
    { numRuns: 40 },
  );
  // every kind of step was really taken
  expect(Math.min(...Object.values(done))).toBeGreaterThan(20);
});
