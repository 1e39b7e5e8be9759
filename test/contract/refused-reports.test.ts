import { newReport, type Report, sign, type TestAgent } from '../kit/agent.ts';
import type { Browser } from '../kit/console-client.ts';
import { openBrowser } from '../kit/console-client.ts';
import { expectProblem, type Filament, type Order, type Printer, range, startFarm } from '../kit/farm.ts';
import { forSuite } from '../kit/opened.ts';

// Reports that the server refuses are kept for the owner, and no clock decides whether a report is taken.

interface Refused {
  id: string;
  printer_id: string | null;
  source: string;
  agent_name: string;
  event_id: string | null;
  filename: string | null;
  code: string;
  reason: string;
  can_retry: boolean;
  received_count: number;
}

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;

const farm = forSuite(startFarm);
let owner: Browser;
let printer: Printer;
let agent: TestAgent;

beforeAll(async () => {
  owner = await farm.console();
});
beforeEach(async () => {
  printer = await farm.printer({ name: 'Anna' });
  agent = await farm.agent({ printer_id: printer.id, name: 'Script' });
});

const refusedOf = async (id = printer.id) =>
  (await owner.get<{ items: Refused[] }>(`/printers/${id}/refused-reports`)).body.items;
const reportsOf = async (id = printer.id) =>
  (await owner.get<{ items: Report[] }>(`/printers/${id}/reports`)).body.items;
const retry = (id: string, printerId = printer.id) =>
  owner.post<Report>(`/printers/${printerId}/refused-reports/${id}/retry`, undefined);
const ago = (ms: number, since = Date.now()) => new Date(since - ms).toISOString();
/** Whether a time lies between then and now. */
function expectSince(at: string, began: number): void {
  expect(Date.parse(at)).toBeGreaterThanOrEqual(began);
  expect(Date.parse(at)).toBeLessThanOrEqual(Date.now());
}

describe('clocks', () => {
  test.each([
    ['10 minutes ahead', 10 * MINUTE_MS],
    ['a day ahead', DAY_MS],
    ['50 years ahead', 50 * 365 * DAY_MS],
    ['a day behind', -DAY_MS],
    ['50 years behind', -50 * 365 * DAY_MS],
  ])(
    'a report of a clock that is %s is accepted with the time by ours, and a retry is the same report',
    async (_, ms) => {
      const began = Date.now();
      const theirs = began + ms;
      const report = newReport({ at: ago(20 * MINUTE_MS, theirs), sent_at: ago(0, theirs) });
      const first = await agent.client.post<Report>('/reports', report);
      expect(first.status).toBe(201);
      expectSince(ago(-20 * MINUTE_MS, Date.parse(first.body.at)), began);
      const again = await agent.client.post<Report>('/reports', { ...report, sent_at: ago(-3_000, theirs) });
      expect([again.status, again.body]).toEqual([200, first.body]);
      // the end is part of the content, as sent
      const other = await agent.client.post('/reports', { ...report, at: ago(19 * MINUTE_MS, theirs) });
      expectProblem(other, 409, 'idempotency_conflict');
    },
  );

  test('an end after it was sent, as by the clock of a printer that is ahead, is now', async () => {
    for (const behind of [0, DAY_MS]) {
      const began = Date.now();
      const { status, body } = await agent.report({ at: ago(behind - DAY_MS), sent_at: ago(behind) });
      expect(status).toBe(201);
      expectSince(body.at, began);
    }
  });

  test('an end by a clock like ours is stored as sent', async () => {
    const at = ago(DAY_MS);
    expect((await agent.report({ at, sent_at: ago(-4_000) })).body.at).toBe(at);
  });

  test('the ends of the calendar are accepted', async () => {
    for (const [at, sent_at] of [
      ['0000-01-01T00:00:00Z', '9999-12-31T23:59:59Z'],
      ['9999-12-31T23:59:59Z', '0000-01-01T00:00:00Z'],
    ])
      expect((await agent.report({ at, sent_at })).status).toBe(201);
    expectProblem(await agent.report({ sent_at: 'now' }), 422, 'validation_error');
  });

  test('a client that does not say when it sent may be 5 minutes ahead; beyond, its report waits for its owner', async () => {
    expect((await agent.report({ at: ago(-4 * MINUTE_MS) })).status).toBe(201);
    const began = Date.now();
    const problem = expectProblem(
      await agent.report({ event_id: 'ahead', filename: 'ahead.gcode', at: ago(-10 * MINUTE_MS) }),
      422,
      'validation_error',
    );
    expect(problem).toMatchObject({ kept: true, errors: [{ pointer: '/at' }] });
    const [refused] = await refusedOf();
    expect(refused).toMatchObject({
      printer_id: printer.id,
      source: 'report',
      agent_name: 'Script',
      event_id: 'ahead',
      can_retry: true,
      filename: 'ahead.gcode',
      code: 'validation_error',
      reason: problem.detail,
      received_count: 1,
    });
    const { status, body } = await retry(refused?.id as string);
    expect([status, body.event_id, body.agent_name]).toEqual([201, 'ahead', 'Script']);
    // it ended when it was received, at the latest
    expectSince(body.at, began);
    expect(await refusedOf()).toEqual([]);
    expect((await reportsOf())[0]).toEqual(body);
  });
});

describe('refused reports', () => {
  const ahead = () => ago(-DAY_MS);

  test('the same again is counted, and forgotten once the client sends something that is accepted', async () => {
    const subscription = await farm.subscription({ events: ['printer.print_finished'] });
    const report = newReport({ event_id: 'e', at: ahead() });
    for (const sent of [report, { ...report, printer_id: printer.id }, report, report])
      expectProblem(await agent.client.post('/reports', sent), 422, 'validation_error');
    expect((await refusedOf()).map(({ received_count: count }) => count).sort()).toEqual([1, 3]);
    expect((await agent.report({ event_id: 'e' })).status).toBe(201);
    expect(await refusedOf()).toEqual([]);
    await subscription.until((all) => all.length === 1);
    await farm.clear();
  });

  test('what is accepted when tried again does what the rules of its printer say, once', async () => {
    const spool = await farm.filament({ spool_count: 1 });
    const order = await farm.order({ printer_id: printer.id, workflow_status: 'printing' });
    await owner.put(`/printers/${printer.id}/rules`, {
      deduct_grams: true,
      loaded_filament_id: spool.id,
      on_finished: 'packing',
    });
    const event = newReport({ grams: 12.5, at: ahead() });
    await agent.client.post('/reports', event);
    const [refused] = await refusedOf();
    const answers = await Promise.all(range(5).map(() => retry(refused?.id as string)));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 404, 404, 404, 404]);
    expect((await farm.client.get<Filament>(`/filaments/${spool.id}`)).body.used_grams).toBe(12.5);
    expect((await farm.client.get<Order>(`/print-jobs/${order.id}`)).body.workflow_status).toBe('packing');
    // the client, which knows nothing of it, sends it once more
    expectProblem(await agent.client.post('/reports', { ...event, grams: 13 }), 409, 'idempotency_conflict');
    expect((await agent.client.post('/reports', event)).status).toBe(200);
  });

  test('a new refusal replaces the reason', async () => {
    const order = await farm.order();
    await agent.report({ order_id: order.id, at: ahead() });
    const [before] = await refusedOf();
    expect(before?.reason).toMatch('more than 5 minutes ahead');
    await farm.client.delete(`/print-jobs/${order.id}`);
    const problem = expectProblem(await retry(before?.id as string), 422, 'validation_error');
    expect(problem.detail).toBe('No order with this ID in the account.');
    expect(await refusedOf()).toEqual([{ ...before, reason: problem.detail }]);
  });

  test('an event_id that belongs to another report can only be dismissed', async () => {
    await agent.report({ event_id: 'same', filename: 'one.gcode' });
    const { kept } = expectProblem(
      await agent.report({ event_id: 'same', filename: 'other.gcode' }),
      409,
      'idempotency_conflict',
    ) as { kept?: boolean };
    expect(kept).toBe(true);
    const [refused] = await refusedOf();
    expect(refused).toMatchObject({ filename: 'other.gcode', code: 'idempotency_conflict', can_retry: false });
    expectProblem(await retry(refused?.id as string), 409, 'idempotency_conflict');
    const path = `/printers/${printer.id}/refused-reports/${refused?.id}`;
    expect((await owner.delete(path)).status).toBe(204);
    expectProblem(await owner.delete(path), 404, 'not_found');
    expectProblem(await retry(refused?.id as string), 404, 'not_found');
    expect(await refusedOf()).toEqual([]);
  });

  test('a body that cannot be read is listed without being called kept, and a longer one is not stored', async () => {
    const send = (raw: string, headers = {}) => agent.client.call('POST', '/reports', { raw, headers });
    const long = JSON.stringify(newReport({ event_id: 'long', reason: 'x'.repeat(20_000) }));
    for (const answer of [
      await send('{"event_id":'),
      await send('{"event_id":"other'),
      await send('['.repeat(40) + ']'.repeat(40)),
      await send(`"${'x'.repeat(100_000)}"`),
      await send('a=b', { 'Content-Type': 'application/x-www-form-urlencoded' }),
      await send(long),
    ])
      expect(answer.body.kept).toBeUndefined();
    const listed = await refusedOf();
    expect(listed.map(({ code, received_count: count }) => `${code} ${count}`).sort()).toEqual([
      'body_too_large 1',
      'json_too_deep 1',
      'malformed_json 2',
      'unsupported_media_type 1',
      'validation_error 1',
    ]);
    expect(listed.every(({ can_retry: canRetry }) => !canRetry)).toBe(true);
    expectProblem(await retry(listed[0]?.id as string), 422, 'validation_error');
  });

  test('a wrong token or signature keeps nothing', async () => {
    const signed = await farm.agent({ printer_id: printer.id, signed_only: true });
    const raw = JSON.stringify(newReport({ at: ahead() }));
    expectProblem(await signed.client.call('POST', '/reports', { raw }), 401, 'unauthorized');
    const headers = { 'X-Agent-Signature': sign(signed.token, 'another body') };
    expectProblem(await signed.client.call('POST', '/reports', { raw, headers }), 401, 'unauthorized');
    expectProblem(await signed.client.call('POST', '/reports', { raw, token: 'agt_x' }), 401, 'unauthorized');
    expect(await refusedOf()).toEqual([]);
  });

  test('tokens and secrets are never stored', async () => {
    const group = (await owner.post<{ id: string }>('/printer-groups', { name: 'Hall' })).body;
    const own = await farm.agent({ printer_group_id: group.id });
    const message = { topic: 'Print Done', apiSecret: own.token, meta: { password: 'hunter2', note: own.token } };
    expectProblem(await own.client.post('/octoprint', message), 422, 'validation_error');
    const rows = JSON.stringify(await farm.inspector.rows('SELECT * FROM refused_reports'));
    expect(rows).toContain('Print Done');
    for (const secret of [own.token, 'hunter2']) expect(rows).not.toContain(secret);
  });

  test('keeps the last 100 of a printer, however many are sent at once', async () => {
    const names = range(130).map((n) => `part ${n}`);
    for (const filename of names.slice(0, 100)) await agent.report({ filename, at: ahead() });
    await Promise.all(names.slice(100).map((filename) => agent.report({ filename, at: ahead() })));
    const kept = (await refusedOf()).map(({ filename }) => filename);
    expect(kept).toHaveLength(100);
    expect(new Set(kept)).toEqual(new Set(names.slice(30)));
  });
});

test('a group’s report that names no printer is on the page of each, and becomes a report of the one chosen', async () => {
  const group = (await owner.post<{ id: string }>('/printer-groups', { name: 'Hall' })).body;
  const [a, b] = [await farm.printer({ group_id: group.id }), await farm.printer({ group_id: group.id, name: 'B' })];
  const own = await farm.agent({ printer_group_id: group.id });
  expectProblem(await own.report({ event_id: 'no printer' }), 422, 'validation_error');
  expectProblem(await own.report({ event_id: 'of b', printer_id: b.id, at: ago(-DAY_MS) }), 422, 'validation_error');
  expect((await refusedOf(a.id)).map(({ event_id }) => event_id)).toEqual(['no printer']);
  const [ofB, unnamed] = await refusedOf(b.id);
  expect([ofB?.printer_id, unnamed?.printer_id]).toEqual([b.id, null]);
  const counts = (await owner.get<{ items: { printer_id: string; refused: number }[] }>('/refused-reports')).body.items;
  expect(counts).toEqual(
    expect.arrayContaining([
      { printer_id: a.id, refused: 1 },
      { printer_id: b.id, refused: 2 },
    ]),
  );
  // its agent may be gone by then
  await owner.delete(`/agents/${own.id}`);
  const made = await retry(unnamed?.id as string, b.id);
  expect([made.status, made.body.printer_id, made.body.event_id]).toEqual([201, b.id, 'no printer']);
  expect(await refusedOf(a.id)).toEqual([]);
  expectProblem(await retry(ofB?.id as string, a.id), 404, 'not_found');
  expect((await owner.delete(`/printers/${b.id}`)).status).toBe(204);
  expect(await farm.inspector.rows('SELECT id FROM refused_reports WHERE printer_id = ?', [b.id])).toEqual([]);
});

test('refused reports of another account are unknown', async () => {
  await agent.report({ at: ago(-DAY_MS) });
  const [refused] = await refusedOf();
  const { email } = await farm.newAccount();
  const stranger = await openBrowser(farm.service);
  await stranger.signIn(email);
  const path = `/printers/${printer.id}/refused-reports`;
  expect((await stranger.get(path)).status).toBe(404);
  expect((await stranger.post(`${path}/${refused?.id}/retry`, undefined)).status).toBe(404);
  expect((await stranger.delete(`${path}/${refused?.id}`)).status).toBe(404);
  expect((await stranger.get<{ items: unknown[] }>('/refused-reports')).body.items).toEqual([]);
  expect(await refusedOf()).toHaveLength(1);
});
