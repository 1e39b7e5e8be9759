// What a user would write in an afternoon: Express 5 with its defaults, Knex and sqlite3 on one connection, three tables,
// no authentication. It shares no code and no statements with the service, so it does not inherit their cost.
// With ?deliver a PUT also sends its delivery after the answer and records the outcome. Reports to the runner in one line of JSON.
import { randomUUID } from 'node:crypto';
import express from 'express';
import knex from 'knex';
import { Pool } from 'undici';

const ORDERS = Number(process.env.ORDERS);
const receiver = new URL(process.env.RECEIVER_URL as string);
const db = knex({ client: 'sqlite3', connection: { filename: process.env.FILE as string }, useNullAsDefault: true });
// as durable as the service: a commit is on the disk before it is answered
await db.raw('PRAGMA journal_mode = WAL');

await db.schema.createTable('orders', (table) => {
  table.string('id').primary();
  table.string('model_name').notNullable();
  table.integer('quantity_pieces').notNullable();
  table.string('material_name').notNullable();
  table.string('color_hex').notNullable();
  table.float('material_grams').notNullable();
  table.float('print_hours').notNullable();
  table.string('due_date').notNullable();
  table.text('order_notes').notNullable();
  table.string('workflow_status').notNullable();
  table.string('printer_id');
  table.string('printer_name');
  table.string('customer_name');
  table.string('customer_contact');
  table.integer('price');
  table.string('currency');
  table.string('created_at').notNullable().index();
  table.string('updated_at').notNullable();
});
await db.schema.createTable('events', (table) => {
  table.increments('id');
  table.string('event').notNullable();
  table.string('occurred_at').notNullable();
  table.text('body').notNullable();
});
await db.schema.createTable('deliveries', (table) => {
  table.increments('id');
  table.integer('event_id').notNullable().references('events.id');
  table.string('state').notNullable();
});

const toOrder = (_: unknown, i: number) => {
  const at = new Date(Date.now() - (ORDERS - i) * 1000).toISOString();
  return {
    id: randomUUID(),
    model_name: `Part ${i}`,
    quantity_pieces: 3,
    material_name: 'PETG',
    color_hex: '#1E90FF',
    material_grams: 123.456,
    print_hours: 4.5,
    due_date: '2027-01-31',
    order_notes: 'a note of usual length about this order',
    workflow_status: 'assigned',
    printer_id: null,
    printer_name: null,
    customer_name: 'A customer',
    customer_contact: null,
    price: 250_000,
    currency: 'RUB',
    created_at: at,
    updated_at: at,
  };
};
const orders = Array.from({ length: ORDERS }, toOrder);
await db.batchInsert('orders', orders, 50);

const app = express();
app.use(express.json());

app.get('/api/v1/print-jobs/:id', async (req, res) => {
  const order = await db('orders').where({ id: req.params.id }).first();
  if (order) res.json(order);
  else res.sendStatus(404);
});

app.get('/api/v1/print-jobs', async (req, res) => {
  const page = Number(req.query.page ?? 1);
  const perPage = Number(req.query.per_page ?? 50);
  const counted = await db('orders').count({ total: '*' }).first();
  const items = await db('orders')
    .orderBy('created_at', 'desc')
    .limit(perPage)
    .offset((page - 1) * perPage);
  res.json({ items, total: counted?.total, page, per_page: perPage });
});

const pool = new Pool(receiver.origin, { connections: 4 });

async function send(deliveryId: number, body: string): Promise<void> {
  const headers = { 'content-type': 'application/json' };
  const answer = await pool.request({ path: receiver.pathname, method: 'POST', headers, body });
  await answer.body.dump();
  const state = answer.statusCode < 300 ? 'succeeded' : 'failed';
  await db('deliveries').where({ id: deliveryId }).update({ state });
}

app.put('/api/v1/print-jobs/:id', async (req, res) => {
  const done = await db.transaction(async (trx) => {
    const before = await trx('orders').where({ id: req.params.id }).first();
    if (!before) return undefined;
    const change = { ...req.body, updated_at: new Date().toISOString() };
    await trx('orders').where({ id: req.params.id }).update(change);
    const order = { ...before, ...change };
    const body = JSON.stringify({ event: 'order.status_changed', occurred_at: order.updated_at, data: order });
    const [eventId] = await trx('events').insert({
      event: 'order.status_changed',
      occurred_at: order.updated_at,
      body,
    });
    const [deliveryId] = await trx('deliveries').insert({ event_id: eventId, state: 'pending' });
    return { order, body, deliveryId: deliveryId as number };
  });
  if (!done) {
    res.sendStatus(404);
    return;
  }
  res.json(done.order);
  if (req.query.deliver !== undefined) send(done.deliveryId, done.body).catch(() => undefined);
});

const server = app.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as { port: number };
  process.stdout.write(`${JSON.stringify({ port, orderIds: orders.slice(-200).map(({ id }) => id) })}\n`);
});
