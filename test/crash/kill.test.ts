import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { createClient } from '../kit/client.ts';
import { type DatabaseInspector, inspectDatabase } from '../kit/database.ts';
import { eventually } from '../kit/eventually.ts';
import { times } from '../kit/length.ts';
import { createRandom, seedFrom } from '../kit/random.ts';
import { type Receiver, startReceiver } from '../kit/receiver.ts';
import {
  createAccountWithToken,
  createNewDataFolder,
  type Env,
  farmboard,
  LAUNCHER,
  type Service,
  startService,
} from '../kit/service.ts';

const CYCLES = times(20, 300);
const SEED = seedFrom('CRASH_SEED');
/** This many of the cycles are killed while the database file is still being created. */
const KILLS_ON_A_NEW_FILE = 5;
/** Of the others, one in this many is killed while it starts. */
const START_KILL_EVERY = 5;
const WORKERS = 6;
const MAX_ACKS = 60;
const STATUSES = ['negotiation', 'confirmed', 'assigned', 'printing', 'print_error', 'packing', 'delivery', 'done'];

type Fate = 'acknowledged' | 'unknown' | 'given up';

/** What the clients know: every write they sent, and whether it was answered. */
interface LedgerOrder {
  /** Both its Idempotency-Key and its model_name, so that two orders of one key would be found. */
  key: string;
  fate: Fate;
  id: string | undefined;
  /** Every status written after its creation, in order. */
  writes: { status: string; acknowledged: boolean }[];
}

interface LedgerUse {
  /** Its Idempotency-Key and its note. */
  key: string;
  fate: Fate;
  grams: number;
}

const random = createRandom(SEED);
const orders: LedgerOrder[] = [];
const uses: LedgerUse[] = [];
const unexpected: string[] = [];
const startTimes: number[] = [];

const folder = createNewDataFolder();
const env: Env = { ...folder.env, WEBHOOK_ALLOWED_HOSTS: 'loopback' };
const receivers: Receiver[] = [];
let token: string;
let filamentId: string;

/** A write as a client sees it: answered or not. Any response but a success is a fault of the service. */
async function write(origin: string, method: string, path: string, body: unknown, key?: string) {
  let status: number;
  let text: string;
  try {
    const response = await fetch(`${origin}/api/v1${path}`, {
      method,
      headers: {
        Authorization: `Bearer ${token}`,
        'Content-Type': 'application/json',
        ...(key === undefined ? {} : { 'Idempotency-Key': key }),
      },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(20_000),
    });
    status = response.status;
    text = await response.text();
  } catch (error) {
    if ((error as Error).name === 'TimeoutError') unexpected.push(`${method} ${path}: no answer within 20 s`);
    return undefined;
  }
  if (status >= 300) {
    unexpected.push(`${method} ${path} → ${status} ${text}`);
    return undefined;
  }
  return JSON.parse(text) as { id: string; workflow_status?: string };
}

/**
 * The load of one cycle. `acknowledged` is called for each response; the first write without one ends the load, because
 * the service is dead.
 */
async function load(origin: string, acknowledged: () => void): Promise<void> {
  let over = false;
  // repeats unanswered requests and some answered ones: repeats must change nothing
  const answered = [orders, uses].flatMap((all) => all.filter((one) => one.fate === 'acknowledged').slice(-2));
  const retries = [...answered, ...[...orders, ...uses].filter((one) => one.fate === 'unknown')];

  function settle(answered: boolean): void {
    if (answered) acknowledged();
    else over = true;
  }

  async function create(order: LedgerOrder): Promise<void> {
    const made = await write(origin, 'POST', '/print-jobs', { model_name: order.key }, order.key);
    if (made) {
      if (order.id !== undefined && order.id !== made.id) unexpected.push(`${order.key} made a second order`);
      order.fate = 'acknowledged';
      order.id = made.id;
    }
    settle(made !== undefined);
  }

  async function use(one: LedgerUse): Promise<void> {
    const path = `/filaments/${filamentId}/consume`;
    const answer = await write(origin, 'POST', path, { grams: one.grams, note: one.key }, one.key);
    if (answer) one.fate = 'acknowledged';
    settle(answer !== undefined);
  }

  async function move(order: LedgerOrder): Promise<void> {
    // different from whatever may be stored, so that every write is a change
    const since = order.writes.findLastIndex((one) => one.acknowledged);
    const known = since < 0 ? ['negotiation'] : [];
    const possible = new Set([...known, ...order.writes.slice(Math.max(since, 0)).map((one) => one.status)]);
    const status = random.pick(STATUSES.filter((one) => !possible.has(one)));
    const attempt = { status, acknowledged: false };
    order.writes.push(attempt);
    const answer = await write(origin, 'PUT', `/print-jobs/${order.id}`, { workflow_status: status });
    attempt.acknowledged = answer !== undefined;
    if (answer && answer.workflow_status !== status) unexpected.push(`PUT answered ${answer.workflow_status}`);
    settle(answer !== undefined);
  }

  async function work(worker: number): Promise<void> {
    while (!over) {
      const retry = retries.pop();
      if (retry) {
        if (retry.fate === 'unknown' && random.next() < 0.4) retry.fate = 'given up';
        else if ('grams' in retry) await use(retry);
        else await create(retry);
        continue;
      }
      const mine = orders.filter((order, i) => i % WORKERS === worker && order.id && order.writes.length < 25);
      const dice = random.next();
      if (dice < 0.6 && mine.length > 0) {
        // mostly the newest, so that changes of one order follow each other closely
        await move(random.next() < 0.7 ? (mine.at(-1) as LedgerOrder) : random.pick(mine));
      } else if (dice < 0.8) {
        const one: LedgerUse = { key: randomUUID(), fate: 'unknown', grams: random.between(1, 40_000) / 1000 };
        uses.push(one);
        await use(one);
      } else {
        const order: LedgerOrder = { key: randomUUID(), fate: 'unknown', id: undefined, writes: [] };
        orders.push(order);
        await create(order);
      }
    }
  }
  await Promise.all(Array.from({ length: WORKERS }, (_, worker) => work(worker)));
}

async function killDuringStart(afterMs: number): Promise<void> {
  const child = spawn(process.execPath, [LAUNCHER, 'serve'], { env: { ...process.env, ...env }, stdio: 'ignore' });
  const exited = once(child, 'exit') as Promise<[number | null, string | null]>;
  await Promise.race([sleep(afterMs), exited]);
  child.kill('SIGKILL');
  const [code, signal] = await exited;
  if (signal !== 'SIGKILL') unexpected.push(`a start ended by itself with code ${code}`);
}

async function start(): Promise<Service> {
  const began = Date.now();
  const service = await startService(env);
  startTimes.push(Date.now() - began);
  return service;
}

async function killUnderLoad(): Promise<void> {
  const service = await start();
  const last = random.between(1, MAX_ACKS);
  // half of them right at a response, half at any moment between two responses
  const delay = random.pick([0, random.between(1, 15)]);
  let acks = 0;
  let killed: Promise<void> | undefined;
  await load(service.origin, () => {
    acks += 1;
    if (acks >= last) killed ??= delay === 0 ? service.kill() : sleep(delay).then(service.kill);
  });
  if (!killed) unexpected.push(`the service stopped answering before it was killed: ${service.log.slice(-5)}`);
  await (killed ?? service.kill());
}

const median = (list: number[]): number => [...list].sort((a, b) => a - b)[Math.floor(list.length / 2)] ?? 1_000;

describe(`${CYCLES} kill -9 cycles under load (CRASH_SEED=${SEED})`, () => {
  let inspector: DatabaseInspector;
  let last: Service;
  const counts = { start: 0, load: 0 };

  interface DeliveryRow {
    seq: number;
    id: string;
    subscription_id: string;
    event_seq: number;
    subject: string;
    state: string;
    error: string | null;
    sequence: number;
    body: string;
  }
  let deliveries: DeliveryRow[];
  let channels: { id: string; receiver: Receiver }[];

  beforeAll(async () => {
    const began = Date.now();
    const jitter = createRandom(SEED + 1);
    receivers.push(
      await startReceiver(),
      // slower than the load, so that kills interrupt deliveries
      await startReceiver((res) => void setTimeout(() => res.writeHead(204).end(), jitter.between(0, 30))),
    );

    for (; counts.start < KILLS_ON_A_NEW_FILE; counts.start++) await killDuringStart(random.between(50, 1_000));
    const first = await start();
    token = (await createAccountWithToken(env)).token;
    const client = await createClient(first.origin, token);
    channels = [];
    for (const receiver of receivers) {
      const made = await client.post('/webhook-subscriptions', {
        url: receiver.url,
        events: ['order.created', 'order.status_changed'],
      });
      channels.push({ id: made.body.id as string, receiver });
    }
    const filament = await client.post('/filaments', { name: 'PETG', spool_count: 1, spool_price_rub: 1500 });
    filamentId = filament.body.id as string;
    // many batches, so that one consumption touches several rows
    for (let batch = 0; batch < 20; batch++) {
      await client.post(`/filaments/${filamentId}/batches`, { spool_count: batch < 12 ? 1 : 20 });
    }
    await first.stop();

    while (counts.start + counts.load < CYCLES) {
      if ((counts.start + counts.load) % START_KILL_EVERY === 0) {
        await killDuringStart(random.between(0, Math.round(median(startTimes) * 1.3)));
        counts.start += 1;
      } else {
        await killUnderLoad();
        counts.load += 1;
      }
      if (unexpected.length > 0) break;
    }
    const cyclesTook = Date.now() - began;

    last = await start();
    inspector = await inspectDatabase(folder.file);
    const drainBegan = Date.now();
    await eventually(
      () =>
        inspector.rows(
          "SELECT state, count(*) AS n FROM deliveries WHERE state IN ('pending', 'sending') GROUP BY state",
        ),
      (open) => open.length === 0,
      60_000,
    );
    deliveries = await inspector.rows<DeliveryRow>(
      'SELECT d.*, e.body FROM deliveries d JOIN events e ON e.seq = d.event_seq ORDER BY d.seq',
    );
    const acks =
      orders.filter((one) => one.fate === 'acknowledged').length +
      uses.filter((one) => one.fate === 'acknowledged').length +
      orders.flatMap((one) => one.writes).filter((one) => one.acknowledged).length;
    const lost = orders.flatMap((one) => one.writes).filter((one) => !one.acknowledged).length;
    process.stdout.write(
      `kill.test: seed ${SEED}: ${counts.load} kills under load, ${counts.start} during start, in ${cyclesTook} ms (start ${median(startTimes)} ms); ` +
        `${acks} acknowledged writes, ${lost} status writes without an answer, ${deliveries.length} deliveries, ` +
        `${deliveries.filter((row) => row.error === 'interrupted').length} interrupted; drained in ${Date.now() - drainBegan} ms\n`,
    );
  }, 400_000);

  afterAll(async () => {
    await inspector?.close();
    await last?.kill();
    for (const receiver of receivers) await receiver.stop();
    folder.remove();
  });

  it('completes every cycle with successful responses only', () => {
    expect(unexpected).toEqual([]);
    expect(counts.start + counts.load).toBe(CYCLES);
    expect(counts.start).toBeGreaterThan(KILLS_ON_A_NEW_FILE);
  });

  it('loses no acknowledged order and creates none twice', async () => {
    const stored = await inspector.rows<{ id: string; model_name: string }>('SELECT id, model_name FROM orders');
    const idsOf = new Map<string, string[]>();
    for (const { id, model_name } of stored) idsOf.set(model_name, [...(idsOf.get(model_name) ?? []), id]);
    for (const order of orders) {
      const ids = idsOf.get(order.key) ?? [];
      if (order.fate === 'acknowledged') expect(ids).toEqual([order.id]);
      else expect(ids.length).toBeLessThanOrEqual(1);
      idsOf.delete(order.key);
    }
    expect([...idsOf.keys()]).toEqual([]);
  });

  it('loses no acknowledged status change', async () => {
    const history = await inspector.rows<{ order_id: string; kind: string; to_status: string }>(
      'SELECT order_id, kind, to_status FROM order_history ORDER BY seq',
    );
    const stored = new Map(
      (await inspector.rows<{ id: string; workflow_status: string }>('SELECT id, workflow_status FROM orders')).map(
        (row) => [row.id, row.workflow_status],
      ),
    );
    for (const order of orders.filter((one) => one.id)) {
      const rows = history.filter((row) => row.order_id === order.id);
      expect(rows[0]).toMatchObject({ kind: 'created', to_status: 'negotiation' });
      const changes = rows.slice(1).map((row) => row.to_status);
      let next = 0;
      for (const { status, acknowledged } of order.writes) {
        if (changes[next] === status) next += 1;
        else if (acknowledged)
          throw new Error(`${status} was acknowledged and is not in ${changes} of ${JSON.stringify(order)}`);
      }
      // nothing is stored that no client wrote
      expect(next).toBe(changes.length);
      expect(stored.get(order.id as string)).toBe(changes.at(-1) ?? 'negotiation');
    }
  });

  it('loses no acknowledged deduction and applies none twice', async () => {
    const rows = await inspector.rows<{ note: string; mg: number }>(
      "SELECT note, -sum(grams_mg) AS mg FROM filament_ledger WHERE kind = 'consumption' GROUP BY note",
    );
    const taken = new Map(rows.map((row) => [row.note, row.mg]));
    for (const { key, fate, grams } of uses) {
      const mg = taken.get(key);
      if (fate === 'acknowledged') expect(mg).toBe(Math.round(grams * 1000));
      else expect([undefined, Math.round(grams * 1000)]).toContain(mg);
    }
    const [filament] = await inspector.rows<{ used_mg: number }>('SELECT used_mg FROM filaments');
    expect(filament?.used_mg).toBe([...taken.values()].reduce((sum, mg) => sum + mg, 0));
    const client = await createClient(last.origin, token);
    const shown = await client.get<{ used_grams: number }>(`/filaments/${filamentId}`);
    expect(Math.round(shown.body.used_grams * 1000)).toBe(filament?.used_mg);
  });

  it('has exactly one event per change', async () => {
    const events = await inspector.rows<{ event: string; body: string }>('SELECT event, body FROM events ORDER BY seq');
    const told = events.map(({ event, body }) => {
      const { data } = JSON.parse(body) as { data: { id: string; workflow_status: string } };
      return `${event} ${data.id} ${data.workflow_status}`;
    });
    const history = await inspector.rows<{ order_id: string; kind: string; to_status: string }>(
      "SELECT order_id, kind, to_status FROM order_history WHERE kind IN ('created', 'status_changed') ORDER BY seq",
    );
    expect(told).toEqual(history.map((row) => `order.${row.kind} ${row.order_id} ${row.to_status}`));
  });

  it('has one final delivery per event and channel, numbered without gaps', async () => {
    const [{ n: events }] = (await inspector.rows<{ n: number }>('SELECT count(*) AS n FROM events')) as [
      { n: number },
    ];
    for (const { id } of channels) {
      const rows = deliveries.filter((row) => row.subscription_id === id);
      expect(rows).toHaveLength(events);
      expect(new Set(rows.map((row) => row.event_seq)).size).toBe(events);
      // the receivers accept everything, so only a kill can have failed a delivery
      expect(rows.filter((row) => row.state !== 'succeeded' && row.error !== 'interrupted')).toEqual([]);
      expect(rows.map((row) => row.sequence).sort((a, b) => a - b)).toEqual(rows.map((_, i) => i + 1));
    }
    expect(deliveries.some((row) => row.error === 'interrupted')).toBe(true);
  });

  it('delivered nothing twice and everything recorded as delivered, in order per order', () => {
    for (const { id, receiver } of channels) {
      const rows = new Map(deliveries.filter((row) => row.subscription_id === id).map((row) => [row.id, row]));
      const arrived = receiver.received.map((one) => String(one.headers['x-svc-delivery']));
      expect(new Set(arrived).size).toBe(arrived.length);
      expect(new Set(receiver.received.map((one) => one.raw.toString())).size).toBe(arrived.length);
      const lastOf = new Map<string, number>();
      for (const one of receiver.received) {
        const row = rows.get(String(one.headers['x-svc-delivery']));
        if (!row) throw new Error(`a delivery arrived that no row tells of: ${one.raw}`);
        expect(one.raw.toString()).toBe(row.body);
        expect(Number(one.headers['x-svc-sequence'])).toBe(row.sequence);
        expect(row.event_seq).toBeGreaterThan(lastOf.get(row.subject) ?? 0);
        lastOf.set(row.subject, row.event_seq);
      }
      const arrivedIds = new Set(arrived);
      expect([...rows.values()].filter((row) => row.state === 'succeeded' && !arrivedIds.has(row.id))).toEqual([]);
    }
  });

  it('passes farmboard check', async () => {
    expect(await farmboard(['check'], env)).toEqual({
      code: 0,
      stdout: 'No problems found.\n',
      stderr: '',
    });
  }, 30_000);
});
