import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createServer as createTlsServer } from 'node:tls';
import { gzipSync } from 'node:zlib';
import { type Client, createClient } from '../kit/client.ts';
import { deliveriesOf } from '../kit/database.ts';
import { eventually } from '../kit/eventually.ts';
import { makeCertificate } from '../kit/fake-bambu.ts';
import { DEFAULT_EVENTS, type Farm, type Order, type Subscription, startFarm } from '../kit/farm.ts';
import { deliveryIds, type Receiver, startReceiver } from '../kit/receiver.ts';

/** At most this many requests of a channel run at once, so their attempts end together. */
const ORDERS = 4;
const STATUSES = ['confirmed', 'assigned', 'printing', 'packing', 'delivery'];
const EVENTS = ORDERS * (1 + STATUSES.length);
/** An account has at most ten channels, and one of them is healthy. */
const PER_ACCOUNT = 9;
/** What the service may need beyond its memory before the first delivery. Four bombs or endless responses are larger. */
const MAX_GROWTH_MB = 200;

/** Small enough to be read completely. */
const BOMB = gzipSync(Buffer.alloc(60 * 1024 * 1024), { level: 9 });
const CHUNK = `4000\r\n${'x'.repeat(0x4000)}\r\n`;
const EARLY_HINTS = 'HTTP/1.1 103 Early Hints\r\nLink: </a>; rel=preload\r\n\r\n';

/** Writes a text again and again, as fast as the other side reads it. */
function flood(socket: Socket, text: string): void {
  const more = (): void => {
    while (!socket.destroyed && socket.write(text));
  };
  socket.on('drain', more);
  more();
}

function drip(socket: Socket, text: string): void {
  const timer = setInterval(() => socket.write(text), 50);
  socket.on('close', () => clearInterval(timer));
}

interface Hostile {
  does: string;
  error: string;
  status: number | null;
  /** Called with each request and its number on the connection. */
  answer?(socket: Socket, nth: number): void;
  tls?: 'stalls' | 'is self-signed';
}

/** A receiver that must never be reached: a redirect leads to it. */
const REDIRECTED_TO = 'http://169.254.169.254/latest/meta-data/';

const HOSTILE: Hostile[] = [
  {
    ...{ does: 'sends its header slowly', error: 'timeout', status: null },
    answer(socket) {
      socket.write('HTTP/1.1 200 OK\r\n');
      drip(socket, 'X-Slow: 1\r\n');
    },
  },
  {
    ...{ does: 'drips its body', error: 'timeout', status: 200 },
    answer(socket) {
      socket.write('HTTP/1.1 200 OK\r\nContent-Length: 60000\r\n\r\n');
      drip(socket, 'x');
    },
  },
  {
    ...{ does: 'sends a body without end', error: 'http_status', status: 500 },
    answer(socket) {
      socket.write('HTTP/1.1 500 Internal Server Error\r\nTransfer-Encoding: chunked\r\n\r\n');
      flood(socket, CHUNK);
    },
  },
  {
    ...{ does: `sends ${BOMB.length} bytes that unpack to 60 MiB`, error: 'http_status', status: 503 },
    answer(socket) {
      const head = `Content-Encoding: gzip\r\nContent-Length: ${BOMB.length}`;
      socket.write(`HTTP/1.1 503 Service Unavailable\r\n${head}\r\n\r\n`);
      socket.write(BOMB);
    },
  },
  {
    ...{ does: 'resets the connection in its body', error: 'connection_reset', status: 200 },
    answer(socket) {
      socket.write('HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf', () => {
        setTimeout(() => socket.resetAndDestroy(), 20);
      });
    },
  },
  {
    ...{ does: 'floods with informational responses', error: 'invalid_response', status: null },
    answer: (socket) => flood(socket, EARLY_HINTS.repeat(100)),
  },
  {
    ...{ does: 'sends one header without end', error: 'invalid_response', status: null },
    answer(socket) {
      socket.write('HTTP/1.1 200 OK\r\nX-Large: ');
      flood(socket, 'x'.repeat(0x4000));
    },
  },
  {
    ...{ does: 'sends headers without end', error: 'invalid_response', status: null },
    answer(socket) {
      socket.write('HTTP/1.1 200 OK\r\n');
      flood(socket, 'X-Many: 1\r\n'.repeat(1_000));
    },
  },
  {
    ...{ does: 'redirects to cloud metadata', error: 'redirect', status: 307 },
    answer: (socket) => {
      socket.write(`HTTP/1.1 307 Temporary Redirect\r\nLocation: ${REDIRECTED_TO}\r\nContent-Length: 0\r\n\r\n`);
    },
  },
  { does: 'stalls in the TLS handshake', error: 'timeout', status: null, tls: 'stalls' },
  { does: 'has a self-signed certificate', error: 'tls_error', status: null, tls: 'is self-signed' },
];

/** A channel to one of them. */
interface Trial {
  hostile: Hostile;
  channel: string;
}

describe(`${HOSTILE.length} hostile receivers beside healthy ones`, () => {
  const folder = mkdtempSync(join(tmpdir(), 'farmboard-hostile-'));
  const files = makeCertificate(folder, 'localhost');
  const certificate = { key: readFileSync(files.key), cert: readFileSync(files.cert) };
  const cleanups: (() => Promise<unknown>)[] = [];
  const trials: Trial[] = [];
  const healthy: { receiver: Receiver; channel: string }[] = [];
  let farm: Farm;
  let before: number;

  /** The most memory that the service has ever used. */
  const peakMb = (): number => {
    const status = readFileSync(`/proc/${farm.service.pid}/status`, 'utf8');
    return Number(/^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1]) / 1024;
  };

  /** @returns its URL */
  async function listen({ tls, answer }: Pick<Hostile, 'tls' | 'answer'>): Promise<string> {
    const sockets = new Set<Socket>();
    const accept = (socket: Socket): void => {
      let requests = 0;
      socket.on('error', () => undefined);
      socket.on('data', (bytes) => {
        if (!bytes.includes('POST /')) return;
        requests += 1;
        answer?.(socket, requests);
      });
    };
    const server: Server = tls === 'is self-signed' ? createTlsServer(certificate, accept) : createServer(accept);
    server.on('connection', (socket: Socket) => {
      sockets.add(socket);
      socket.on('error', () => undefined);
      socket.on('close', () => sockets.delete(socket));
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    cleanups.push(async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    });
    return `${tls ? 'https' : 'http'}://127.0.0.1:${(server.address() as AddressInfo).port}/hook`;
  }

  const subscribe = async (client: Client, url: string): Promise<string> =>
    (await client.post<Subscription>('/webhook-subscriptions', { url, events: DEFAULT_EVENTS })).body.id;

  /** An account with some hostile channels and a healthy one. */
  async function open(some: Hostile[]): Promise<Client> {
    const client = await createClient(farm.origin, (await farm.newAccount()).token);
    for (const hostile of some) trials.push({ hostile, channel: await subscribe(client, await listen(hostile)) });
    const receiver = await startReceiver();
    cleanups.push(receiver.stop);
    healthy.push({ receiver, channel: await subscribe(client, receiver.url) });
    return client;
  }

  async function changeOrders(client: Client): Promise<void> {
    await Promise.all(
      Array.from({ length: ORDERS }, async () => {
        const { id } = (await client.post<Order>('/print-jobs', { model_name: 'part' })).body;
        for (const workflow_status of STATUSES) await client.put(`/print-jobs/${id}`, { workflow_status });
      }),
    );
  }

  beforeAll(async () => {
    farm = await startFarm({ REDIS_URL: undefined });
    const clients = [await open(HOSTILE.slice(0, PER_ACCOUNT)), await open(HOSTILE.slice(PER_ACCOUNT))];
    before = peakMb();
    await Promise.all(clients.map(changeOrders));
  }, 60_000);

  afterAll(async () => {
    await farm?.remove();
    for (const cleanup of cleanups) await cleanup();
    rmSync(folder, { recursive: true });
  });

  it('take nothing from healthy receivers', async () => {
    for (const { receiver, channel } of healthy) {
      await receiver.until((all) => all.length >= EVENTS);
      expect(new Set(deliveryIds(receiver.received)).size).toBe(EVENTS);
      expect(receiver.received).toHaveLength(EVENTS);
      const rows = await eventually(
        () => deliveriesOf(farm.inspector, channel),
        (all) => all.every((row) => row.state !== 'sending'),
      );
      expect(rows.map((row) => row.state)).toEqual(Array(EVENTS).fill('succeeded'));
    }
  }, 60_000);

  it.each(HOSTILE.map((hostile) => [hostile.does, hostile] as const))(
    'one %s: its error, and a status only if there was one',
    async (_does, hostile) => {
      const channel = trials.find((trial) => trial.hostile === hostile)?.channel as string;
      const ended = await eventually(
        async () => (await deliveriesOf(farm.inspector, channel)).filter((row) => row.state === 'failed'),
        (rows) => rows.length >= ORDERS,
      );
      const seen = new Set(ended.map((row) => `${row.error} ${row.response_status}`));
      expect([...seen]).toEqual([`${hostile.error} ${hostile.status}`]);
    },
    60_000,
  );

  it('don’t make the service grow', () => {
    const after = peakMb();
    process.stdout.write(
      `hostile-receivers.test: at most ${before.toFixed()} MB before, ${after.toFixed()} MB after\n`,
    );
    expect(after - before).toBeLessThan(MAX_GROWTH_MB);
  });
});
