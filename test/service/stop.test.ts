import { randomUUID } from 'node:crypto';
import { Agent, request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { type DatabaseInspector, inspectDatabase } from '../kit/database.ts';
import { times } from '../kit/length.ts';
import { forSuite } from '../kit/opened.ts';
import { createRandom, seedFrom } from '../kit/random.ts';
import { startReceiver } from '../kit/receiver.ts';
import {
  createAccountWithToken,
  createDataFolder,
  type DataFolder,
  type Env,
  type Service,
  startService,
} from '../kit/service.ts';

const ROUNDS = times(4, 30);
const SEED = seedFrom('STOP_SEED');
const CLIENTS = 32;

/** what the service waits for its connections, see `main.ts` */
const CUTS_OFF_AFTER_MS = 12_000;

let folder: DataFolder;
let env: Env;
let token: string;
let inspector: DatabaseInspector;
const receiver = forSuite(startReceiver);
let running: Service | undefined;

beforeAll(async () => {
  folder = createDataFolder();
  env = { ...folder.env, WEBHOOK_ALLOWED_HOSTS: 'loopback' };
  token = (await createAccountWithToken(env)).token;
  inspector = await inspectDatabase(folder.file);
});

afterEach(async () => {
  await running?.kill();
});

afterAll(async () => {
  await inspector?.close();
  folder.remove();
});

async function start(): Promise<Service> {
  running = await startService(env);
  return running;
}

const AUTHORIZED = () => ({ Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' });

type Post = (body: string) => Promise<{ status: number; text: string }>;

/** A client of Node's own `http` with one connection, which it keeps as long as it may. */
function keepAliveClient(origin: string): Post {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  return (body) =>
    new Promise((resolve, reject) => {
      const headers = { ...AUTHORIZED(), 'Content-Length': Buffer.byteLength(body) };
      const req = request(`${origin}/api/v1/print-jobs`, { method: 'POST', agent, headers }, (res) => {
        let text = '';
        res.setEncoding('utf8').on('data', (chunk: string) => {
          text += chunk;
        });
        res.on('end', () => resolve({ status: res.statusCode ?? 0, text }));
        res.on('error', reject);
      });
      req.on('error', reject).end(body);
    });
}

/** undici behind `fetch`: a pool of connections that all such clients share. */
const fetchClient =
  (origin: string): Post =>
  async (body) => {
    const response = await fetch(`${origin}/api/v1/print-jobs`, { method: 'POST', headers: AUTHORIZED(), body });
    return { status: response.status, text: await response.text() };
  };

const codeOf = (error: unknown) =>
  (error as { cause?: { code?: string } }).cause?.code ?? (error as { code?: string }).code ?? String(error);

function deferred() {
  let resolve: () => void = () => undefined;
  const promise = new Promise<void>((done) => {
    resolve = done;
  });
  return { promise, resolve };
}

/** No connection came about, so no byte of the request went out: any client may try elsewhere. */
function isConnectionRefused(error: unknown): boolean {
  const { cause, syscall } = error as { cause?: { syscall?: string }; syscall?: string };
  return (cause?.syscall ?? syscall) === 'connect';
}

interface Load {
  /** the names that were answered 201, whole */
  answered: string[];
  /** everything else but not being let in, which ends each client */
  broken: string[];
  /** every client has had an answer, and so has its connection */
  begun: Promise<unknown>;
  ended: Promise<unknown>;
}

/** Every client writes orders until connections are refused. */
function load(origin: string): Load {
  const answered: string[] = [];
  const broken: string[] = [];
  async function work(post: Post, began: () => void): Promise<void> {
    for (;;) {
      const name = randomUUID();
      try {
        const { status, text } = await post(JSON.stringify({ model_name: name }));
        const isWhole = status === 201 && (JSON.parse(text) as { model_name: string }).model_name === name;
        if (isWhole) answered.push(name);
        else broken.push(`${status} ${text}`);
      } catch (error) {
        if (isConnectionRefused(error)) return;
        broken.push(
          `${codeOf(error)} ${((error as Error).cause as Error | undefined)?.message ?? (error as Error).message}`,
        );
      }
      began();
    }
  }
  const clients = Array.from({ length: CLIENTS }, (_, i) => (i % 2 === 0 ? keepAliveClient : fetchClient)(origin));
  const begun: Promise<void>[] = [];
  const ended = clients.map((post) => {
    const { promise, resolve } = deferred();
    begun.push(promise);
    return work(post, resolve);
  });
  return { answered, broken, begun: Promise.all(begun), ended: Promise.all(ended) };
}

test(`completes every response and stores exactly the answered writes at SIGTERM under the load of ${CLIENTS} clients, ${ROUNDS} times (STOP_SEED=${SEED})`, async () => {
  const random = createRandom(SEED);
  const broken: string[] = [];
  const answered: string[] = [];
  const took: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const service = await start();
    if (round === 0) {
      const headers = AUTHORIZED();
      const body = JSON.stringify({ url: receiver.url, events: ['order.created'] });
      await fetch(`${service.origin}/api/v1/webhook-subscriptions`, { method: 'POST', headers, body });
    }
    const clients = load(service.origin);
    await clients.begun;
    await sleep(random.between(0, 500));
    const began = Date.now();
    expect(await service.stop()).toBe(0);
    took.push(Date.now() - began);
    await clients.ended;
    broken.push(...clients.broken.map((what) => `round ${round}: ${what}`));
    answered.push(...clients.answered);
    // what was under way is recorded
    expect(await inspector.rows("SELECT seq FROM deliveries WHERE state = 'sending'")).toEqual([]);
  }
  const stored = await inspector.rows<{ model_name: string }>('SELECT model_name FROM orders');
  process.stdout.write(
    `stop: ${ROUNDS} stops under load, ${answered.length} answers, ${broken.length} broken, ${stored.length} orders; each took ${Math.min(...took)} to ${Math.max(...took)} ms\n`,
  );
  expect(broken).toEqual([]);
  expect(stored.map((row) => row.model_name).sort()).toEqual(answered.sort());
});

test('reports that it is stopping and doesn’t wait for idle connections', async () => {
  const service = await start();
  const { port } = new URL(service.origin);
  const open = (): Promise<Socket> =>
    new Promise((resolve, reject) => {
      const socket = connect({ host: '127.0.0.1', port: Number(port) }, () => resolve(socket));
      socket.on('error', reject);
    });
  // one that never asked, and one that has its answer and keeps the connection
  const sockets = [await open(), await open()];
  sockets[1]!.write('GET /healthz HTTP/1.1\r\nHost: farm\r\n\r\n');
  await new Promise((resolve) => sockets[1]!.once('data', resolve));

  const began = Date.now();
  const stopped = service.stop();
  const seen: (number | string)[] = [];
  while (seen.at(-1) !== 'ECONNREFUSED') {
    seen.push(
      await fetch(`${service.origin}/readyz`).then(
        ({ status }) => status,
        (error: unknown) => codeOf(error),
      ),
    );
    await sleep(10);
  }
  expect(await stopped).toBe(0);
  // not only when what is still open is cut off
  expect(Date.now() - began).toBeLessThan(CUTS_OFF_AFTER_MS);
  expect(new Set(seen.filter((one) => one !== 200))).toEqual(new Set([503, 'ECONNREFUSED']));
  for (const socket of sockets) socket.destroy();
});
