import { createTestLogger } from '../../../test/kit/logger.ts';
import { insertTestAccount, openTestStorage } from '../../../test/kit/storage.ts';
import { holdCurrency } from '../accounts/account-store.ts';
import type { Actor } from '../accounts/token.ts';
import type { EventName } from '../events/catalogue.ts';
import { createFilamentService } from '../filaments/filament-service.ts';
import { createWithIdempotency } from '../idempotency/with-idempotency.ts';
import { createOrderService } from '../orders/order-service.ts';
import { createPrinter } from '../printers/printer-service.ts';
import { printerExists } from '../printers/printer-store.ts';
import { newId } from '../shared/ids.ts';
import { query } from '../storage/dialect.ts';
import type { Storage, Tx } from '../storage/open.ts';
import type { AgentActor } from './agent-service.ts';
import { createReportService, HOLD_MS, type Notice, type ReportService } from './report-service.ts';

let storage: Storage;
let now: number;
let actor: AgentActor;
let printerId: string;
let reports: ReportService;
let told: [EventName, unknown][];
/** thrown in place of an event */
let fault: Error | undefined;

beforeEach(async () => {
  storage = await openTestStorage();
  now = Date.UTC(2026, 10, 22, 12);
  told = [];
  fault = undefined;
  const clock = () => now;
  const accountId = await insertTestAccount(storage);
  ({ id: printerId } = await storage.inTransaction((tx) =>
    createPrinter(tx, accountId, { name: 'Anna', model: 'MK4', at: now }),
  ));
  const append = async (_: Tx, { event, data }: { event: EventName; data: unknown }) => {
    if (fault) throw fault;
    told.push([event, (data as { filename?: string }).filename]);
  };
  const book = (on: Storage) => {
    const withIdempotency = createWithIdempotency({ storage: on, clock });
    const orders = createOrderService({ storage: on, clock, withIdempotency, append, printerExists });
    const { orderExists, recordConsumption } = orders;
    const shared = { storage: on, clock, withIdempotency, append, orderExists, recordConsumption };
    return { orders, filaments: createFilamentService({ ...shared, printerExists, holdCurrency }) };
  };
  const { orders, filaments } = book(storage);
  reports = createReportService({
    ...{ storage, clock, append, orders, logger: createTestLogger().logger },
    holdFilament: filaments.holdFilament,
    lockFilament: filaments.lockFilament,
    printerExists,
    transactionalServices: (tx) => book({ ...storage, inTransaction: (work) => work(tx) }),
  });
  const person: Actor = {
    ...{ accountId, accountName: '', email: '', tokenId: newId(), tokenName: 'OctoPrint', tokenExpiresAt: null },
  };
  const agent = {
    ...{ id: person.tokenId, name: 'OctoPrint', printer_id: printerId, printer_group_id: null, hint: '' },
    ...{ signed_only: false, created_at: '', last_used_at: null },
  };
  actor = { ...person, agent, token: '', lastUsedAt: null };
});

afterEach(() => storage.close());

const notice = (fields: Partial<Notice> = {}) =>
  reports.notice(actor, {
    ...{ source: 'octoprint', filename: 'a.gcode', file: 'a.gcode', outcome: 'failed', seconds: 600 },
    mayBeCancelled: fields.outcome === undefined || fields.outcome === 'failed',
    ...fields,
  });
const stored = async () =>
  (await reports.list(actor.accountId, printerId, { page: 1, per_page: 50 })).items.map(
    ({ outcome, held_until }) => outcome + (held_until === null ? '' : ' held'),
  );

test('a failure without a reason waits for the word that it was cancelled, and is told when none comes', async () => {
  await notice();
  expect([await stored(), told]).toEqual([['failed held'], []]);
  now += HOLD_MS - 1;
  await reports.releaseHeld();
  expect(await stored()).toEqual(['failed held']);
  now += 1;
  await Promise.all(Array.from({ length: 5 }, () => reports.releaseHeld()));
  expect([await stored(), told]).toEqual([['failed'], [['printer.print_failed', 'a.gcode']]]);
});

test('the word comes: one report, cancelled, and nobody is told, in whichever order', async () => {
  await notice();
  now += HOLD_MS - 1;
  await notice({ outcome: 'cancelled' });
  now += HOLD_MS;
  await reports.releaseHeld();
  expect([await stored(), told]).toEqual([['cancelled'], []]);

  await notice({ outcome: 'cancelled', file: 'b' });
  expect((await notice({ file: 'b' })).replayed).toBe(true);
  expect((await notice({ file: 'b', mayBeCancelled: false, reason: 'error' })).replayed).toBe(true);
  expect([await stored(), told]).toEqual([['cancelled', 'cancelled'], []]);
});

test('the word comes too late: what was told stays', async () => {
  await notice();
  now += HOLD_MS;
  await reports.releaseHeld();
  expect((await notice({ outcome: 'cancelled' })).replayed).toBe(true);
  expect([await stored(), told]).toEqual([['failed'], [['printer.print_failed', 'a.gcode']]]);
});

test('a reason settles what waits', async () => {
  await notice();
  const { result } = await notice({ mayBeCancelled: false, reason: 'Thermal runaway' });
  expect(result).toMatchObject({ outcome: 'failed', reason: 'Thermal runaway', held_until: null });
  expect(told).toEqual([['printer.print_failed', 'a.gcode']]);
});

test('what ran ten minutes cannot end again within ten minutes, and can thereafter', async () => {
  await notice({ outcome: 'finished', seconds: 600 });
  now += 600_000;
  expect((await notice({ outcome: 'finished', seconds: 600 })).replayed).toBe(true);
  now += 1;
  expect((await notice({ outcome: 'finished', seconds: 600 })).replayed).toBe(false);
  // of no length at all: within seconds it is a repeat
  now += 600_001;
  expect((await notice({ outcome: 'finished', seconds: undefined })).replayed).toBe(false);
  now += HOLD_MS + 1;
  expect((await notice({ outcome: 'finished', seconds: undefined })).replayed).toBe(false);
  expect(told).toHaveLength(4);
});

test('a length to the fraction of a second is that of one print, however late it is told again', async () => {
  await notice({ outcome: 'finished', seconds: 50.237 });
  now += 3_600_000;
  expect((await notice({ outcome: 'finished', seconds: 50.237 })).replayed).toBe(true);
  expect((await notice({ outcome: 'finished', seconds: 50.238 })).replayed).toBe(false);
});

test('what waits is told before what comes after it, and a replay tells of nothing', async () => {
  await notice();
  await reports.submit(actor, { event_id: '1', filename: 'b.gcode', outcome: 'finished' });
  expect(told.map(([, filename]) => filename)).toEqual(['a.gcode', 'b.gcode']);
  await notice({ file: 'c' });
  await reports.submit(actor, { event_id: '1', filename: 'b.gcode', outcome: 'finished' });
  expect(told).toHaveLength(2);
});

test('a report that fails on its way leaves nothing, and is taken when it is sent again', async () => {
  fault = new Error('the disk is full');
  const report = { event_id: '1', filename: 'a', outcome: 'finished' } as const;
  await expect(reports.submit(actor, report)).rejects.toThrow('the disk is full');
  expect(await query(storage.read, 'SELECT id FROM print_reports')).toEqual([]);
  fault = undefined;
  expect((await reports.submit(actor, report)).replayed).toBe(false);
});

test('one that cannot be settled does not keep others from being told', async () => {
  await notice();
  now += HOLD_MS;
  fault = new Error('the disk is full');
  await reports.releaseHeld();
  expect(await stored()).toEqual(['failed held']);
  fault = undefined;
  await reports.releaseHeld();
  expect(told).toHaveLength(1);
});
