import { createTestLogger } from '../../../test/kit/logger.ts';
import { forTest } from '../../../test/kit/opened.ts';
import { insertTestAccount, openTestStorage } from '../../../test/kit/storage.ts';
import { holdCurrency } from '../accounts/account-store.ts';
import type { Actor } from '../accounts/token.ts';
import type { EventName } from '../events/catalog.ts';
import { createFilamentService } from '../filaments/filament-service.ts';
import { createOrderService } from '../orders/order-service.ts';
import { createPrinter, createPrinterService } from '../printers/printer-service.ts';
import { holdPrinter } from '../printers/printer-store.ts';
import { newId } from '../shared/ids.ts';
import { query } from '../storage/dialect.ts';
import { createWithIdempotency } from '../storage/idempotency/with-idempotency.ts';
import type { Tx } from '../storage/transaction.ts';
import type { AgentActor } from './agent-service.ts';
import { HOLD_MS } from './report.ts';
import { createReportService, type ReportService } from './report-service.ts';
import type { UnidentifiedPrint } from './reported-print.ts';

const storage = forTest(openTestStorage);
let now: number;
let actor: AgentActor;
let printerId: string;
let reports: ReportService;
let events: [EventName, unknown][];
/** thrown instead of sending an event */
let fault: Error | undefined;

beforeEach(async () => {
  now = Date.UTC(2026, 10, 22, 12);
  events = [];
  fault = undefined;
  const clock = () => now;
  const accountId = await insertTestAccount(storage);
  ({ id: printerId } = await storage.inTransaction((tx) =>
    createPrinter(tx, accountId, { name: 'Anna', model: 'MK4', at: now }),
  ));
  const append = async (_: Tx, { event, data }: { event: EventName; data: unknown }) => {
    if (fault) throw fault;
    events.push([event, (data as { filename?: string }).filename]);
  };
  const withIdempotency = createWithIdempotency({ storage, clock });
  const shared = { storage, clock, withIdempotency, outbox: { append }, printers: { holdPrinter } };
  const orders = createOrderService(shared);
  const filaments = createFilamentService({ ...shared, orders, accounts: { holdCurrency } });
  const { logger } = createTestLogger();
  const printers = createPrinterService({ ...shared, printerChanged: orders.printerChanged });
  reports = createReportService({ storage, clock, outbox: { append }, orders, filaments, logger, printers });
  const person: Actor = {
    accountId,
    accountName: '',
    email: '',
    tokenId: newId(),
    tokenName: 'OctoPrint',
    tokenExpiresAt: null,
    passwordCheckedAt: null,
  };
  const agent = {
    id: person.tokenId,
    name: 'OctoPrint',
    printer_id: printerId,
    printer_group_id: null,
    hint: '',
    signed_only: false,
    created_at: '',
    last_used_at: null,
  };
  actor = { ...person, agent, token: '', lastUsedAt: null };
});

/** Records what printer software says about a print. */
const record = (fields: Partial<UnidentifiedPrint> = {}) =>
  reports.record(actor, {
    source: 'octoprint',
    filename: 'a.gcode',
    file: 'a.gcode',
    outcome: 'failed',
    seconds: 600,
    mayBeCancelled: fields.outcome === undefined || fields.outcome === 'failed',
    ...fields,
  });
/** Records a finished print in our own format. */
const recordFinished = (eventId: string, filename: string) =>
  reports.record(actor, { source: 'report', eventId, printerId: undefined, filename, outcome: 'finished' });
const stored = async () =>
  (await reports.list(actor.accountId, printerId, { page: 1, per_page: 50 })).items.map(
    ({ outcome, held_until }) => outcome + (held_until === null ? '' : ' held'),
  );

test('a failure without a reason is held, and its event is sent unless the print turns out to be cancelled', async () => {
  await record();
  expect([await stored(), events]).toEqual([['failed held'], []]);
  now += HOLD_MS - 1;
  await reports.releaseHeld();
  expect(await stored()).toEqual(['failed held']);
  now += 1;
  await Promise.all(Array.from({ length: 5 }, () => reports.releaseHeld()));
  expect([await stored(), events]).toEqual([['failed'], [['printer.print_failed', 'a.gcode']]]);
});

test('a failure and a cancellation of the same print, in either order, are one cancelled report without an event', async () => {
  await record();
  now += HOLD_MS - 1;
  await record({ outcome: 'cancelled' });
  now += HOLD_MS;
  await reports.releaseHeld();
  expect([await stored(), events]).toEqual([['cancelled'], []]);

  await record({ outcome: 'cancelled', file: 'b' });
  expect((await record({ file: 'b' })).replayed).toBe(true);
  expect((await record({ file: 'b', mayBeCancelled: false, reason: 'error' })).replayed).toBe(true);
  expect([await stored(), events]).toEqual([['cancelled', 'cancelled'], []]);
});

test('a cancellation that arrives after the event was sent changes nothing', async () => {
  await record();
  now += HOLD_MS;
  await reports.releaseHeld();
  expect((await record({ outcome: 'cancelled' })).replayed).toBe(true);
  expect([await stored(), events]).toEqual([['failed'], [['printer.print_failed', 'a.gcode']]]);
});

test('a failure with a reason releases the held report', async () => {
  await record();
  const { result } = await record({ mayBeCancelled: false, reason: 'Thermal runaway' });
  expect(result).toMatchObject({ outcome: 'failed', reason: 'Thermal runaway', held_until: null });
  expect(events).toEqual([['printer.print_failed', 'a.gcode']]);
});

test('a print that took ten minutes cannot end again within ten minutes, but can later', async () => {
  await record({ outcome: 'finished', seconds: 600 });
  now += 600_000;
  expect((await record({ outcome: 'finished', seconds: 600 })).replayed).toBe(true);
  now += 1;
  expect((await record({ outcome: 'finished', seconds: 600 })).replayed).toBe(false);
  // without a duration, a message within seconds is a repeat
  now += 600_001;
  expect((await record({ outcome: 'finished', seconds: undefined })).replayed).toBe(false);
  now += HOLD_MS + 1;
  expect((await record({ outcome: 'finished', seconds: undefined })).replayed).toBe(false);
  expect(events).toHaveLength(4);
});

test('a duration with fractions of a second identifies a print, however late it is reported again', async () => {
  await record({ outcome: 'finished', seconds: 50.237 });
  now += 3_600_000;
  expect((await record({ outcome: 'finished', seconds: 50.237 })).replayed).toBe(true);
  expect((await record({ outcome: 'finished', seconds: 50.238 })).replayed).toBe(false);
});

test('the event of a held report is sent before that of a later report, and a replay sends none', async () => {
  await record();
  await recordFinished('1', 'b.gcode');
  expect(events.map(([, filename]) => filename)).toEqual(['a.gcode', 'b.gcode']);
  await record({ file: 'c' });
  await recordFinished('1', 'b.gcode');
  expect(events).toHaveLength(2);
});

test('a report that fails stores nothing, and is accepted when it is sent again', async () => {
  fault = new Error('the disk is full');
  await expect(recordFinished('1', 'a')).rejects.toThrow('the disk is full');
  expect(await query(storage.read, 'SELECT id FROM print_reports')).toEqual([]);
  fault = undefined;
  expect((await recordFinished('1', 'a')).replayed).toBe(false);
});

test('a held report that cannot be processed is tried again in the next round', async () => {
  await record();
  now += HOLD_MS;
  fault = new Error('the disk is full');
  await reports.releaseHeld();
  expect(await stored()).toEqual(['failed held']);
  fault = undefined;
  await reports.releaseHeld();
  expect(events).toHaveLength(1);
});

describe('messages that name no file', () => {
  const unnamed = { filename: '', file: '', seconds: undefined };
  const all = async () =>
    (await reports.list(actor.accountId, printerId, { page: 1, per_page: 50 })).items.map(
      ({ outcome, filename, held_until, notes }) => [outcome, filename, held_until !== null, notes],
    );

  test.each([
    ['cancelled', { outcome: 'cancelled' }, {}],
    ['failed for a reason', { outcome: 'failed', mayBeCancelled: false, reason: 'error' }, {}],
    ['finished', { outcome: 'finished' }, { outcome: 'finished' }],
  ] as const)('belong to the print that ended as %s at the same time, in either order', async (_, named, other) => {
    for (const order of ['named first', 'named last']) {
      const messages = [named, { ...unnamed, ...other }];
      if (order === 'named last') messages.reverse();
      for (const message of messages) await record({ file: order, filename: order, ...message });
      // several repeats of both
      now += HOLD_MS - 1;
      for (const message of messages) await record({ file: order, filename: order, ...message });
      now += HOLD_MS;
      await reports.releaseHeld();
    }
    expect(await all()).toEqual([
      [named.outcome, 'named last', false, []],
      [named.outcome, 'named first', false, []],
    ]);
    expect(events).toHaveLength(named.outcome === 'cancelled' ? 0 : 2);
  });

  test('say that a held failure was cancelled', async () => {
    await record();
    await record({ ...unnamed, outcome: 'cancelled' });
    expect([await all(), events]).toEqual([[['cancelled', 'a.gcode', false, []]], []]);
  });

  test('wait for a name and for a cancellation', async () => {
    await record(unnamed);
    await record();
    expect(await all()).toEqual([['failed', 'a.gcode', true, []]]);
    await record({ outcome: 'cancelled' });
    expect([await all(), events]).toEqual([[['cancelled', 'a.gcode', false, []]], []]);
  });

  test('of which one says that the print was cancelled still wait for a name', async () => {
    await record(unnamed);
    await record({ ...unnamed, outcome: 'cancelled' });
    expect(await all()).toEqual([['cancelled', '', true, []]]);
    await record();
    expect([await all(), events]).toEqual([[['cancelled', 'a.gcode', false, []]], []]);
  });

  test.each(['finished', 'failed', 'cancelled'] as const)(
    'are reported once if they stay alone: %s',
    async (outcome) => {
      for (let n = 0; n < 3; n++) await record({ ...unnamed, outcome });
      expect([await all(), events]).toEqual([[[outcome, '', true, []]], []]);
      now += HOLD_MS;
      await reports.releaseHeld();
      expect(await all()).toEqual([[outcome, '', false, ['no_file']]]);
      expect(events).toHaveLength(outcome === 'cancelled' ? 0 : 1);
    },
  );

  test('are prints of their own if the other ended differently', async () => {
    await record({ outcome: 'finished' });
    await record(unnamed);
    now += HOLD_MS;
    await reports.releaseHeld();
    expect(events).toEqual([
      ['printer.print_finished', 'a.gcode'],
      ['printer.print_failed', ''],
    ]);
  });

  test('belong to the newest of several prints that ended as they say', async () => {
    await record({ file: 'a', filename: 'a', outcome: 'cancelled' });
    await record({ file: 'b', filename: 'b', outcome: 'finished' });
    await record(unnamed);
    expect(await all()).toEqual([
      ['finished', 'b', false, []],
      ['cancelled', 'a', false, []],
    ]);
  });

  test('are given the name that comes after their event was sent, if the print lasted until then', async () => {
    await record(unnamed);
    now += HOLD_MS + 2_000;
    await reports.releaseHeld();
    const late = await record({ outcome: 'cancelled', seconds: 3600.25 });
    expect(late).toMatchObject({ replayed: true, result: { outcome: 'failed', filename: 'a.gcode' } });
    expect(await all()).toEqual([['failed', 'a.gcode', false, []]]);
    now += 24 * 3_600_000;
    expect((await record({ outcome: 'cancelled', seconds: 3600.25 })).replayed).toBe(true);
    expect(events).toEqual([['printer.print_failed', '']]);
  });

  test('with a duration that identifies a print are repeats, however late', async () => {
    await record({ ...unnamed, outcome: 'finished', seconds: 50.237 });
    now += 3_600_000;
    await reports.releaseHeld();
    expect((await record({ ...unnamed, outcome: 'finished', seconds: 50.237 })).replayed).toBe(true);
  });

  test('of another program are prints of their own', async () => {
    await record({ outcome: 'cancelled' });
    await record({ ...unnamed, source: 'apprise', outcome: 'cancelled' });
    expect(await all()).toHaveLength(2);
  });
});
