import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Farm, startFarm } from '../kit/farm.ts';

type Call = (path: string, options?: object) => Promise<{ data?: { items: { id: string }[] }; response: Response }>;
// its types are made where it runs, which the test of the page does
const { createFarmboard, itemsOf, FarmboardError } = require('../../examples/client/farmboard.ts') as {
  createFarmboard(of: { url: string; token: string }): Record<'GET' | 'POST' | 'PUT' | 'DELETE', Call>;
  itemsOf(getPage: (cursor?: string) => ReturnType<Call>): AsyncIterable<{ id: string }>;
  FarmboardError: new () => Error;
};

let farm: Farm;
let front: Server;
let client: ReturnType<typeof createFarmboard>;
/** what came, and what the next requests get instead of a response of the service */
let requests: IncomingMessage[];
let faults: ((res: ServerResponse) => void)[];

const busy = (status: number) => (res: ServerResponse) => res.writeHead(status, { 'Retry-After': '1' }).end();
const broken = (res: ServerResponse) => res.destroy();

/** Gives the service each request, and loses the response of those that are to break. */
async function pass(req: IncomingMessage, res: ServerResponse): Promise<void> {
  requests.push(req);
  const fault = faults.shift();
  const chunks: Buffer[] = [];
  for await (const chunk of req) chunks.push(chunk);
  if (fault && fault !== broken) return fault(res);
  const body = chunks.length === 0 ? null : Buffer.concat(chunks);
  const { host, connection, 'content-length': length, ...sent } = req.headers as Record<string, string>;
  const headers = { ...sent, 'accept-encoding': 'identity' };
  const response = await fetch(farm.origin + req.url, { method: req.method as string, headers, body });
  if (fault) return fault(res);
  res.writeHead(response.status, Object.fromEntries(response.headers));
  res.end(await response.text());
}

beforeAll(async () => {
  farm = await startFarm();
  front = createServer((req, res) => void pass(req, res)).listen(0, '127.0.0.1');
  await new Promise((resolve) => front.once('listening', resolve));
  client = createFarmboard({ url: `http://127.0.0.1:${(front.address() as AddressInfo).port}`, token: farm.token });
});
afterAll(async () => {
  front.closeAllConnections();
  front.close();
  await farm.close();
});
beforeEach(() => {
  requests = [];
  faults = [];
});

test('a POST that is refused for now, or whose response is lost, is sent again with its key and done once', async () => {
  const { body: before } = await farm.client.get<{ total: number }>('/print-jobs');
  faults = [busy(429), broken, busy(503)];
  const { response } = await client.POST('/print-jobs', { body: { model_name: 'Hook' } });
  expect([response.status, response.headers.get('Idempotency-Replayed')]).toEqual([201, 'true']);
  const keys = requests.map(({ headers }) => headers['idempotency-key']);
  expect([keys.length, new Set(keys).size, typeof keys[0]]).toEqual([4, 1, 'string']);
  expect((await farm.client.get<{ total: number }>('/print-jobs')).body.total).toBe(before.total + 1);
});

test('what may be done and would fail a second time is not sent again', async () => {
  const { id } = await farm.order();
  const of = { params: { path: { id }, header: { 'If-Match': '*' } }, body: { order_notes: 'first' } };
  faults = [broken];
  await expect(client.PUT('/print-jobs/{id}', of)).rejects.toThrow('fetch failed');
  faults = [broken];
  await expect(client.DELETE('/print-jobs/{id}', { params: { path: { id } } })).rejects.toThrow('fetch failed');
  expect(requests.map(({ method }) => method)).toEqual(['PUT', 'DELETE']);
});

test('a refusal is thrown with its code, and an unknown status is one', async () => {
  const { id } = await farm.order();
  const call = client.PUT('/print-jobs/{id}', { params: { path: { id } }, body: { workflow_status: 'Done' } });
  const error = await call.catch((caught: unknown) => caught);
  expect(error).toBeInstanceOf(FarmboardError);
  expect(error).toMatchObject({ problem: { status: 422, code: 'unknown_workflow_status' } });
  // of a proxy
  faults = [(res) => res.writeHead(502, { 'Content-Type': 'text/html' }).end('<h1>Bad gateway</h1>')];
  await expect(client.GET('/me')).rejects.toThrow(/^GET http.+\/api\/v1\/me: 502 Bad Gateway$/);
});

test('a list is read to its end', async () => {
  await farm.orders(5);
  const { body } = await farm.client.get<{ items: { id: string }[] }>('/print-jobs');
  const ids: string[] = [];
  const getPage = (cursor?: string) => client.GET('/print-jobs', { params: { query: { per_page: 2, cursor } } });
  for await (const { id } of itemsOf(getPage)) ids.push(id);
  expect(ids).toEqual(body.items.map(({ id }) => id));
  expect(requests).toHaveLength(Math.ceil(ids.length / 2));
});

test('the packages are those that it is tested with', () => {
  const ours = require('../../package.json').devDependencies;
  const { dependencies, devDependencies } = require('../../examples/client/package.json');
  expect(ours).toMatchObject({ ...dependencies, ...devDependencies });
});
