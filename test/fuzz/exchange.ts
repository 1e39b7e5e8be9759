import { type Agent, request as openRequest } from 'node:http';
import type { Answer } from '../kit/client.ts';
import { type Pools, poolOf, type Request } from './requests.ts';

const ANSWER_WITHIN_MS = 30_000;
const MAX_IDS = 200;

interface Item {
  id: string;
}

/** Sends a request byte for byte. @throws Error when there is no readable response */
export function send(origin: string, agent: Agent, request: Request): Promise<Answer<unknown>> {
  return new Promise((resolve, reject) => {
    const outgoing = openRequest(
      origin,
      {
        agent,
        method: request.method,
        path: `/api/v1${request.path}`,
        headers: {
          ...request.headers,
          ...(request.payload && !request.chunked ? { 'Content-Length': request.payload.length } : {}),
          ...(request.payload && request.chunked ? { 'Transfer-Encoding': 'chunked' } : {}),
        },
        timeout: ANSWER_WITHIN_MS,
      },
      (incoming) => {
        const chunks: Buffer[] = [];
        incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
        incoming.on('error', reject);
        incoming.on('end', () => {
          const text = Buffer.concat(chunks).toString('utf8');
          const headers = new Headers();
          for (const [name, value] of Object.entries(incoming.headers)) headers.set(name, String(value));
          try {
            const isJson = headers.get('content-type')?.includes('json') && text !== '';
            const body: unknown = isJson ? JSON.parse(text) : undefined;
            resolve({ status: incoming.statusCode as number, headers, body, text });
          } catch (error) {
            reject(error);
          }
        });
      },
    );
    outgoing.on('timeout', () => outgoing.destroy(new Error(`no answer within ${ANSWER_WITHIN_MS} ms`)));
    outgoing.on('error', reject);
    outgoing.end(request.payload);
  });
}

/** The newest replace the oldest. */
function add(pools: Pools, pool: string, id: string): void {
  pools.own.set(pool, [...(pools.own.get(pool) ?? []), id].slice(-MAX_IDS));
}

/** Reads from a response which ids exist now. */
export function learn(pools: Pools, request: Request, { status, body }: Answer<unknown>): void {
  const { template } = request.operation;
  const id = (body as Partial<Item> | undefined)?.id;
  const parts = request.path.split(/[/?]/);
  if (request.method === 'DELETE' && status === 204) {
    for (const [pool, ids] of pools.own) {
      if (pool.split('/')[0] !== parts[1]) continue;
      pools.own.set(
        pool,
        ids.filter((one) => one.split('/')[0] !== parts[2]),
      );
    }
  } else if (request.method === 'POST' && status === 201 && id) {
    if (parts[3] === 'batches') add(pools, 'filaments/{id}/batches', `${parts[2]}/${id}`);
    else add(pools, poolOf(template), id);
  } else if (request.method === 'POST' && status === 200 && (parts[3] === 'test' || parts[3] === 'deliveries') && id) {
    add(pools, 'webhook-subscriptions/{id}/deliveries', `${parts[2]}/${id}`);
  } else if (request.method === 'GET' && status === 200 && (parts[3] === 'batches' || parts[3] === 'deliveries')) {
    // list items; a single batch has no items
    for (const item of (body as { items?: Item[] }).items?.slice(0, 3) ?? []) {
      add(pools, `${parts[1]}/{id}/${parts[3]}`, `${parts[2]}/${item.id}`);
    }
  }
}
