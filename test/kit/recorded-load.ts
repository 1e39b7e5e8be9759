import { randomUUID } from 'node:crypto';
import type { Client } from './client.ts';
import type { createRandom } from './random.ts';

const WORKERS = 6;
/** An order with this many changes is left alone. */
const MAX_CHANGES = 25;
const STATUSES = ['negotiation', 'confirmed', 'assigned', 'printing', 'print_error', 'packing', 'delivery', 'done'];
/** Between a refusal and the next request, as a client would wait. */
const AFTER_REFUSAL_MS = 10;
const MAX_ANSWER_MS = 120_000;

/** One request. Times are nanoseconds of the machine's monotonic clock. */
export interface Attempt {
  sentAt: number;
  endedAt: number;
  /** `refused`: the answer said that nothing was changed; `unknown`: there was no answer, or it did not say */
  outcome: 'acknowledged' | 'refused' | 'unknown';
}

export interface RecordedOrder {
  /** Both its Idempotency-Key and its model_name, so that two orders of one key would be found. */
  key: string;
  id: string | undefined;
  creations: Attempt[];
  /** Every status written after its creation, in order: each only after the answer to the one before. */
  changes: (Attempt & { status: string })[];
}

export interface RecordedUse {
  /** Both its Idempotency-Key and its note. */
  key: string;
  grams: number;
  attempts: Attempt[];
}

/** What the clients know: every write they sent, and how it was answered. */
export interface LoadRecord {
  orders: RecordedOrder[];
  uses: RecordedUse[];
}

interface Sent {
  attempt: Attempt;
  body: { id: string; workflow_status?: string } | undefined;
}

/** The machine's monotonic clock in nanoseconds. */
export const now = (): number => Number(process.hrtime.bigint());

const attemptsOf = (one: RecordedOrder | RecordedUse): Attempt[] => ('grams' in one ? one.attempts : one.creations);

export const isAcknowledged = (attempts: Attempt[]): boolean =>
  attempts.some(({ outcome }) => outcome === 'acknowledged');

export function countAcknowledged({ orders, uses }: LoadRecord): number {
  const changes = orders.reduce((sum, one) => sum + one.changes.filter((each) => isAcknowledged([each])).length, 0);
  return [...orders, ...uses].filter((one) => isAcknowledged(attemptsOf(one))).length + changes;
}

/** What the clients knew at a moment. */
export function recordAt({ orders, uses }: LoadRecord, moment: number): LoadRecord {
  const until = <A extends Attempt>(attempts: A[]): A[] =>
    attempts
      .filter(({ sentAt }) => sentAt <= moment)
      .map((one) => (one.endedAt <= moment ? one : { ...one, outcome: 'unknown' }));
  return {
    orders: orders.map((one) => ({ ...one, creations: until(one.creations), changes: until(one.changes) })),
    uses: uses.map((one) => ({ ...one, attempts: until(one.attempts) })),
  };
}

/** @returns the id of a filament with many batches, so that one deduction touches several rows */
export async function createFilament(client: Client): Promise<string> {
  const made = await client.post('/filaments', { name: 'PETG', spool_count: 1, spool_price_rub: 1500 });
  const id = String(made.body.id);
  for (let batch = 0; batch < 20; batch++) {
    await client.post(`/filaments/${id}/batches`, { spool_count: batch < 12 ? 1 : 200 });
  }
  return id;
}

/** Events of the changes that the load makes. */
export const LOAD_EVENTS = ['order.created', 'order.status_changed'];

type Random = ReturnType<typeof createRandom>;
type Repeatable = RecordedOrder | RecordedUse;

interface SenderOptions {
  token: string;
  refusals: Map<string, number> | undefined;
  unexpected: string[];
}

function createSender({ token, refusals, unexpected }: SenderOptions) {
  /** Its attempt is `unknown` if there was no answer. */
  async function send(origin: string, method: string, path: string, body: unknown, key?: string): Promise<Sent> {
    const attempt: Attempt = { sentAt: now(), endedAt: Number.POSITIVE_INFINITY, outcome: 'unknown' };
    try {
      const response = await fetch(`${origin}/api/v1${path}`, {
        method,
        headers: {
          Authorization: `Bearer ${token}`,
          'Content-Type': 'application/json',
          ...(key === undefined ? {} : { 'Idempotency-Key': key }),
        },
        body: JSON.stringify(body),
        signal: AbortSignal.timeout(MAX_ANSWER_MS),
      });
      const text = await response.text();
      attempt.endedAt = now();
      return { attempt, body: readAnswer(attempt, `${method} ${path}`, response.status, text) };
    } catch (error) {
      const hasTimedOut = (error as Error).name === 'TimeoutError';
      if (refusals || hasTimedOut) unexpected.push(`${method} ${path}: no answer (${(error as Error).message})`);
      return { attempt, body: undefined };
    }
  }

  function readAnswer(attempt: Attempt, request: string, status: number, text: string): Sent['body'] {
    const body = JSON.parse(text) as { id: string; code?: string; detail?: string };
    if (status < 300) {
      attempt.outcome = 'acknowledged';
      return body;
    }
    if (!refusals || status !== 503 || body.code !== 'unavailable') unexpected.push(`${request} → ${status} ${text}`);
    refusals?.set(`${status} ${body.code}`, (refusals.get(`${status} ${body.code}`) ?? 0) + 1);
    if (body.detail?.includes('Nothing was changed')) attempt.outcome = 'refused';
    return undefined;
  }

  return send;
}

/** A status different from whatever may be stored, so that every write is a change. */
function chooseStatus({ changes }: RecordedOrder, random: Random): string | undefined {
  const since = changes.findLastIndex(({ outcome }) => outcome === 'acknowledged');
  const known = since < 0 ? ['negotiation'] : [];
  const possible = new Set([...known, ...changes.slice(Math.max(since, 0)).map((one) => one.status)]);
  const others = STATUSES.filter((one) => !possible.has(one));
  return changes.length < MAX_CHANGES && others.length > 0 ? random.pick(others) : undefined;
}

/** A request without a success to repeat, if there is one. Some are given up. */
function takeUnresolved(unresolved: Set<Repeatable>, random: Random): Repeatable | undefined {
  const [one] = unresolved;
  if (!one || random.next() < 0.7) return undefined;
  unresolved.delete(one);
  return random.next() < 0.4 ? undefined : one;
}

const takeAcknowledged = ({ orders, uses }: LoadRecord): Repeatable[] =>
  [orders, uses].flatMap((all) =>
    all
      .slice(-10)
      .filter((one) => isAcknowledged(attemptsOf(one)))
      .slice(-2),
  );

/**
 * Clients that create orders, change their status and consume filament, and record what was answered. They repeat
 * requests without a success with the same Idempotency-Key, and some that succeeded: repeats must change nothing.
 * @param refusals counts refusals with 503 and the code `unavailable`, after which the load goes on; if not given, they
 * are unexpected, and a request without an answer is not
 */
export function createRecordedLoad({
  random,
  token,
  filamentId,
  refusals,
}: {
  random: Random;
  token: string;
  filamentId: string;
  refusals?: Map<string, number>;
}) {
  const record: LoadRecord = { orders: [], uses: [] };
  /** Answers that no client should get. */
  const unexpected: string[] = [];
  const unresolved = new Set<Repeatable>();
  /** The orders each worker changes. */
  const mine: RecordedOrder[][] = Array.from({ length: WORKERS }, () => []);

  const send = createSender({ token, refusals, unexpected });

  async function create(origin: string, order: RecordedOrder, worker: number): Promise<Attempt> {
    const { attempt, body } = await send(origin, 'POST', '/print-jobs', { model_name: order.key }, order.key);
    order.creations.push(attempt);
    if (body) {
      if (order.id === undefined) mine[worker]?.push(order);
      else if (order.id !== body.id) unexpected.push(`${order.key} made a second order`);
      order.id = body.id;
    }
    return attempt;
  }

  async function use(origin: string, one: RecordedUse): Promise<Attempt> {
    const path = `/filaments/${filamentId}/consume`;
    const { attempt } = await send(origin, 'POST', path, { grams: one.grams, note: one.key }, one.key);
    one.attempts.push(attempt);
    return attempt;
  }

  async function change(origin: string, order: RecordedOrder, status: string): Promise<Attempt> {
    const { attempt, body } = await send(origin, 'PUT', `/print-jobs/${order.id}`, { workflow_status: status });
    order.changes.push(Object.assign(attempt, { status }));
    if (body && body.workflow_status !== status) unexpected.push(`PUT answered ${body.workflow_status}`);
    return attempt;
  }

  async function repeat(origin: string, one: Repeatable, worker: number): Promise<Attempt> {
    const attempt = 'grams' in one ? await use(origin, one) : await create(origin, one, worker);
    if (!isAcknowledged(attemptsOf(one))) unresolved.add(one);
    return attempt;
  }

  async function writeNext(origin: string, worker: number): Promise<Attempt> {
    const orders = mine[worker] as RecordedOrder[];
    const dice = random.next();
    if (dice < 0.6 && orders.length > 0) {
      // mostly the newest, so that changes of one order follow each other closely
      const order = random.next() < 0.7 ? (orders.at(-1) as RecordedOrder) : random.pick(orders);
      const status = chooseStatus(order, random);
      if (status !== undefined) return change(origin, order, status);
      orders.splice(orders.indexOf(order), 1);
    }
    if (dice < 0.8) {
      const one: RecordedUse = { key: randomUUID(), grams: random.between(1, 40_000) / 1000, attempts: [] };
      record.uses.push(one);
      return repeat(origin, one, worker);
    }
    const order: RecordedOrder = { key: randomUUID(), id: undefined, creations: [], changes: [] };
    record.orders.push(order);
    return repeat(origin, order, worker);
  }

  return {
    record,
    unexpected,

    /**
     * Writes until it is stopped, or until a request has no answer or an unexpected one.
     * @param origins used in turn
     * @param onAcknowledged is called after each success
     */
    run(origins: string[], onAcknowledged: (acknowledgedAt: number) => void = () => undefined) {
      let running = true;
      const repeats = takeAcknowledged(record);
      async function writeOne(origin: string, worker: number): Promise<void> {
        const known = repeats.pop() ?? takeUnresolved(unresolved, random);
        const { outcome, endedAt } = await (known ? repeat(origin, known, worker) : writeNext(origin, worker));
        if (outcome === 'acknowledged') onAcknowledged(endedAt);
        else if (refusals && unexpected.length === 0)
          await new Promise((resolve) => setTimeout(resolve, AFTER_REFUSAL_MS));
        else running = false;
      }
      async function work(worker: number): Promise<void> {
        for (let i = worker; running; i++) await writeOne(origins[i % origins.length] as string, worker);
      }
      const ended = Promise.all(Array.from({ length: WORKERS }, (_, worker) => work(worker)));
      return {
        ended,
        async stop(): Promise<void> {
          running = false;
          await ended;
        },
      };
    },
  };
}
