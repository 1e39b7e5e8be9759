import { createHmac, randomBytes } from 'node:crypto';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { PATIENCE_MS } from './eventually.ts';

export interface Received {
  headers: IncomingHttpHeaders;
  /** The raw bytes, which the signature covers. */
  raw: Buffer;
  body: { event: string; occurred_at: string; data: Record<string, unknown> };
  at: number;
}

export type Receiver = Awaited<ReturnType<typeof startReceiver>>;

/**
 * A webhook receiver on a loopback socket, written from the interface specification with node:crypto only; it shares
 * nothing with the server except the secret.
 * @param answer the response; 204 by default. No response simulates a hanging receiver.
 */
export async function startReceiver(
  answer: (res: ServerResponse, received: Received) => void = (res) => res.writeHead(204).end(),
) {
  const received: Received[] = [];
  const waiting = new Set<() => void>();
  let connections = 0;
  const path = `/hook-${randomBytes(4).toString('hex')}`;
  const server = createServer((req, res) => {
    // of another suite's subscription, whose receiver had this port before
    if (req.url?.startsWith('/hook-') && !req.url.startsWith(path)) {
      connections -= 1;
      return void res.writeHead(404, { Connection: 'close' }).end();
    }
    const chunks: Buffer[] = [];
    req.on('data', (chunk: Buffer) => chunks.push(chunk));
    req.on('error', () => undefined);
    req.on('end', () => {
      const raw = Buffer.concat(chunks);
      const one: Received = { headers: req.headers, raw, body: JSON.parse(raw.toString('utf8')), at: Date.now() };
      received.push(one);
      answer(res, one);
      for (const wake of waiting) wake();
    });
  });
  server.on('connection', () => {
    connections += 1;
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;

  return {
    url: `http://127.0.0.1:${port}${path}`,
    received,
    /** Connections made so far. */
    connections: () => connections,
    /** Connections open now. */
    openConnections: () =>
      new Promise<number>((resolve, reject) => {
        server.getConnections((error, count) => (error ? reject(error) : resolve(count)));
      }),
    /** Resolves once the condition holds for what was received; rejects with what was received otherwise. */
    async until(condition: (all: Received[]) => boolean, withinMs = PATIENCE_MS): Promise<void> {
      const deadline = Date.now() + withinMs;
      while (!condition(received)) {
        const left = deadline - Date.now();
        if (left <= 0)
          throw new Error(
            `the receiver has ${received.length} requests: ${received.map((one) => one.body.event).slice(0, 20)}`,
          );
        await new Promise<void>((resolve) => {
          const timer = setTimeout(done, left);
          function done() {
            clearTimeout(timer);
            waiting.delete(done);
            resolve();
          }
          waiting.add(done);
        });
      }
    },
    async stop(): Promise<void> {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeAllConnections();
      await closed;
    },
  };
}

/** Verifies a signature (interface specification, Signature). */
export const isGenuine = (secret: string, { headers, raw }: Pick<Received, 'headers' | 'raw'>): boolean =>
  headers['x-svc-signature'] === `sha256=${createHmac('sha256', secret).update(raw).digest('hex')}`;

export const deliveryIds = (received: Received[]): string[] =>
  received.map((one) => String(one.headers['x-svc-delivery']));

/** The statuses a receiver got of each order, in order. */
export function statusesByOrder(received: Received[]): Map<string, string[]> {
  const seen = new Map<string, string[]>();
  for (const { body } of received) {
    const id = String(body.data.id);
    seen.set(id, [...(seen.get(id) ?? []), String(body.data.workflow_status)]);
  }
  return seen;
}
