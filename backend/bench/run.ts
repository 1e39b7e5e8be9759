// npm run bench: ours against the floor, interleaved in one run, the load from this process. Ratios, because the speed of a
// machine says nothing about a program. Options: --rounds N (5), --seconds N (3), --only-deliveries.
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import autocannon from 'autocannon';
import { Pool, request } from 'undici';
import { createFarm, type Farm, OWNER, openFarmboard } from './farm.ts';

const here = dirname(fileURLToPath(import.meta.url));
const launcher = join(here, '../../bin/farmboard.js');
const option = (name: string, fallback: number) => {
  const at = process.argv.indexOf(`--${name}`);
  return at < 0 ? fallback : Number(process.argv[at + 1]);
};
const ROUNDS = option('rounds', 5);
const SECONDS = option('seconds', 3);
const CONNECTIONS = 16;

const folder = mkdtempSync(join(tmpdir(), 'farmboard-bench-'));
const children: ChildProcess[] = [];

/** Starts a process and resolves with the first line of JSON that has a port. */
function start<T extends { port: number }>(args: string[], env: Record<string, string>): Promise<T> {
  const child = spawn(process.execPath, args, {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  children.push(child);
  return new Promise((resolve, reject) => {
    child.once('exit', (code) => reject(new Error(`${args.join(' ')} ended with ${code}`)));
    createInterface({ input: child.stdout }).on('line', (line) => {
      if (!line.startsWith('{')) return;
      const message = JSON.parse(line) as Partial<T>;
      if (message.port !== undefined) resolve(message as T);
    });
  });
}

const median = (values: number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
const quantile = (values: number[], q: number): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length * q)] ?? Number.NaN;

interface Server {
  origin: string;
  farm: Farm;
  /** how many requests it got: each server's orders go round by themselves */
  sent: number;
  /** what each order was last set to, so that every PUT is a change */
  statuses: Map<string, string>;
}

const toServer = (port: number, farm: Farm): Server => ({
  origin: `http://127.0.0.1:${port}`,
  farm,
  sent: 0,
  statuses: new Map(),
});

interface Load {
  name: string;
  /** the next request to a server */
  request(server: Server): { method: 'GET' | 'PUT' | 'POST'; path: string; body?: string };
  /** added to the path on the floor only */
  floorQuery?: string;
}

const nextOrder = (server: Server): string => {
  server.sent += 1;
  return server.farm.orderIds[server.sent % server.farm.orderIds.length] as string;
};

function put(server: Server) {
  const id = nextOrder(server);
  const status = server.statuses.get(id) === 'printing' ? 'assigned' : 'printing';
  server.statuses.set(id, status);
  return {
    method: 'PUT' as const,
    path: `/api/v1/print-jobs/${id}`,
    body: JSON.stringify({ workflow_status: status }),
  };
}

const LOADS: Load[] = [
  { name: 'GET one', request: (server) => ({ method: 'GET', path: `/api/v1/print-jobs/${nextOrder(server)}` }) },
  { name: 'GET list of 50 with total', request: () => ({ method: 'GET', path: '/api/v1/print-jobs' }) },
  { name: 'PUT status, one channel', request: put, floorQuery: '?deliver' },
  { name: 'PUT status, floor sends nothing', request: put },
  {
    name: 'POST consume',
    request: ({ farm }) => ({
      method: 'POST',
      path: `/api/v1/filaments/${farm.filamentId}/consume`,
      body: '{"grams":0.001}',
    }),
  },
];

/** Requests a second over one slice. */
async function measure(server: Server, load: Load, query: string): Promise<number> {
  const result = await autocannon({
    url: server.origin,
    connections: CONNECTIONS,
    duration: SECONDS,
    headers: { authorization: `Bearer ${server.farm.token}`, 'content-type': 'application/json' },
    requests: [
      {
        setupRequest: (request) => {
          const { method, path, body } = load.request(server);
          return { ...request, method, path: path + query, ...(body === undefined ? {} : { body }) };
        },
      },
    ],
  });
  if (result.non2xx > 0 || result.errors > 0)
    throw new Error(`${load.name}: ${result.non2xx} refused, ${result.errors} errors`);
  return result.requests.total / result.duration;
}

/** Resolves when the receiver has heard nothing for half a second: deliveries of one slice must not burden the next. */
async function quiet(receiverUrl: string): Promise<number[]> {
  let heard: number[] = [];
  for (;;) {
    const { body } = await request(receiverUrl);
    const { times, last } = (await body.json()) as { times: number[]; last: number };
    heard = heard.concat(times);
    if (performance.timeOrigin + performance.now() - last > 500) return heard;
    await wait(100);
  }
}

async function compareLoads(ours: Server, floor: Server, receiverUrl: string): Promise<void> {
  console.log(`| ${'request'.padEnd(34)} | ours/s | floor/s | ratio | ratios by round |`);
  console.log(`|${'-'.repeat(36)}|--------|---------|-------|-----------------|`);
  for (const load of LOADS) {
    const rounds: { ours: number; floor: number }[] = [];
    // one slice each to warm up, not counted
    for (let round = -1; round < ROUNDS; round++) {
      const mine = await measure(ours, load, '');
      await quiet(receiverUrl);
      const bare = await measure(floor, load, load.floorQuery ?? '');
      await quiet(receiverUrl);
      if (round >= 0) rounds.push({ ours: mine, floor: bare });
    }
    const ratios = rounds.map((round) => round.ours / round.floor);
    const cells = [
      load.name.padEnd(34),
      median(rounds.map((round) => round.ours))
        .toFixed(0)
        .padStart(6),
      median(rounds.map((round) => round.floor))
        .toFixed(0)
        .padStart(7),
      median(ratios).toFixed(2).padStart(5),
      ratios.map((ratio) => ratio.toFixed(2)).join(' '),
    ];
    console.log(`| ${cells.join(' | ')} |`);
  }
}

/** How soon after its commit an event leaves, against sending it directly. One change at a time, nothing else running. */
async function compareLatency(ours: Server, receiverUrl: string): Promise<void> {
  const target = new URL(receiverUrl);
  const direct = new Pool(target.origin, { connections: 1, pipelining: 1 });
  const service = new Pool(ours.origin, { connections: 1, pipelining: 1 });
  const headers = { authorization: `Bearer ${ours.farm.token}`, 'content-type': 'application/json' };
  const now = () => performance.timeOrigin + performance.now();
  // asked before the request is made and answered when it comes: asking again and again would burden what is measured
  const nextArrival = async () => {
    const { body } = await request(`${receiverUrl}?next`);
    return ((await body.json()) as { times: number[] }).times[0] as number;
  };
  const SAMPLES = 300;
  const directly: number[] = [];
  const live = await listen(ours);

  /** Changes of one status at a time, each a change: a load that was cut off leaves its orders in an unknown one. */
  async function change(statuses: [string, string]) {
    const samples = { fromStart: [] as number[], fromCommit: [] as number[], toConsole: [] as number[] };
    for (let i = 0; i < SAMPLES; i++) {
      const arrival = nextArrival();
      const heard = live.next();
      await wait(5);
      const turn = Math.floor(i / ours.farm.orderIds.length) % 2;
      const path = `/api/v1/print-jobs/${ours.farm.orderIds[i % ours.farm.orderIds.length]}`;
      const body = JSON.stringify({ workflow_status: statuses[turn] });
      const sent = now();
      await (await service.request({ path, method: 'PUT', headers, body })).body.dump();
      // the answer is written right after the commit, so its coming is the commit but for the way of the answer
      const committed = now();
      const first = await arrival;
      samples.fromStart.push(first - sent);
      samples.fromCommit.push(first - committed);
      samples.toConsole.push((await heard) - committed);
    }
    return samples;
  }

  await quiet(receiverUrl);
  for (let i = 0; i < SAMPLES; i++) {
    const arrival = nextArrival();
    await wait(5);
    const sent = now();
    const post = await direct.request({ path: target.pathname, method: 'POST', headers, body: '{"event":"x"}' });
    await post.body.dump();
    directly.push((await arrival) - sent);
  }
  const alone = await change(['packing', 'delivery']);
  const hanging = { url: `${target.origin}/hang`, events: ['order.status_changed'] };
  const made = await service.request({
    path: '/api/v1/webhook-subscriptions',
    method: 'POST',
    headers,
    body: JSON.stringify(hanging),
  });
  if (made.statusCode !== 201) throw new Error(`the hanging channel: ${made.statusCode} ${await made.body.text()}`);
  const { id } = (await made.body.json()) as { id: string };
  const beside = await change(['confirmed', 'printing']);
  const gone = await service.request({ path: `/api/v1/webhook-subscriptions/${id}`, method: 'DELETE', headers });
  await gone.body.dump();
  live.close();
  await Promise.all([direct.close(), service.close()]);

  const show = (name: string, values: number[]) => {
    const [p50, p99] = [median(values), quantile(values, 0.99)].map((value) => value.toFixed(2));
    console.log(`  ${name.padEnd(48)} p50 ${p50} ms   p99 ${p99} ms`);
  };
  console.log('\nHow soon an event leaves, one change at a time:');
  show('commit (answer of the PUT) → first byte', alone.fromCommit);
  show('the same beside a receiver that never answers', beside.fromCommit);
  show('start of the PUT → first byte', alone.fromStart);
  show('commit → the console hears of it', alone.toConsole);
  show('direct POST → first byte', directly);
  const [ratio, over] = [
    median(beside.fromCommit) / median(alone.fromCommit),
    median(alone.fromCommit) - median(directly),
  ];
  console.log(`  commit → first byte over a direct POST, p50: ${over.toFixed(2)} ms`);
  console.log(`  commit → first byte beside a receiver that never answers, p50: ${ratio.toFixed(2)} times as long`);
}

/** The stream of changes that an open page of the console reads. `next` resolves with when the next change came. */
async function listen({ origin }: Server) {
  const signIn = await request(`${origin}/console/api/session`, {
    method: 'POST',
    headers: { origin, 'sec-fetch-site': 'same-origin', 'content-type': 'application/json' },
    body: JSON.stringify(OWNER),
  });
  await signIn.body.dump();
  const [cookie = ''] = String(signIn.headers['set-cookie']).split(';');
  const { body } = await request(`${origin}/console/api/live`, { headers: { cookie }, bodyTimeout: 0 });
  let waiting: ((at: number) => void) | undefined;
  body.setEncoding('utf8').on('data', (text: string) => {
    if (!text.includes('event: change')) return;
    waiting?.(performance.timeOrigin + performance.now());
    waiting = undefined;
  });
  body.on('error', () => undefined);
  return {
    next: () =>
      new Promise<number>((resolve) => {
        waiting = resolve;
      }),
    close: () => body.destroy(),
  };
}

/** Deliveries a second out of a backlog, against a bare loop of as many requests at once. */
async function compareDeliveries(ours: Server, receiverUrl: string): Promise<void> {
  const target = new URL(receiverUrl);
  const body = JSON.stringify({ event: 'order.status_changed', data: { order_notes: 'x'.repeat(300) } });
  const rates: { ours: number; bare: number }[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    await quiet(receiverUrl);
    await measure(ours, { name: 'backlog', request: put }, '');
    const ended = performance.timeOrigin + performance.now();
    // the backlog that the load left, with nothing else competing
    const backlog = (await quiet(receiverUrl)).filter((time) => time > ended);
    const mine = backlog.length / (((backlog.at(-1) as number) - ended) / 1000);

    const pool = new Pool(target.origin, { connections: 4, pipelining: 1 });
    const COUNT = 4_000;
    const began = performance.now();
    const loop = async () => {
      for (let i = 0; i < COUNT / 4; i++) {
        const answer = await pool.request({
          path: target.pathname,
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body,
        });
        await answer.body.dump();
      }
    };
    await Promise.all([loop(), loop(), loop(), loop()]);
    rates.push({ ours: mine, bare: COUNT / ((performance.now() - began) / 1000) });
    await pool.close();
  }
  const ratio = median(rates.map((rate) => rate.ours / rate.bare));
  console.log('\nDeliveries to one channel (claimed and recorded durably, 4 at once) against a bare undici loop of 4:');
  console.log(
    `  ours ${median(rates.map((rate) => rate.ours)).toFixed(0)}/s   bare ${median(rates.map((rate) => rate.bare)).toFixed(0)}/s   ratio ${ratio.toFixed(2)}`,
  );
}

async function main(): Promise<void> {
  const receiver = await start<{ port: number }>([join(here, 'receiver.js')], {});
  const receiverUrl = `http://127.0.0.1:${receiver.port}/hook`;

  const ourFile = join(folder, 'ours.sqlite3');
  process.env.DATABASE_URL = `sqlite:${ourFile}`;
  const farmboard = await openFarmboard();
  const farm = await createFarm(farmboard, receiverUrl);
  await farmboard.storage.close();
  const service = await start<{ port: number }>([launcher, 'serve'], {
    DATABASE_URL: `sqlite:${ourFile}`,
    PORT: '0',
    RATE_LIMIT_PER_MINUTE: '0',
    NODE_ENV: 'production',
  });
  const floor = await start<{ port: number; farm: Farm; statements: Record<string, number> }>(
    [join(here, 'floor.js')],
    {
      DATABASE_URL: `sqlite:${join(folder, 'floor.sqlite3')}`,
      RECEIVER_URL: receiverUrl,
      UV_THREADPOOL_SIZE: '8',
      NODE_ENV: 'production',
    },
  );

  console.log(
    `Node ${process.version}, ${cpus().length} × ${cpus()[0]?.model}; ${CONNECTIONS} connections, ${ROUNDS} rounds of ${SECONDS} s each, medians.`,
  );
  console.log(`Statements of a request, the same on both sides: ${JSON.stringify(floor.statements)}\n`);
  const ours = toServer(service.port, farm);
  if (!process.argv.includes('--only-deliveries'))
    await compareLoads(ours, toServer(floor.port, floor.farm), receiverUrl);
  await compareLatency(ours, receiverUrl);
  await compareDeliveries(ours, receiverUrl);
}

try {
  await main();
} finally {
  for (const child of children) child.kill('SIGKILL');
  rmSync(folder, { recursive: true, force: true });
}
process.exit();
