import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { newReport, type Report, sign, type TestAgent } from '../kit/agent.ts';
import { createClient, toAnswer } from '../kit/client.ts';
import { eventually } from '../kit/eventually.ts';
import {
  expectProblem,
  type Filament,
  type Listed,
  names,
  type Order,
  type Printer,
  range,
  startFarm,
  UNKNOWN_ID,
} from '../kit/farm.ts';
import { times } from '../kit/length.ts';
import { forSuite } from '../kit/opened.ts';
import { createRandom, seedFrom } from '../kit/random.ts';
import type { Received } from '../kit/receiver.ts';

const REPORT_EVENTS = ['printer.print_finished', 'printer.print_failed'];

const farm = forSuite(startFarm);
let printer: Printer;
let agent: TestAgent;

beforeAll(async () => {
  printer = await farm.printer();
  agent = await farm.agent({ printer_id: printer.id });
});
afterEach(() => farm.clear());

const rules = async (fields: Record<string, unknown>, id = printer.id) =>
  expect((await (await farm.console()).put(`/printers/${id}/rules`, fields)).status).toBe(200);
const noRules = {
  deduct_grams: false,
  loaded_filament_id: null,
  on_finished: null,
  on_failed: null,
  on_cancelled: null,
};

/** Everything that a report could have changed. */
const readAll = async () => {
  const tables = ['agents', 'print_reports', 'events', 'deliveries', 'orders', 'order_history', 'filaments'];
  const rows = [];
  for (const table of [...tables, 'filament_ledger', 'printers', 'printer_rules'])
    rows.push(await farm.inspector.rows(`SELECT * FROM ${table} ORDER BY 1`));
  return JSON.stringify(rows);
};

/** The agent's last use is written after the response, once a minute; until then the database changes. */
const atRest = (id: string) =>
  eventually(
    async () =>
      (
        await farm.inspector.rows<{ last_used_at: number | null }>('SELECT last_used_at FROM agents WHERE id = ?', [id])
      )[0],
    (row) => row?.last_used_at !== null,
  );

test('accepts the two reports of the documentation page in sequence', async () => {
  const page = readFileSync(join(__dirname, '../../docs/reference/agent-api.md'), 'utf8');
  const own = await farm.agent({ printer_id: (await farm.printer()).id });
  const bodies = [/-d '(\{.*\})'/, /body='(\{.*\})'/].map((pattern) => pattern.exec(page)?.[1] as string);
  for (const raw of bodies) {
    const headers = { 'X-Agent-Signature': sign(own.token, raw) };
    expect((await own.client.call('POST', '/reports', { raw, headers })).status).toBe(201);
  }
});

describe('authentication', () => {
  test('returns the agent, the server time and its printers at GET /me', async () => {
    const { status, body } = await agent.client.get('/me');
    expect(status).toBe(200);
    expect(body).toEqual({
      agent_id: agent.id,
      name: 'Moonraker',
      signed_only: false,
      server_time: expect.any(String),
      printers: [{ id: printer.id, name: printer.name }],
    });
    expect(Math.abs(Date.parse(body.server_time as string) - Date.now())).toBeLessThan(60_000);
  });

  test('accepts each token only in its own API, and sessions only in the console', async () => {
    const at = async (path: string, headers: Record<string, string>) =>
      (await fetch(farm.service.origin + path, { headers })).status;
    const bearer = (token: string) => ({ Authorization: `Bearer ${token}` });
    const Cookie = `farmboard=${(await farm.console()).cookie()}`;
    expect(await at('/agent/v1/me', bearer(agent.token))).toBe(200);
    expect(await at('/agent/v1/me', bearer(farm.token))).toBe(401);
    expect(await at('/agent/v1/me', { Cookie })).toBe(401);
    expect(await at('/agent/v1/me', {})).toBe(401);
    expect(await at('/api/v1/me', bearer(agent.token))).toBe(401);
    expect(await at('/console/api/print-reports', bearer(agent.token))).toBe(401);
    expect(await at('/console/api/print-reports', { Cookie })).toBe(200);
  });

  test('refuses a revoked token at once and keeps its reports', async () => {
    const own = await farm.agent({ printer_id: printer.id, name: 'gone' });
    const { body } = await own.report();
    const owner = await farm.console();
    expect((await owner.delete(`/agents/${own.id}`)).status).toBe(204);
    expectProblem(await own.report(), 401, 'unauthorized');
    expect((await owner.delete(`/agents/${own.id}`)).status).toBe(404);
    const list = await owner.get<Listed<Report>>(`/printers/${printer.id}/reports`);
    expect(list.body.items).toContainEqual(body);
  });

  test('returns the token once, stores a hash and records its use', async () => {
    const owner = await farm.console();
    const own = await farm.agent({ printer_id: printer.id });
    expect(own.token).toMatch(/^agt_[0-9A-Za-z]{36}$/);
    await own.client.get('/me');
    await atRest(own.id);
    const stored = JSON.stringify(await farm.inspector.rows('SELECT * FROM agents'));
    expect(stored).not.toContain(own.token);
    const { items } = (await owner.get<{ items: { id: string; hint: string; last_used_at: string }[] }>('/agents'))
      .body;
    const listed = items.find(({ id }) => id === own.id);
    expect(listed).toMatchObject({ hint: own.token.slice(-4), last_used_at: expect.any(String) });
    expect(JSON.stringify(items)).not.toContain(own.token);
  });

  test('requires a valid signature with signed_only', async () => {
    const own = await farm.agent({ printer_id: printer.id, signed_only: true });
    expectProblem(await own.report(), 401, 'unauthorized');
    expectProblem(
      await own.client.post('/octoprint', { topic: 'Print Done', apiSecret: own.token }),
      401,
      'unauthorized',
    );
    expect((await own.client.get('/me')).status).toBe(200);
    expect((await own.signed()).status).toBe(201);
    const now = () => Math.floor(Date.now() / 1000);
    expect((await own.signed({}, now() - 290)).status).toBe(201);
    for (const away of [-301, 301 + 5]) expectProblem(await own.signed({}, now() + away), 401, 'unauthorized');
    // an agent that need not sign is refused if it signs wrongly
    const headers = { 'X-Agent-Signature': sign(agent.token, 'another body') };
    expectProblem(await agent.report({}, headers), 401, 'unauthorized');
    // as the API documentation shows it for a shell
    const body = JSON.stringify(newReport());
    const at = now();
    const openssl = execFileSync('openssl', ['dgst', '-sha256', '-hmac', own.token, '-r'], { input: `${at}.${body}` });
    expect(sign(own.token, body, at)).toBe(`t=${at},v1=${String(openssl).split(' ')[0]}`);
    // authentication comes before validation
    expectProblem(await own.client.call('POST', '/reports', { raw: '{' }), 401, 'unauthorized');
  });
});

const CHANGED = times(360, 10_000);

test(`refuses all ${CHANGED} reports altered in transit and writes nothing`, async () => {
  const seed = seedFrom('AGENT_SEED');
  const random = createRandom(seed).next;
  const below = (most: number) => Math.floor(random() * most);
  const own = await farm.agent({ printer_id: printer.id, signed_only: true });
  expect((await own.signed()).status).toBe(201);
  await atRest(own.id);
  const before = await readAll();
  const flip = (bytes: Buffer) => {
    const at = below(bytes.length);
    bytes[at] = (bytes[at] as number) ^ (1 << below(8));
    return bytes;
  };
  const flipText = (text: string) => flip(Buffer.from(text, 'latin1')).toString('latin1');
  const isSendable = (text: string) => /^[\x21-\x7e]+$/.test(text);
  const now = () => Math.floor(Date.now() / 1000);
  const kinds: ((raw: Buffer) => { raw: Buffer; signature?: string; token?: string })[] = [
    (raw) => ({ signature: sign(own.token, raw), raw: flip(Buffer.from(raw)) }),
    (raw) => ({ signature: sign(own.token, raw), raw: Buffer.concat([raw, Buffer.from(' ')]) }),
    (raw) => ({ signature: sign(own.token, raw), raw: raw.subarray(0, 1 + below(raw.length - 1)) }),
    (raw) => ({ raw, signature: flipText(sign(own.token, raw)) }),
    (raw) => ({ raw, signature: sign(own.token, raw), token: flipText(own.token) }),
    (raw) => ({ raw, signature: sign(own.token, raw).replace(/t=\d+/, `t=${now() + 1 + below(200)}`) }),
    (raw) => ({ raw, signature: sign(own.token, raw, now() + (below(2) ? 302 + below(1e6) : -301 - below(1e6))) }),
    (raw) => ({ raw, signature: sign(agent.token, raw) }),
    (raw) => ({ raw, signature: sign(own.token, raw).replace(/[0-9a-f]{64}/, randomBytes(32).toString('hex')) }),
    (raw) => ({ raw, signature: sign(own.token, raw).slice(0, -1 - below(60)) }),
    (raw) => ({ raw, signature: '' }),
    (raw) => ({ raw }),
    (raw) => ({ raw, signature: sign(own.token, raw), token: '' }),
  ];
  const counts = new Map<number, number>();
  let left = CHANGED;
  const worker = async () => {
    while (left-- > 0) {
      const raw = Buffer.from(JSON.stringify(newReport({ grams: below(1000), event_id: `mutated ${left}` })));
      const make = kinds[left % kinds.length] as (typeof kinds)[number];
      let sent = make(raw);
      // skips changes that Node can't send in a header
      while (!isSendable(sent.signature || 'x') || !isSendable(sent.token || 'x')) sent = make(raw);
      const { status } = await fetch(`${farm.service.origin}/agent/v1/reports`, {
        method: 'POST',
        headers: {
          'Content-Type': 'application/json',
          ...(sent.token === '' ? {} : { Authorization: `Bearer ${sent.token ?? own.token}` }),
          ...(sent.signature === undefined ? {} : { 'X-Agent-Signature': sent.signature }),
        },
        body: new Uint8Array(sent.raw),
      });
      counts.set(status, (counts.get(status) ?? 0) + 1);
    }
  };
  await Promise.all(range(16).map(worker));
  process.stdout.write(`agents.test: AGENT_SEED=${seed}, answers ${JSON.stringify([...counts])}\n`);
  expect([...counts]).toEqual([[401, CHANGED]]);
  expect(await readAll()).toBe(before);
});

describe('repeated reports', () => {
  test('stores one of 50 concurrent copies with one event and one deduction, and answers all alike', async () => {
    const subscription = await farm.subscription({ events: REPORT_EVENTS });
    const spool = await farm.filament({ spool_count: 1 });
    const order = await farm.order({ printer_id: printer.id, workflow_status: 'printing' });
    await rules({ deduct_grams: true, loaded_filament_id: spool.id, on_finished: 'packing' });
    const report = newReport({ grams: 12.5, order_id: order.id, at: new Date().toISOString() });
    const raw = JSON.stringify(report);
    const headers = { 'X-Agent-Signature': sign(agent.token, raw) };
    const answers = await Promise.all(
      range(50).map(() => agent.client.call<Report>('POST', '/reports', { raw, headers })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([...range(49).map(() => 200), 201]);
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
    for (const answer of answers)
      expect(answer.headers.get('idempotency-replayed')).toBe(answer.status === 200 ? 'true' : null);
    const [first] = answers as [(typeof answers)[number]];
    expect(first.body).toMatchObject({ deducted_grams: 12.5, moved_to: 'packing', order_id: order.id, notes: [] });
    const { body: marker } = await agent.report({ filename: 'marker' });
    await subscription.until((all) => all.some(({ body }) => body.data.filename === 'marker'));
    expect(subscription.received.map(({ body }) => body.data.filename)).toEqual([report.filename, marker.filename]);
    expect((await farm.client.get<Filament>(`/filaments/${spool.id}`)).body.used_grams).toBe(12.5);
    const ledger = await farm.client.get<Listed<Record<string, unknown>>>(`/filaments/${spool.id}/ledger`);
    expect(ledger.body.items[0]).toMatchObject({
      grams: -12.5,
      order_id: order.id,
      printer_id: printer.id,
      note: report.filename,
    });
    const history = await farm.client.get<Listed<{ kind: string; actor: string }>>(`/print-jobs/${order.id}/history`);
    expect(history.body.items.map(({ kind }) => kind)).toEqual(['status_changed', 'consumption', 'created']);
    expect(history.body.items[0]?.actor).toBe('Moonraker');
    await rules(noRules);
  });

  test('refuses an event_id repeated with other content, but accepts it from another printer', async () => {
    const report = newReport({ filename: 'a', grams: 1 });
    expect((await agent.client.post('/reports', report)).status).toBe(201);
    expect((await agent.client.post('/reports', { ...report, unknown: 1 })).status).toBe(200);
    expect((await agent.client.post('/reports', { ...report, printer_id: printer.id })).status).toBe(200);
    for (const other of [{ grams: 2 }, { filename: 'b' }, { outcome: 'failed' }, { reason: 'x' }])
      expectProblem(await agent.client.post('/reports', { ...report, ...other }), 409, 'idempotency_conflict');
    const second = await farm.printer();
    const its = await farm.agent({ printer_id: second.id });
    expect((await its.client.post('/reports', report)).status).toBe(201);
  });

  test('stores a cancelled print without an event, and sends events in stored order', async () => {
    const subscription = await farm.subscription({ events: REPORT_EVENTS });
    const stored: string[] = [];
    await Promise.all(
      range(30).map(async (n) => {
        const outcome = ['finished', 'failed', 'cancelled'][n % 3];
        expect((await agent.report({ filename: `print ${n}`, outcome })).status).toBe(201);
      }),
    );
    const owner = await farm.console();
    const { items } = (await owner.get<Listed<Report>>(`/printers/${printer.id}/reports?per_page=30`)).body;
    for (const { filename, outcome } of items.reverse()) if (outcome !== 'cancelled') stored.push(filename);
    await subscription.until((all) => all.length === 20);
    expect(subscription.received.map(({ body }) => body.data.filename)).toEqual(stored);
    expect(new Set(names(subscription.received))).toEqual(new Set(REPORT_EVENTS));
  });
});

describe('authorization', () => {
  test('requires a group’s agent to name a printer of its group', async () => {
    const owner = await farm.console();
    const { body: group } = await owner.post<{ id: string }>('/printer-groups', { name: 'Hall' });
    const [a, other] = [await farm.printer({ group_id: group.id }), await farm.printer()];
    const own = await farm.agent({ printer_group_id: group.id });
    const of = (printer_id?: string) => own.report(printer_id === undefined ? {} : { printer_id });
    expect((await of()).body.printer_id).toBe(a.id);
    expect((await of(a.id.toUpperCase())).body.printer_id).toBe(a.id);
    const b = await farm.printer({ group_id: group.id, name: 'B', internal_name: 'shelf 2' });
    expect(expectProblem(await of(), 422, 'validation_error').detail).toContain(b.id);
    expect((await of(b.id)).body.printer_id).toBe(b.id);
    for (const id of [other.id, UNKNOWN_ID]) expectProblem(await of(id), 422, 'validation_error');
    expect(expectProblem(await agent.report({ printer_id: b.id }), 422, 'validation_error').errors?.[0]?.pointer).toBe(
      '/printer_id',
    );
    // receivers identify it by OctoPrint's name for it
    const extra = { name: 'a', path: 'a', time: 5.5 };
    const done = await own.client.post<Report>('/octoprint', {
      topic: 'Print Done',
      deviceIdentifier: 'Shelf 2',
      extra,
    });
    expect(done.body.printer_id).toBe(b.id);
    expectProblem(await own.client.post('/octoprint', { topic: 'Print Done', extra }), 422, 'validation_error');
    // the agent of a group can't report for a printer that has left the group, and an empty group has none
    await owner.put(`/printers/${b.id}`, { group_id: null });
    expectProblem(await of(b.id), 422, 'validation_error');
    await owner.put(`/printers/${a.id}`, { group_id: null });
    expectProblem(await of(), 422, 'validation_error');
    expect((await owner.delete(`/printer-groups/${group.id}`)).status).toBe(204);
    expectProblem(await of(), 401, 'unauthorized');
    expect((await owner.get<Listed<Report>>(`/printers/${a.id}/reports`)).body.total).toBe(2);
    expect((await owner.delete(`/printers/${a.id}`)).status).toBe(204);
    expect(await farm.inspector.rows('SELECT id FROM print_reports WHERE printer_id = ?', [a.id])).toEqual([]);
  });

  test('refuses orders and filaments of another account, and ignores one in a file name', async () => {
    const stranger = { token: (await farm.newAccount()).token };
    const theirs = (await farm.createOrder({ workflow_status: 'printing' }, stranger)).body;
    const spool = { name: 'theirs', spool_count: 1 };
    const filament = (await farm.client.post<Filament>('/filaments', spool, stranger)).body;
    await rules({ deduct_grams: true, on_finished: 'done' });
    for (const [field, id] of [
      ['order_id', theirs.id],
      ['filament_id', filament.id],
    ] as const) {
      const refused = expectProblem(await agent.report({ [field]: id, grams: 1 }), 422, 'validation_error');
      expect(refused.errors?.[0]?.pointer).toBe(`/${field}`);
    }
    const owner = await farm.console();
    expect((await owner.put(`/printers/${printer.id}/rules`, { loaded_filament_id: filament.id })).status).toBe(422);
    const { body } = await agent.report({ filename: `ORDER-${theirs.id}.gcode`, grams: 1 });
    expect(body).toMatchObject({ order_id: null, moved_to: null, notes: ['unknown_order', 'no_filament'] });
    expect((await farm.client.get<Order>(`/print-jobs/${theirs.id}`, stranger)).body.workflow_status).toBe('printing');
    expect((await farm.client.get<Filament>(`/filaments/${filament.id}`, stranger)).body.used_grams).toBe(0);
    for (const path of [`/printers/${printer.id}/reports`, `/printers/${printer.id}/rules`]) {
      expect((await owner.get(path.replace(printer.id, UNKNOWN_ID))).status).toBe(404);
    }
    await rules(noRules);
  });
});

describe('rules set by the owner', () => {
  test('moves no order and deducts no grams by default', async () => {
    const own = await farm.printer();
    const its = await farm.agent({ printer_id: own.id });
    const spool = await farm.filament({ spool_count: 1 });
    const order = await farm.order({ printer_id: own.id, workflow_status: 'printing' });
    const { body } = await its.report({ grams: 5, filament_id: spool.id });
    expect(body).toMatchObject({
      order_id: order.id,
      order_name: 'Bracket',
      deducted_grams: null,
      moved_to: null,
      notes: [],
    });
    expect((await farm.readOrder(order.id)).workflow_status).toBe('printing');
    expect((await farm.client.get<Filament>(`/filaments/${spool.id}`)).body.used_grams).toBe(0);
  });

  test('matches the named order, else the label’s, else the only one being printed, but never one that moved on', async () => {
    const own = await farm.printer();
    const its = await farm.agent({ printer_id: own.id });
    await rules({ on_finished: 'packing', on_failed: 'print_error', on_cancelled: 'confirmed' }, own.id);
    const make = (workflow_status: string, more = {}) => farm.order({ workflow_status, printer_id: own.id, ...more });
    const statusOf = async ({ id }: Order) => (await farm.readOrder(id)).workflow_status;
    const only = await make('printing');
    expect((await its.report({ outcome: 'failed' })).body).toMatchObject({
      order_id: only.id,
      moved_to: 'print_error',
    });
    expect((await its.report()).body).toMatchObject({ order_id: null, notes: ['no_order'] });
    const [first, second] = [await make('printing'), await make('printing')];
    expect((await its.report()).body).toMatchObject({ order_id: null, moved_to: null, notes: ['no_order'] });
    const label = `x_ORDER-${first.id.toUpperCase()}_2.gcode`;
    expect((await its.report({ filename: label })).body).toMatchObject({ order_id: first.id, moved_to: 'packing' });
    const both = `ORDER-${first.id}-ORDER-${second.id}`;
    expect((await its.report({ filename: both })).body).toMatchObject({ order_id: null, notes: ['several_orders'] });
    const named = { order_id: second.id.toUpperCase(), filename: label, outcome: 'cancelled' };
    expect((await its.report(named)).body).toMatchObject({ order_id: second.id, moved_to: 'confirmed' });
    expect([await statusOf(only), await statusOf(first), await statusOf(second)]).toEqual([
      'print_error',
      'packing',
      'confirmed',
    ]);
    for (const status of ['packing', 'delivery', 'done', 'cancelled', 'closed']) {
      const late = await make(status);
      const { body } = await its.report({ outcome: 'failed', order_id: late.id });
      expect(body).toMatchObject({ order_id: late.id, moved_to: null, notes: ['order_moved_on'] });
      expect(await statusOf(late)).toBe(status);
    }
    // already stored: nothing is written or sent
    const still = await make('print_error');
    expect((await its.report({ outcome: 'failed', order_id: still.id })).body).toMatchObject({
      moved_to: null,
      notes: [],
    });
  });

  test('deducts grams from the named filament, else from the loaded one, even more than is left', async () => {
    const own = await farm.printer();
    const its = await farm.agent({ printer_id: own.id });
    const [loaded, named] = [await farm.filament({ spool_count: 1 }), await farm.filament({ spool_count: 1 })];
    const empty = await farm.filament();
    await rules({ deduct_grams: true }, own.id);
    const grams = 1200.1234;
    expect((await its.report({ grams })).body).toMatchObject({ deducted_grams: null, notes: ['no_filament'] });
    await rules({ loaded_filament_id: loaded.id }, own.id);
    expect((await its.report({ grams })).body).toMatchObject({
      deducted_grams: 1200.123,
      filament_id: loaded.id,
      notes: [],
    });
    expect((await its.report({ grams: 1, filament_id: named.id })).body).toMatchObject({ filament_name: 'PETG Black' });
    expect((await its.report({ grams: 1, filament_id: empty.id })).body).toMatchObject({ notes: ['no_stock'] });
    expect((await its.report()).body).toMatchObject({ deducted_grams: null, notes: ['no_grams'] });
    expect((await its.report({ grams: 0 })).body).toMatchObject({ deducted_grams: null, notes: ['no_grams'] });
    const read = async ({ id }: Filament) => (await farm.client.get<Filament>(`/filaments/${id}`)).body;
    expect(await read(loaded)).toMatchObject({ used_grams: 1200.123, needs_review: true });
    expect(await read(named)).toMatchObject({ used_grams: 1 });
    // deleting the filament unloads it from the printer
    const owner = await farm.console();
    await owner.delete(`/filaments/${loaded.id}`);
    expect((await owner.get(`/printers/${own.id}/rules`)).body).toMatchObject({ loaded_filament_id: null });
  });
});

test('deducts all grams when eight printers finish prints of one order at once', async () => {
  const spool = await farm.filament({ spool_count: 1 });
  const order = await farm.order({ workflow_status: 'printing' });
  const agents = await Promise.all(
    range(8).map(async (n) => {
      const own = await farm.printer({ name: `P${n}` });
      await rules({ deduct_grams: true, loaded_filament_id: spool.id, on_finished: 'packing' }, own.id);
      return farm.agent({ printer_id: own.id });
    }),
  );
  const answers = await Promise.all(
    range(5).flatMap(() => agents.map((each) => each.report({ grams: 2, order_id: order.id }))),
  );
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201]));
  expect(answers.filter(({ body }) => body.moved_to === 'packing')).toHaveLength(1);
  expect((await farm.client.get<Filament>(`/filaments/${spool.id}`)).body.used_grams).toBe(80);
});

describe('invalid reports', () => {
  const good = { event_id: 'x', filename: 'a', outcome: 'finished' };
  test.each([
    [{ ...good, event_id: undefined }, '/event_id'],
    [{ ...good, event_id: '' }, '/event_id'],
    [{ ...good, event_id: 'x'.repeat(201) }, '/event_id'],
    [{ ...good, event_id: 'a\0b' }, '/event_id'],
    [{ ...good, event_id: 7 }, '/event_id'],
    [{ ...good, filename: 'x'.repeat(501) }, '/filename'],
    [{ ...good, filename: 'a\ud800' }, '/filename'],
    [{ ...good, filename: null }, '/filename'],
    [{ ...good, outcome: 'done' }, '/outcome'],
    [{ ...good, at: '2026-11-21' }, '/at'],
    [{ ...good, at: '2026-11-21T00:00:00' }, '/at'],
    [{ ...good, at: '9999-12-31T23:59:59-01:00' }, '/at'],
    [{ ...good, at: new Date(Date.now() + 60 * 60_000).toISOString() }, '/at'],
    [{ ...good, grams: -1 }, '/grams'],
    [{ ...good, grams: '5' }, '/grams'],
    [{ ...good, grams: 1e300 }, '/grams'],
    [{ ...good, order_id: 'x' }, '/order_id'],
    [{ ...good, order_id: UNKNOWN_ID }, '/order_id'],
    [{ ...good, filament_id: UNKNOWN_ID }, '/filament_id'],
    [{ ...good, printer_id: 'x' }, '/printer_id'],
    [{ ...good, reason: 'x'.repeat(501) }, '/reason'],
    [[], ''],
    [null, ''],
    ['text', ''],
  ])('refuses body %# and names the location of the error', async (body, pointer) => {
    const refused = expectProblem(await agent.client.post('/reports', body), 422, 'validation_error');
    expect(refused.errors?.map((fault) => fault.pointer)).toContain(pointer);
  });

  test('refuses other bodies, types and methods', async () => {
    const raw = (raw: string | Uint8Array<ArrayBuffer>, headers = {}) =>
      agent.client.call('POST', '/reports', { raw, headers });
    expectProblem(await raw('{"event_id":'), 400, 'malformed_json');
    expectProblem(await raw(new Uint8Array([0x22, 0xff, 0x22])), 400, 'malformed_json');
    expectProblem(await raw('['.repeat(40) + ']'.repeat(40)), 400, 'json_too_deep');
    expectProblem(await raw(JSON.stringify({ ...good, reason: 'x'.repeat(100_000) })), 413, 'body_too_large');
    expectProblem(
      await raw('a=b', { 'Content-Type': 'application/x-www-form-urlencoded' }),
      415,
      'unsupported_media_type',
    );
    expectProblem(await agent.client.get('/reports'), 405, 'method_not_allowed');
    expectProblem(await agent.client.get('/nothing'), 404, 'not_found');
    const { status } = await fetch(`${farm.service.origin}/agent/v1/openapi.json`);
    expect(status).toBe(200);
  });

  const ODD = times(200, 2_000);

  test(`refuses or ignores ${ODD} odd bodies at every route without failing`, async () => {
    const { id } = await farm.printer();
    // a stored message without a file name would join the next print of its printer
    const own = await farm.agent({ printer_id: id });
    const seed = seedFrom('AGENT_SEED');
    const random = createRandom(seed).next;
    const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T;
    const odd = [null, true, 0, -1, 1e308, 0.1, '', '\0', '\ud800', 'x'.repeat(600), [], [[1]], {}, { a: { b: [] } }];
    const likely = [
      'Print Done',
      'Print Failed',
      'PrintCancelled',
      'complete',
      'error',
      'finished',
      'a\ntime=-5\ngrams=NaN',
    ];
    const value = (): unknown => structuredClone(pick([...odd, ...likely, id, new Date().toISOString()]));
    const fields = ['event_id', 'filename', 'outcome', 'at', 'grams', 'order_id', 'topic', 'extra', 'job', 'apiSecret'];
    const inner = ['name', 'path', 'time', 'reason', 'error', 'popup', 'origin', 'file'];
    const object = (keys: string[]): Record<string, unknown> =>
      Object.fromEntries(keys.filter(() => random() < 0.7).map((key) => [key, value()]));
    const statuses = new Map<string, number>();
    for (let n = 0; n < ODD; n += 10) {
      const asked = range(10).map(async () => {
        const path = pick(['/reports', '/octoprint', '/apprise']);
        const body = random() < 0.1 ? value() : object([...fields, 'title', 'message', 'printer', 'deviceIdentifier']);
        if (body && typeof body === 'object' && random() < 0.5) Object.assign(body, { extra: object(inner) });
        if (body && typeof body === 'object' && random() < 0.5)
          Object.assign(body, { topic: pick(likely), title: pick(likely) });
        const { status } = await own.client.post(path, body);
        const what = `${path} ${status}`;
        statuses.set(what, (statuses.get(what) ?? 0) + 1);
      });
      await Promise.all(asked);
    }
    process.stdout.write(`agents.test: AGENT_SEED=${seed}, ${JSON.stringify([...statuses].sort())}\n`);
    expect([...statuses.keys()].filter((what) => /5\d\d$/.test(what))).toEqual([]);
    expect(farm.service.log.filter((line) => line.includes('"level":50'))).toEqual([]);
  });
});

describe('reports of other programs', () => {
  /** What was sent about one printer; failures of the odd bodies are reported later for another. */
  const of = (all: Received[], printerId: string) => all.filter(({ body }) => body.data.printer_id === printerId);
  const octoprint = (client: TestAgent['client'], topic: string, extra: unknown, more = {}) =>
    client.post<Report & { ignored: string }>('/octoprint', {
      deviceIdentifier: 'Printer1',
      message: 'Your print is done.',
      topic,
      extra,
      ...more,
    });

  test('OctoPrint-Webhooks: accepts the token in the body, in a header or as a password', async () => {
    const stranger = await createClient(farm.service.origin, '', '/agent/v1');
    const basic = (text: string) => ({ Authorization: `Basic ${Buffer.from(text).toString('base64')}` });
    const send = (more: object, headers = {}) =>
      stranger.post('/octoprint', { topic: 'Print Started', ...more }, { token: null, headers });
    expect((await send({ apiSecret: agent.token })).status).toBe(202);
    expect((await send({}, { Authorization: `Bearer ${agent.token}` })).status).toBe(202);
    expect((await send({ apiSecret: 'x' }, basic(`any:${agent.token}`))).status).toBe(202);
    for (const refused of [
      await send({}),
      await send({ apiSecret: 'x' }),
      await send({ apiSecret: { a: 1 } }),
      await send({ apiSecret: farm.token }),
      await send({ apiSecret: agent.token }, { Authorization: 'Bearer x' }),
      await send({}, basic('any:x')),
    ])
      expectProblem(refused, 401, 'unauthorized');
    // nowhere else: a body must not act as a header
    const report = newReport({ apiSecret: agent.token });
    expectProblem(await stranger.post('/reports', report, { token: null }), 401, 'unauthorized');
    expectProblem(
      await stranger.post('/reports', report, { token: null, headers: basic(`x:${agent.token}`) }),
      401,
      'unauthorized',
    );
  });

  test('OctoPrint: reports done and failed once and ignores other events', async () => {
    const own = await farm.printer();
    const { client } = await farm.agent({ printer_id: own.id });
    const subscription = await farm.subscription({ events: REPORT_EVENTS });
    const extra = { name: 'a.gcode', path: 'dir/a.gcode', origin: 'local', size: 5, time: 600.123 };
    const done = await octoprint(client, 'Print Done', extra);
    expect([done.status, done.body]).toEqual([
      201,
      expect.objectContaining({ outcome: 'finished', filename: 'a.gcode', source: 'octoprint', held_until: null }),
    ]);
    const again = await Promise.all(range(10).map(() => octoprint(client, 'Print Done', extra)));
    for (const { status, body } of again) expect([status, body]).toEqual([200, done.body]);
    const failed = { ...extra, path: 'b.gcode', name: 'b.gcode', reason: 'error', error: 'Thermal runaway' };
    expect((await octoprint(client, 'Print Failed', failed)).body).toMatchObject({
      outcome: 'failed',
      reason: 'Thermal runaway',
    });
    for (const topic of [
      'Print Started',
      'Print Paused',
      'Print Progress',
      'User Action Needed',
      'Error',
      '<b>',
      '',
      'constructor',
      '__proto__',
    ]) {
      const ignored = await octoprint(client, topic, extra);
      expect([ignored.status, typeof ignored.body.ignored]).toEqual([202, 'string']);
    }
    expect((await octoprint(client, 'Print Done', { ...extra, path: 'example', popup: true })).status).toBe(202);
    await subscription.until((all) => of(all, own.id).length === 2);
    expect(of(subscription.received, own.id).map(({ body }) => body.data.filename)).toEqual(['a.gcode', 'b.gcode']);
    const list = await (await farm.console()).get<Listed<Report>>(`/printers/${own.id}/reports`);
    expect(list.body.total).toBe(2);
  });

  test.each([
    ['cancelled first', ['Print Cancelled', 'Print Failed']],
    ['failed first', ['Print Failed', 'Print Cancelled']],
    ['cancelled as the reason', ['Print Failed:cancelled', 'Print Cancelled']],
    ['only a failure that has it as its reason', ['Print Failed:cancelled']],
    ['both, and both again', ['Print Failed', 'Print Cancelled', 'Print Failed', 'Print Cancelled']],
  ])('OctoPrint: merges the two messages of a cancelled print, %s, without an event', async (_, topics) => {
    const own = await farm.printer();
    const { client } = await farm.agent({ printer_id: own.id });
    const subscription = await farm.subscription({ events: REPORT_EVENTS });
    for (const [index, said] of topics.entries()) {
      const [topic = '', reason] = said.split(':');
      const extra = { name: 'a.gcode', path: 'a.gcode', time: 60 + index / 100, ...(reason ? { reason } : {}) };
      const { status } = await octoprint(client, topic, extra);
      expect(status).toBeLessThan(300);
    }
    // if there was anything to report, it is reported before the next print of this printer
    await octoprint(client, 'Print Done', { name: 'marker', path: 'marker', time: 7.5 });
    await subscription.until((all) => of(all, own.id).length >= 1);
    expect(of(subscription.received, own.id).map(({ body }) => body.data.filename)).toEqual(['marker']);
    const list = await (await farm.console()).get<Listed<Report>>(`/printers/${own.id}/reports`);
    expect(list.body.items.map(({ outcome, held_until }) => [outcome, held_until])).toEqual([
      ['finished', null],
      ['cancelled', null],
    ]);
  });

  test('OctoPrint: reports a failure after waiting for a cancellation or before the next print', async () => {
    const own = await farm.printer();
    const { client } = await farm.agent({ printer_id: own.id });
    const subscription = await farm.subscription({ events: REPORT_EVENTS });
    const held = await octoprint(client, 'Print Failed', { name: 'a', path: 'a', time: 60 });
    expect([held.status, typeof held.body.held_until]).toEqual([201, 'string']);
    await octoprint(client, 'Print Done', { name: 'b', path: 'b', time: 60 });
    await octoprint(client, 'Print Failed', { name: 'c', path: 'c', time: 60 });
    await subscription.until((all) => of(all, own.id).length === 3);
    expect(of(subscription.received, own.id).map(({ body }) => [body.event, body.data.filename])).toEqual([
      ['printer.print_failed', 'a'],
      ['printer.print_finished', 'b'],
      ['printer.print_failed', 'c'],
    ]);
  });

  /** Sends a body as another program does: without a Content-Type unless it sets one. */
  const sendAs = async (
    path: string,
    body: string | Uint8Array<ArrayBuffer> | FormData | URLSearchParams,
    headers = {},
  ) => {
    const bytes = typeof body === 'string' ? new TextEncoder().encode(body) : body;
    const response = await fetch(agent.client.baseUrl + path, { method: 'POST', body: bytes, headers });
    const answer = await toAnswer<Report & { ignored: string; detail: string }>(response);
    agent.client.check('POST', path, answer);
    return answer;
  };
  const bearer = () => ({ Authorization: `Bearer ${agent.token}` });
  const form = (fields: Record<string, unknown>, files: Blob[] = []) => {
    const data = new FormData();
    for (const [name, value] of Object.entries(fields))
      data.set(name, typeof value === 'string' ? value : JSON.stringify(value));
    for (const [n, file] of files.entries()) data.set(`snapshot${n}`, file, 'snapshot.jpg');
    return data;
  };
  const snapshot = (bytes: number) => new Blob([new Uint8Array(bytes)], { type: 'image/jpeg' });
  const inUtf16 = (text: string, isBigEndian = false) => {
    const bytes = Buffer.from(text, 'utf16le');
    return Uint8Array.from(isBigEndian ? bytes.swap16() : bytes);
  };
  type Sent = [body: string | Uint8Array<ArrayBuffer> | FormData | URLSearchParams, type?: string];

  test.each<[string, (message: Record<string, unknown>) => Sent]>([
    ['JSON without a type', (message) => [JSON.stringify(message)]],
    ['JSON as text', (message) => [JSON.stringify(message), 'text/plain; charset=utf-8']],
    ['JSON as bytes', (message) => [JSON.stringify(message), 'application/octet-stream']],
    ['JSON as a form', (message) => [JSON.stringify(message), 'application/x-www-form-urlencoded']],
    ['JSON in a text of JSON', (message) => [JSON.stringify(JSON.stringify(message)), 'application/json']],
    ['a byte order mark', (message) => [`\ufeff${JSON.stringify(message)}`, 'application/json']],
    ['UTF-16', (message) => [inUtf16(`\ufeff${JSON.stringify(message)}`), 'application/json; charset=utf-16']],
    ['UTF-16 that is not declared', (message) => [inUtf16(JSON.stringify(message)), 'application/json']],
    ['big-endian UTF-16', (message) => [inUtf16(JSON.stringify(message), true), 'application/json']],
    [
      'Latin-1',
      (message) => [Uint8Array.from(Buffer.from(JSON.stringify(message), 'latin1')), 'text/json; charset=iso-8859-1'],
    ],
    ['Latin-1 that is not declared', (message) => [Uint8Array.from(Buffer.from(JSON.stringify(message), 'latin1'))]],
    ['UTF-8 declared as Latin-1', (message) => [JSON.stringify(message), 'application/json; charset=iso-8859-1']],
    ['a form', ({ extra, ...texts }) => [new URLSearchParams({ ...texts, extra: JSON.stringify(extra) })]],
    [
      'a form as text',
      ({ extra, ...texts }) => [String(new URLSearchParams({ ...texts, extra: JSON.stringify(extra) })), 'text/plain'],
    ],
    ['a form with a snapshot', (message) => [form(message, [snapshot(2_000_000)])]],
    ['a form with several files', (message) => [form(message, [snapshot(10), snapshot(0), snapshot(500_000)])]],
    ['a form without its snapshot', (message) => [form(message)]],
  ])('OctoPrint: reads %s, wherever the token is', async (what, toBody) => {
    const basic = `Basic ${Buffer.from(`any:${agent.token}`).toString('base64')}`;
    for (const [n, headers] of [{}, bearer(), { Authorization: basic }].entries()) {
      const name = `Pièce ${what} ${n}.gcode`;
      const secret = n === 0 ? { apiSecret: agent.token } : {};
      const [body, type] = toBody({ ...secret, topic: 'Print Done', extra: { name, path: name, time: 60.5 } });
      const answer = await sendAs('/octoprint', body, { ...headers, ...(type ? { 'Content-Type': type } : {}) });
      expect([answer.status, answer.body]).toEqual([
        201,
        expect.objectContaining({ outcome: 'finished', filename: name }),
      ]);
    }
  });

  test('names the setting for what cannot be read', async () => {
    const message = { topic: 'Print Done', extra: { name: 'a', path: 'a' } };
    const json = JSON.stringify(message);
    const long = { ...message, meta: 'x'.repeat(100_000) };
    for (const [status, code, body, type] of [
      [415, 'unsupported_media_type', '<?xml version="1.0"?><topic>Print Done</topic>', 'application/xml'],
      [415, 'unsupported_media_type', json, 'multipart/mixed; boundary=x'],
      [400, 'malformed_request', json, 'multipart/form-data'],
      [
        400,
        'malformed_request',
        '--x\r\nContent-Disposition: form-data; name="topic"',
        'multipart/form-data; boundary=x',
      ],
      [400, 'malformed_json', json.slice(1), 'application/json'],
      [400, 'malformed_json', ' ', 'text/plain'],
      [413, 'body_too_large', JSON.stringify(long), 'application/json'],
      [413, 'body_too_large', form(long), undefined],
      [413, 'body_too_large', form(message, [snapshot(8_000_000)]), undefined],
    ] as const) {
      const headers = { ...bearer(), ...(type ? { 'Content-Type': type } : {}) };
      for (const [path, setting] of [
        ['/octoprint', 'CONTENT TYPE: JSON'],
        ['/apprise', 'json://'],
      ] as const) {
        const refused = expectProblem(await sendAs(path, body, headers), status, code);
        expect(refused.detail).toContain(setting);
      }
    }
    const missing = await sendAs('/octoprint', '{"extra":{}}', bearer());
    expect(expectProblem(missing, 422, 'validation_error').detail).toContain('"topic": "@topic"');
    // these programs have a setting for the method, too
    for (const path of ['/octoprint', '/apprise']) {
      const { status, headers } = await agent.client.call('PUT', path, {
        token: null,
        body: { apiSecret: agent.token },
      });
      expect([status, headers.get('allow')]).toEqual([405, 'POST']);
    }
  });

  test('verifies the signature of a form, and takes none for a form with files, whose bytes are not kept', async () => {
    const own = await farm.agent({ printer_id: printer.id, signed_only: true });
    const message = { topic: 'Print Done', extra: { name: 'signed', path: 'signed', time: 60.5 } };
    const raw = String(new URLSearchParams({ ...message, extra: JSON.stringify(message.extra), apiSecret: own.token }));
    const type = { 'Content-Type': 'application/x-www-form-urlencoded' };
    const send = (signed: string) =>
      sendAs('/octoprint', raw, { ...type, 'X-Agent-Signature': sign(own.token, signed) });
    expect((await send(raw)).status).toBe(201);
    expectProblem(await send(''), 401, 'unauthorized');
    for (const signed of ['', raw]) {
      const headers = { 'X-Agent-Signature': sign(own.token, signed) };
      const answer = await sendAs('/octoprint', form({ ...message, apiSecret: own.token }, [snapshot(10)]), headers);
      expectProblem(answer, 401, 'unauthorized');
    }
  });

  test('OctoPrint: adds a message without a file name to the end of its own printer', async () => {
    const group = (await (await farm.console()).post<{ id: string }>('/printer-groups', { name: 'Twins' })).body;
    const [a, b] = [await farm.printer({ name: 'A' }), await farm.printer({ name: 'B' })];
    for (const { id } of [a, b]) await (await farm.console()).put(`/printers/${id}`, { group_id: group.id });
    const { client } = await farm.agent({ printer_group_id: group.id });
    const send = (printer: string, topic: string, extra: object) =>
      octoprint(client, topic, extra, { deviceIdentifier: printer });
    const order = await farm.order({ workflow_status: 'printing', printer_id: b.id });
    await rules({ on_cancelled: 'confirmed', on_failed: 'print_error' }, b.id);
    const name = `ORDER_${order.id.replaceAll('-', '_')}.gcode`;
    await send('B', 'Print Failed', {});
    await send('A', 'Print Cancelled', { name: 'a.gcode', path: 'a.gcode', time: 3600.25 });
    await send('B', 'Print Cancelled', { name, path: name, time: 61.2 });
    await send('A', 'Print Failed', {});
    const owner = await farm.console();
    const list = async ({ id }: Printer) =>
      (await owner.get<Listed<Report>>(`/printers/${id}/reports`)).body.items.map((report) => [
        ...[report.outcome, report.filename, report.held_until, report.moved_to, report.notes],
      ]);
    expect(await list(a)).toEqual([['cancelled', 'a.gcode', null, null, []]]);
    expect(await list(b)).toEqual([['cancelled', name, null, 'confirmed', []]]);
  });

  const GENERATED = times(300, 3_000);

  test(`stores or explains ${GENERATED} generated messages in any format`, async () => {
    const seed = seedFrom('MESSAGE_SEED');
    const random = createRandom(seed).next;
    const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T;
    const own = await farm.agent({ printer_id: (await farm.printer()).id });
    const texts = [
      '@extra',
      '{event_name}',
      '{{ x }}',
      '%(x)s',
      'None',
      '',
      '\0',
      '\ud800',
      "{'a': 'b",
      '[[[[',
      'Деталь',
    ];
    const grams = ['45,5', '12 g', '1,234', '0x10', '1e5', '-5', '9'.repeat(400), 'NaN', ...texts];
    const file = () => `f${Math.floor(random() * 1e6)}.gcode`;
    const value = (): unknown => (random() < 0.4 ? file() : pick<unknown>([...texts, 5, null, [], true, { a: [] }]));
    const topics = ['Print Done', 'Print Failed', 'Print Cancelled', 'Print Started', 'Druck fertig', '@topic'];
    const titles = ['complete', 'error', 'cancelled', 'started', 'fertig', '{event_name}'];
    const toExtra = () => {
      const details = { name: value(), path: value(), time: pick<unknown>([5.5, '1:00:00', value()]), reason: value() };
      return pick<unknown>([details, JSON.stringify(details), {}, value()]);
    };
    const message = () => ({
      topic: pick(topics),
      extra: toExtra(),
      job: toExtra(),
      title: pick(titles),
      message: `${random() < 0.5 ? file() : pick(texts)}\ntime=${pick(grams)}\ngrams=${pick(grams)}\nreason=${pick(texts)}`,
    });
    const formats: ((message: Record<string, unknown>) => Sent)[] = [
      (all) => [
        JSON.stringify(all),
        pick(['application/json', 'text/plain', 'image/png', 'application/x-www-form-urlencoded']),
      ],
      (all) => [inUtf16(JSON.stringify(all)), 'application/json; charset=koi8-r'],
      (all) => [new URLSearchParams(Object.fromEntries(Object.entries(all).map(([name, one]) => [name, String(one)])))],
      (all) => [form(all, [snapshot(Math.floor(random() * 5_000))])],
      (all) => [
        JSON.stringify(all).slice(Math.floor(random() * 20)),
        pick(['multipart/form-data; boundary=x', 'text/xml']),
      ],
      (all) => [
        Uint8Array.from(Buffer.from(JSON.stringify(all)).map((byte) => (random() < 0.02 ? random() * 256 : byte))),
      ],
    ];
    const stored = new Set<string>();
    const statuses = new Map<number, number>();
    for (let n = 0; n < GENERATED; n += 10) {
      const sent = range(10).map(async () => {
        const [body, type] = pick(formats)(message());
        const headers = { Authorization: `Bearer ${own.token}`, ...(type ? { 'Content-Type': type } : {}) };
        const answer = await sendAs(pick(['/octoprint', '/apprise']), body, headers);
        statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1);
        if (answer.status < 202) stored.add(answer.body.id);
        else expect((answer.body.ignored ?? answer.body.detail).length).toBeGreaterThan(20);
      });
      await Promise.all(sent);
    }
    process.stdout.write(`agents.test: MESSAGE_SEED=${seed}, ${JSON.stringify([...statuses].sort())}\n`);
    expect([...statuses.keys()].filter((status) => ![200, 201, 202, 400, 413, 415, 422].includes(status))).toEqual([]);
    const kept = await farm.inspector.rows<{ id: string }>('SELECT id FROM print_reports WHERE agent_name = ?', [
      'Moonraker',
    ]);
    expect([...stored].filter((id) => !kept.some((row) => row.id === id))).toEqual([]);
    expect(stored.size).toBeGreaterThan(GENERATED / 20);
    expect(farm.service.log.filter((line) => line.includes('"level":50'))).toEqual([]);
  });

  test('keeps grams that cannot be read, and deducts none that are not plausible', async () => {
    const own = await farm.printer();
    const { client, report } = await farm.agent({ printer_id: own.id });
    const spool = await farm.filament({ spool_count: 1 });
    await rules({ deduct_grams: true, loaded_filament_id: spool.id }, own.id);
    const send = async (grams: string) => {
      const message = `${grams}.gcode\ngrams=${grams}`;
      const { body } = await client.post<Report>('/apprise', { title: 'complete', message });
      return [body.grams, body.grams_text, body.deducted_grams, ...body.notes];
    };
    expect(await send('45,5')).toEqual([45.5, null, 45.5]);
    expect(await send('0.0125 kg')).toEqual([12.5, null, 12.5]);
    expect(await send('1,234')).toEqual([null, '1,234', null, 'unreadable_grams']);
    expect(await send('0x10')).toEqual([null, '0x10', null, 'implausible_grams']);
    expect(await send('250000')).toEqual([250_000, null, null, 'implausible_grams']);
    expect((await report({ grams: 100_000 })).body).toMatchObject({
      deducted_grams: null,
      notes: ['implausible_grams'],
    });
    expect((await farm.client.get<Filament>(`/filaments/${spool.id}`)).body.used_grams).toBe(58);
    // they are said even if nothing is deducted
    await rules(noRules, own.id);
    expect(await send('abc')).toEqual([null, 'abc', null, 'unreadable_grams']);
  });

  test('accepts Apprise messages of Moonraker’s notifier', async () => {
    const own = await farm.printer();
    const { client } = await farm.agent({ printer_id: own.id });
    const apprise = (title: string, message: string) =>
      client.post<Report>('/apprise', { version: '1.0', title, message, attachments: [], type: 'info' });
    const done = await apprise('complete', 'dir/Деталь.gcode\ntime=3600.25\n grams = 12.3456 \nreason=');
    expect([done.status, done.body]).toEqual([
      201,
      expect.objectContaining({ outcome: 'finished', filename: 'dir/Деталь.gcode', grams: 12.346, source: 'apprise' }),
    ]);
    const sent = new URLSearchParams({
      title: 'complete',
      message: 'form.gcode\ntime=5',
      version: '1.0',
      type: 'info',
    });
    expect((await sendAs('/apprise', sent, bearer())).body).toMatchObject({
      filename: 'form.gcode',
      outcome: 'finished',
    });
    expect((await apprise('complete', 'dir/Деталь.gcode\ntime=3600.25')).status).toBe(200);
    const failed = await apprise('error', 'b.gcode\ntime=5\nreason=MCU shutdown: a=b');
    expect(failed.body).toMatchObject({ outcome: 'failed', reason: 'MCU shutdown: a=b', held_until: null });
    expect((await apprise('cancelled', 'c.gcode')).body).toMatchObject({ outcome: 'cancelled' });
    for (const title of ['started', 'paused', 'resumed', '', 'Apprise Notification', 'constructor', '__proto__']) {
      expect((await apprise(title, 'd.gcode')).status).toBe(202);
    }
    const Authorization = `Basic ${Buffer.from(`farmboard:${agent.token}`).toString('base64')}`;
    const raw = JSON.stringify({ title: 'complete', message: 'e.gcode' });
    expect((await client.call('POST', '/apprise', { raw, headers: { Authorization } })).status).toBe(201);
  });
});
