import { type Agent, request as openRequest } from 'node:http';
import type { Answer } from '../checker.ts';
import { type Pools, poolOf, type Request } from './requests.ts';

const ANSWER_WITHIN_MS = 30_000;
const MAX_IDS = 200;

interface Item {
  id: string;
}

/** Sends a request byte for byte. @throws Error if the response is missing or unreadable */
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
  // a key of the client's choice continues a deleted subscription
  pools.deleted.set(
    pool,
    (pools.deleted.get(pool) ?? []).filter((one) => one !== id),
  );
  pools.own.set(pool, [...(pools.own.get(pool) ?? []), id].slice(-MAX_IDS));
}

/** Moves the id of a deleted record to the deleted ones and removes those of what belonged to it. */
function removeRecord(pools: Pools, collection: string, id: string): void {
  pools.deleted.set(collection, [...(pools.deleted.get(collection) ?? []), id].slice(-MAX_IDS));
  for (const [pool, ids] of pools.own) {
    if (pool.split('/')[0] !== collection) continue;
    pools.own.set(
      pool,
      ids.filter((one) => one.split('/')[0] !== id),
    );
  }
}

/** Reads from a response which ids exist now. */
export function learn(pools: Pools, request: Request, { status, body }: Answer<unknown>): void {
  const { id, items = [] } = (body ?? {}) as Partial<Item> & { items?: Item[] };
  const [, collection = '', record = '', part = ''] = request.path.split(/[/?]/);
  const isNested = part === 'batches' || part === 'ledger' || part === 'deliveries';
  const addNested = (name: string, nested: string) => add(pools, `${collection}/{id}/${name}`, `${record}/${nested}`);
  const effect = `${request.method} ${status}`;
  if (effect === 'DELETE 204') removeRecord(pools, collection, record);
  else if (effect === 'POST 201' && id) {
    if (part === 'batches') addNested('batches', id);
    else add(pools, poolOf(request.operation.template), id);
  } else if (effect === 'POST 200' && id && (part === 'test' || part === 'deliveries')) addNested('deliveries', id);
  // a single batch has no items
  else if (effect === 'GET 200' && isNested) for (const item of items.slice(0, 3)) addNested(part, item.id);
}
