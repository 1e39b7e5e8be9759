import { createHash } from 'node:crypto';
import { Agent } from 'node:http';
import fc from 'fast-check';
import type { Answer } from '../kit/checker.ts';
import { type DatabaseInspector, inspectDatabase } from '../kit/database.ts';
import { eventually } from '../kit/eventually.ts';
import { DEFAULT_EVENTS, expectProblem, type Filament, type Listed, type Order, startFarm } from '../kit/farm.ts';
import { learn, send } from '../kit/fuzz/exchange.ts';
import { createPlans, type Plan, type Pools, type Request, toRequest } from '../kit/fuzz/requests.ts';
import { times } from '../kit/length.ts';
import { forSuite } from '../kit/opened.ts';
import { seedFrom } from '../kit/random.ts';
import { farmboard } from '../kit/service.ts';

const REQUESTS = times(200, 1_000);
const SEED = seedFrom('DRY_RUN_SEED');
const TYPE = 'application/vnd.farmboard.dry-run+json';

interface DryRun {
  dry_run: true;
  status: number;
  body: unknown;
  would: {
    events: { event: string; subject: string }[];
    deliveries: { subscription_id: string; events: number }[];
    deducted_grams: number;
  };
}

const NOTHING = { events: [], deliveries: [], deducted_grams: 0 };

const farm = forSuite(() => startFarm({ RATE_LIMIT_PER_MINUTE: '0' }));
let database: DatabaseInspector;

beforeAll(async () => {
  database = await inspectDatabase(farm.file);
});
afterAll(() => database?.close());

const dry = async (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) => {
  const answer = await farm.client.call<DryRun>(method, path, { headers, ...(body !== undefined && { body }) });
  expect([answer.status, answer.headers.get('content-type')]).toEqual([200, `${TYPE}; charset=utf-8`]);
  return answer;
};
const read = async <T>(path: string) => (await farm.client.get<T>(path)).body;

describe('a dry run', () => {
  test('says what would happen and does nothing', async () => {
    const receiver = await farm.receiver();
    const { id: subscription_id } = (
      await farm.client.post<{ id: string }>('/webhook-subscriptions', { url: receiver.url, events: DEFAULT_EVENTS })
    ).body;
    const order = await farm.order();
    const path = `/print-jobs/${order.id}`;
    const { body, headers } = await dry('PUT', `${path}?dry_run=true`, { workflow_status: 'done', nonsense: 1 });
    expect(body).toEqual({
      dry_run: true,
      status: 200,
      body: expect.objectContaining({ id: order.id, workflow_status: 'done' }),
      would: {
        events: [{ event: 'order.status_changed', subject: `order:${order.id}` }],
        deliveries: expect.arrayContaining([{ subscription_id, events: 1 }]),
        deducted_grams: 0,
      },
    });
    expect([headers.get('x-svc-ignored-fields'), headers.get('etag')]).toEqual(['nonsense', null]);
    expect(await read(path)).toEqual(order);
    expect((await dry('DELETE', `${path}?dry_run=true`)).body).toMatchObject({
      status: 204,
      body: null,
      would: NOTHING,
    });
    expect(await read(path)).toEqual(order);
    // false: no dry run
    expect((await farm.client.put(`${path}?dry_run=false`, { workflow_status: 'done' })).status).toBe(200);
    await receiver.until((all) => all.length === 2);
    expect(receiver.received.map(({ headers: sent }) => sent['x-svc-sequence'])).toEqual(['1', '2']);
  });

  test('of several orders gives each result', async () => {
    const [one, two] = [await farm.order(), await farm.order({ workflow_status: 'done' })];
    const change = { ids: [one.id, two.id, one.id], workflow_status: 'done' };
    const { body } = await dry('POST', '/print-jobs/status?dry_run=true', change);
    expect((body.body as { results: { status: number }[] }).results.map(({ status }) => status)).toEqual([
      200, 200, 200,
    ]);
    expect(body.would.events).toEqual([{ event: 'order.status_changed', subject: `order:${one.id}` }]);
    expect(await read(`/print-jobs/${one.id}`)).toEqual(one);
  });

  test('gives grams as they would leave and return, and uses up no key', async () => {
    const { id } = await farm.filament({ spool_count: 1 });
    const path = `/filaments/${id}/consume`;
    const key = { 'Idempotency-Key': 'the night shift' };
    for (let n = 0; n < 2; n++) {
      const { body, headers } = await dry('POST', `${path}?dry_run=true`, { grams: 12.5 }, key);
      expect([body.would.deducted_grams, headers.get('idempotency-replayed')]).toEqual([12.5, null]);
    }
    expect((await read<Filament>(`/filaments/${id}`)).used_grams).toBe(0);
    const other = await farm.client.post(path, { grams: 10 }, { headers: key });
    expect([other.status, other.headers.get('idempotency-replayed')]).toEqual([200, null]);
    // the same key again: what the request itself would get
    expect((await dry('POST', `${path}?dry_run=true`, { grams: 12.5 }, key)).body).toMatchObject({
      status: 409,
      body: { code: 'idempotency_conflict' },
      would: NOTHING,
    });
    const again = await dry('POST', `${path}?dry_run=true`, { grams: 10 }, key);
    expect([again.body.would, again.headers.get('idempotency-replayed')]).toEqual([NOTHING, 'true']);
    const [entry] = (await read<Listed<{ id: string }>>(`/filaments/${id}/ledger`)).items;
    const undone = await dry('POST', `/filaments/${id}/ledger/${entry?.id}/undo?dry_run=true`, {});
    expect(undone.body.would.deducted_grams).toBe(-10);
  });

  test('says inside what the request would be refused for', async () => {
    const { id } = await farm.order();
    const path = `/print-jobs/${id}?dry_run=true`;
    for (const [answer, status, code] of [
      [await dry('PUT', path, { quantity_pieces: 'x' }), 422, 'validation_error'],
      [await dry('PUT', path, { workflow_status: 'done' }, { 'If-Match': '"99"' }), 412, 'precondition_failed'],
      [await dry('PUT', `${path}&x=1`, {}), 422, 'validation_error'],
      [await dry('DELETE', '/print-jobs/x?dry_run=true'), 404, 'not_found'],
    ] as const)
      expect(answer.body).toMatchObject({ dry_run: true, status, body: { status, code }, would: NOTHING });
  });

  test('is refused where it does not exist, to others, and with a token that can only read', async () => {
    const url = '/webhook-subscriptions?dry_run=true';
    const { id } = await farm.order();
    expectProblem(
      await farm.client.post(url, { url: 'http://127.0.0.1:9/', events: DEFAULT_EVENTS }),
      422,
      'validation_error',
    );
    expectProblem(await farm.client.get(`/print-jobs/${id}?dry_run=true`), 422, 'validation_error');
    const path = `/print-jobs/${id}?dry_run=1`;
    expect(expectProblem(await farm.client.put(path, {}), 422, 'validation_error').errors?.[0]?.pointer).toBe(
      'query/dry_run',
    );
    expectProblem(await farm.client.put(`/print-jobs/${id}?dry_run=true`, {}, { token: null }), 401, 'unauthorized');
    const owner = await farm.console();
    const { token } = (await owner.post<{ token: string }>('/tokens', { name: 'display', read_only: true })).body;
    expectProblem(await farm.client.put(`/print-jobs/${id}?dry_run=true`, {}, { token }), 403, 'read_only_token');
  });
});

const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/gi;
const TIME = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g;
const mask = (value: unknown): string =>
  (JSON.stringify(value) ?? 'null').replace(UUID, '<id>').replace(TIME, '<time>');

const HEADERS = [
  'x-svc-ignored-fields',
  'x-svc-status-reset',
  'x-svc-stale',
  'x-svc-already-deducted',
  'x-svc-older-than-stocktake',
  'idempotency-replayed',
  'preference-applied',
];
const headersOf = ({ headers }: Answer<unknown>) => HEADERS.map((name) => headers.get(name)?.replace(TIME, '<time>'));

/** Tables with the rows of an account, and how they are found. */
const OF_ORDERS = 'order_id IN (SELECT id FROM orders WHERE account_id = ?)';
const OF_FILAMENTS = 'filament_id IN (SELECT id FROM filaments WHERE account_id = ?)';
const OF_SUBSCRIPTIONS = 'subscription_id IN (SELECT id FROM subscriptions WHERE account_id = ?)';
const ROWS: [table: string, where: string][] = [
  ...[
    'orders',
    'filaments',
    'printers',
    'subscriptions',
    'events',
    'idempotency_keys',
    'invoices',
    'invoice_counters',
  ].map((table): [string, string] => [table, 'account_id = ?']),
  ['order_history', OF_ORDERS],
  ['filament_batches', OF_FILAMENTS],
  ['filament_ledger', OF_FILAMENTS],
  ['deliveries', OF_SUBSCRIPTIONS],
];

describe(`${REQUESTS} generated requests (DRY_RUN_SEED=${SEED})`, () => {
  const agent = new Agent({ keepAlive: true });
  const pools: Pools = { own: new Map(), foreign: new Map(), deleted: new Map() };
  let accountId: string;
  afterAll(() => agent.destroy());

  async function fingerprint(): Promise<Record<string, string>> {
    const entries: [string, string][] = [];
    for (const [table, where] of ROWS) {
      const rows = await database.rows(`SELECT * FROM ${table} WHERE ${where}`, [accountId]);
      const texts = rows.map((row) => JSON.stringify(row)).sort();
      entries.push([table, `${rows.length} ${createHash('sha256').update(texts.join('\n')).digest('hex')}`]);
    }
    return Object.fromEntries(entries);
  }

  /** Until every event is sent, because attempts change rows. */
  const settle = () =>
    eventually(
      () =>
        database.rows(`SELECT 1 FROM deliveries WHERE ${OF_SUBSCRIPTIONS} AND state IN ('pending', 'sending')`, [
          accountId,
        ]),
      (rows) => rows.length === 0,
    );

  const lastEvent = async () =>
    (
      await database.rows<{ seq: number | null }>('SELECT max(seq) AS seq FROM events WHERE account_id = ?', [
        accountId,
      ])
    )[0]?.seq ?? 0;

  /** What a request that changes stock names. */
  const usedOf = async ({ path }: Request): Promise<number | undefined> => {
    const id = /^\/filaments\/([\w-]+)/.exec(path)?.[1];
    if (!id) return undefined;
    const { status, body } = await farm.client.get<Filament>(`/filaments/${id}`);
    return status === 200 ? body.used_grams : undefined;
  };

  /** What a request did. */
  async function done(since: number, before: number | undefined, request: Request): Promise<DryRun['would']> {
    const events = await database.rows<{ event: string; subject: string }>(
      'SELECT event, subject FROM events WHERE account_id = ? AND seq > ? ORDER BY seq',
      [accountId, since],
    );
    const deliveries = await database.rows<{ subscription_id: string; events: number }>(
      `SELECT subscription_id, count(*) AS events FROM deliveries WHERE ${OF_SUBSCRIPTIONS} AND event_seq > ?
       GROUP BY subscription_id ORDER BY subscription_id`,
      [accountId, since],
    );
    const after = await usedOf(request);
    const deducted = before === undefined || after === undefined ? 0 : Math.round((after - before) * 1000) / 1000;
    return { events, deliveries, deducted_grams: deducted };
  }

  async function fill(): Promise<void> {
    expect(await farmboard(['demo', '--email', farm.email], farm.env)).toMatchObject({ code: 0 });
    for (const events of [DEFAULT_EVENTS, ['order.status_changed', 'filament.low_stock']]) {
      const url = (await farm.receiver()).url;
      await farm.client.post('/webhook-subscriptions', { url, events });
    }
    for (const collection of ['print-jobs', 'filaments', 'printers']) {
      const { items } = await read<Listed<{ id: string }>>(`/${collection}?per_page=100`);
      pools.own.set(
        collection,
        items.map(({ id }) => id),
      );
    }
    for (const id of pools.own.get('filaments') as string[]) {
      const { items } = await read<Listed<{ id: string }>>(`/filaments/${id}/ledger?per_page=10`);
      const known = pools.own.get('filaments/{id}/ledger') ?? [];
      pools.own.set('filaments/{id}/ledger', [...known, ...items.map((entry) => `${id}/${entry.id}`)]);
    }
    const [row] = await database.rows<{ account_id: string }>('SELECT account_id FROM orders WHERE id = ?', [
      pools.own.get('print-jobs')?.[0],
    ]);
    accountId = row?.account_id as string;
  }

  /** Writes to another account until it is stopped. */
  async function startNeighbor() {
    const { token } = await farm.newAccount();
    let isOver = false;
    let written = 0;
    const work = async () => {
      while (!isOver) {
        const { status } = await farm.createOrder({ model_name: 'Part' }, { token });
        if (status === 201) written += 1;
      }
    };
    const working = work();
    return async () => {
      isOver = true;
      await working;
      return written;
    };
  }

  const plans = (): Plan[] => {
    const url = 'http://127.0.0.1:9/';
    const all = fc.sample(createPlans(farm.client.document, url), { seed: SEED, numRuns: REQUESTS * 6 });
    return all
      .filter(({ operation }) => operation.parameters.some(({ name }) => name === 'dry_run'))
      .map((plan) => ({
        ...plan,
        method: plan.operation.method,
        authorization: undefined,
        trailingSlash: false,
        ids:
          plan.ids.filter(({ kind }) => kind !== 'text').length === plan.ids.length
            ? plan.ids
            : plan.ids.map((id) => (id.kind === 'text' ? { kind: 'own' as const, pick: 0 } : id)),
        query: plan.query.filter(([name]) => name !== 'dry_run'),
      }))
      .slice(0, REQUESTS);
  };

  test('do what their dry runs said, which change nothing while another account is written to', async () => {
    await fill();
    const stop = await startNeighbor();
    const counts = { requests: 0, accepted: 0, events: 0, deducted: 0 };
    for (const plan of plans()) {
      await settle();
      const request = toRequest(plan, pools, farm.token);
      const mark = request.path.includes('?') ? '&' : '?';
      const before = await fingerprint();
      const said = await send(farm.origin, agent, { ...request, path: `${request.path}${mark}dry_run=true` });
      const since = await lastEvent();
      const used = await usedOf(request);
      const where = `${request.method} ${request.path} ${request.text?.slice(0, 500)}`;
      expect([where, await fingerprint()]).toEqual([where, before]);
      const real = await send(farm.origin, agent, request);
      expect([where, said.status, said.headers.get('content-type')]).toEqual([where, 200, `${TYPE}; charset=utf-8`]);
      const { status, body, would } = said.body as DryRun;
      const did = await done(since, used, request);
      expect([where, status, mask(body), headersOf(said), would]).toEqual([
        ...[where, real.status, mask(real.body ?? null), headersOf(real)],
        // an order that is created has another ID each time
        real.status === 201
          ? { ...did, events: did.events.map(({ event }, n) => ({ event, subject: would.events[n]?.subject })) }
          : did,
      ]);
      learn(pools, request, real);
      counts.requests += 1;
      counts.accepted += Number(real.status < 300);
      counts.events += did.events.length;
      counts.deducted += Number(did.deducted_grams !== 0);
    }
    const neighbor = await stop();
    process.stdout.write(
      `dry-run.test: seed ${SEED}: ${JSON.stringify(counts)}, beside ${neighbor} orders of another account\n`,
    );
    expect(counts.requests).toBe(REQUESTS);
    expect(counts.accepted).toBeGreaterThan(REQUESTS / 10);
    expect([counts.events, counts.deducted, neighbor].filter((n) => n === 0)).toEqual([]);
    expect((await farm.client.get<Order>('/print-jobs?per_page=1')).status).toBe(200);
  });
});
