// The baseline: the same statements on the same reader pool behind a bare Express handler, without validation, limits,
// error bodies and events. Shows what Express, Knex and SQLite cost by themselves. Reports to the runner in JSON lines.
import express from 'express';
import { Pool } from 'undici';
import { sha256 } from '../../common/src/crypto.ts';
import { createLogger } from '../../common/src/logger.ts';
import { newId } from '../src/shared/ids.ts';
import type { Value } from '../src/storage/dialect.ts';
import { createDrain } from '../src/webhooks/delivery/drain.ts';
import { createFarm, openFarmboard } from './farm.ts';
import { type Recording, record, replay } from './statements.ts';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-/;

const receiver = process.env.RECEIVER_URL as string;
const farmboard = await openFarmboard();
const farm = await createFarm(farmboard, [receiver]);
const { storage, accounts, orders, filaments } = farmboard;
const actor = await accounts.authenticate(`Bearer ${farm.token}`);
await new Promise((resolve) => setTimeout(resolve, 100));
const sample = farm.orderIds[0] as string;
const authenticate = () => accounts.authenticate(`Bearer ${farm.token}`);

const recorded = {
  get: await record(storage, async () => {
    await authenticate();
    await orders.get(actor.accountId, sample);
  }),
  list: await record(storage, async () => {
    await authenticate();
    await orders.list(
      actor.accountId,
      { workflow_status: [], include_closed: false, sort: '-created_at' },
      { page: 1, per_page: 50 },
    );
  }),
  put: await record(storage, async () => {
    await authenticate();
    await orders.update(actor, sample, { workflow_status: 'printing' }, { strict: false, ifMatch: undefined });
  }),
  consume: await record(storage, async () => {
    await authenticate();
    await filaments.consume(actor, farm.filamentId, { grams: 0.001 }, undefined);
  }),
};

const known = new Set<Value>([actor.accountId, farm.filamentId, sha256(farm.token)]);
const batches = (await storage.read.raw('SELECT id FROM filament_batches')) as { id: string }[];
for (const { id } of batches) known.add(id);

/**
 * Adapts a recorded value to another order: replaces the sample's id, and ids created by the recorded request by new
 * ones.
 */
const binder =
  (orderId: string, status?: string) =>
  (value: Value): Value => {
    if (value === sample) return orderId;
    if (value === 'printing' && status !== undefined) return status;
    if (value === 'assigned' && status !== undefined) return status === 'printing' ? 'assigned' : 'printing';
    return typeof value === 'string' && UUID.test(value) && !known.has(value) ? newId() : value;
  };

async function run(recording: Recording, bind: (value: Value) => Value): Promise<unknown> {
  let rows = await replay(storage.read, recording.reads, bind);
  for (const statements of recording.transactions) {
    rows = await storage.writer.transaction((trx) => replay(trx, statements, bind));
  }
  return rows;
}

const app = express();
app.disable('x-powered-by');
app.disable('etag');
app.use(express.json());
app.get('/api/v1/print-jobs/:id', (req, res, next) => {
  run(recorded.get, binder(req.params.id)).then((rows) => res.json((rows as unknown[])[0]), next);
});
app.get('/api/v1/print-jobs', (_req, res, next) => {
  run(recorded.list, binder(sample)).then((rows) => res.json({ items: rows, total: 0, page: 1, per_page: 50 }), next);
});

const target = new URL(receiver);
const pool = new Pool(target.origin, { connections: 4, pipelining: 1 });
const body = JSON.stringify({
  event: 'order.status_changed',
  occurred_at: new Date().toISOString(),
  data: { id: sample, model_name: 'Part', order_notes: 'a note of usual length about this order' },
});

/** The statements of a drain of one event (claim, then record), recorded without sending. */
const delivery = await record(storage, async () => {
  const drain = createDrain({
    storage,
    publishChange: () => undefined,
    sender: {
      openPool: () => ({
        send: async () => ({ status: 'succeeded', responseStatus: 204, error: null, durationMs: 1 }),
        close: async () => undefined,
      }),
    },
    secretBox: { encrypt: (plain) => plain, decrypt: () => receiver, tryDecrypt: () => receiver },
    worker: 'baseline',
    logger: createLogger('silent'),
  });
  const [{ id }] = (await storage.read.raw('SELECT id FROM subscriptions')) as [{ id: string }];
  known.add(id);
  await drain(id, { stopping: () => false, nextWake: () => new Promise(() => undefined) });
});

/** Sends one request with the statements of its delivery, one event at a time. */
async function deliver(): Promise<void> {
  const [claim, ...rest] = delivery.transactions;
  const bind = (value: Value): Value => value;
  await storage.writer.transaction((trx) => replay(trx, claim ?? [], bind)).catch(() => undefined);
  const answer = await pool.request({
    path: target.pathname,
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body,
  });
  await answer.body.dump();
  for (const statements of rest.slice(0, 1)) await storage.writer.transaction((trx) => replay(trx, statements, bind));
}

// with ?deliver, the baseline also makes the delivery: one request to the receiver and the statements around it
app.put('/api/v1/print-jobs/:id', (req, res, next) => {
  run(recorded.put, binder(req.params.id, req.body.workflow_status)).then(() => {
    res.json({ id: req.params.id });
    if (req.query.deliver !== undefined) deliver().catch(() => undefined);
  }, next);
});
app.post('/api/v1/filaments/:id/consume', (_req, res, next) => {
  run(recorded.consume, binder(sample)).then((rows) => res.json((rows as unknown[])[0]), next);
});

const server = app.listen(0, '127.0.0.1', () => {
  const address = server.address() as { port: number };
  const statements = Object.fromEntries(
    Object.entries(recorded).map(([name, { reads, transactions }]) => [
      name,
      reads.length + transactions.flat().length,
    ]),
  );
  process.stdout.write(`${JSON.stringify({ port: address.port, farm, statements })}\n`);
});
