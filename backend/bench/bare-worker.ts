// The floor of deliveries: a BullMQ worker that posts with undici and stores no outcome. All jobs are queued before it
// starts. Reports to the runner in JSON lines.
import { Queue, Worker } from 'bullmq';
import { Redis } from 'ioredis';
import { Pool } from 'undici';

const { REDIS_URL, RECEIVER_URL, JOBS, AT_ONCE } = process.env as Record<string, string>;
const QUEUE = `bench-${process.pid}`;

const target = new URL(RECEIVER_URL as string);
const concurrency = Number(AT_ONCE);
const pool = new Pool(target.origin, { connections: concurrency, pipelining: 1 });
const connect = () => new Redis(REDIS_URL as string, { maxRetriesPerRequest: null });
const headers = { 'content-type': 'application/json' };
const body = JSON.stringify({
  event: 'order.status_changed',
  occurred_at: new Date().toISOString(),
  data: { id: 'sample', model_name: 'Part', order_notes: 'x'.repeat(500) },
});

const queue = new Queue(QUEUE, { connection: connect() });
const jobs = Array.from({ length: Number(JOBS) }, () => ({ name: 'send', data: { body } }));
while (jobs.length > 0) await queue.addBulk(jobs.splice(0, 1_000));
let left = Number(JOBS);
const worker = new Worker(
  QUEUE,
  async (job) => {
    const answer = await pool.request({ path: target.pathname, method: 'POST', headers, body: job.data.body });
    await answer.body.dump();
  },
  { connection: connect(), concurrency, removeOnComplete: { count: 0 } },
);
worker.on('completed', async () => {
  left -= 1;
  if (left > 0) return;
  await worker.close();
  await queue.obliterate({ force: true });
  process.stdout.write('{"port":0}\n');
});
