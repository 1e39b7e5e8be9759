import { Agent } from 'node:http';
import fc from 'fast-check';
import { SUBSCRIPTION_FORMATS } from '../../backend/src/webhooks/formats/formats.ts';
import type { Answer, OpenApiDocument } from '../kit/checker.ts';
import { createClient } from '../kit/client.ts';
import { type DatabaseInspector, inspectDatabase } from '../kit/database.ts';
import { expectSoon } from '../kit/eventually.ts';
import { learn, send } from '../kit/fuzz/exchange.ts';
import { createPlans, type Plan, type Pools, type Request, toRequest } from '../kit/fuzz/requests.ts';
import { times } from '../kit/length.ts';
import { seedFrom } from '../kit/random.ts';
import { type Receiver, startReceiver } from '../kit/receiver.ts';
import { createAccountWithToken, createDataFolder, farmboard, type Service, startService } from '../kit/service.ts';

const REQUESTS = times(1_000, 10_000);
const SEED = seedFrom('PARITY_SEED');

const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;
/** What differs between two runs on the same engine. */
const CHANGING: [RegExp, string][] = [
  [/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g, '<time>'],
  [/"duration_ms":\d+/g, '"duration_ms":<ms>'],
  [/whsec_[0-9A-Za-z_+/=-]+/g, '<secret>'],
  [/owner\d+\.\d+@/g, '<owner>@'],
  // contains times and IDs
  [/\bcursor=[\w-]+/g, 'cursor=<cursor>'],
  // QR codes of IDs, and the sizes that follow from them
  [/<svg .*<\/svg>/s, '<label>'],
  [/^.PNG\r\n.*$/s, '<label>'],
];
const CHANGING_HEADERS = ['date', 'x-request-id', 'content-length'];

/** A service with a farm, and the ids it assigned. */
async function startSide(engine: 'sqlite' | 'postgres', receiverUrl: string) {
  const folder = createDataFolder(engine);
  const env = { ...folder.env, WEBHOOK_ALLOWED_HOSTS: 'loopback' };
  const service: Service = await startService(env);
  const { email, token } = await createAccountWithToken(env);
  const filled = await farmboard(['demo', '--email', email], env);
  if (filled.code !== 0) throw new Error(filled.stderr);
  const client = await createClient(service.origin, token);
  for (const format of SUBSCRIPTION_FORMATS) {
    await client.post('/webhook-subscriptions', { url: receiverUrl, events: ['order.created'], format });
  }
  const pools: Pools = { own: new Map(), foreign: new Map(), deleted: new Map() };
  for (const collection of ['print-jobs', 'filaments', 'printers', 'printer-groups', 'webhook-subscriptions']) {
    const { items } = (await client.get<{ items: { id: string }[] }>(`/${collection}?per_page=50`)).body;
    pools.own.set(
      collection,
      items.map(({ id }) => id),
    );
  }
  const inspector: DatabaseInspector = await inspectDatabase(folder.file);
  const agent = new Agent({ keepAlive: true });
  /** id → its name, the same on both sides because both meet their ids in the same order */
  const names = new Map<string, string>();

  const mask = (text: string): string =>
    CHANGING.reduce((masked, [pattern, name]) => masked.replace(pattern, name), text).replace(UUID, (id) => {
      if (!names.has(id)) names.set(id, `<id ${names.size}>`);
      return names.get(id) as string;
    });

  return {
    document: client.document as OpenApiDocument,

    /**
     * Sends one request when all effects of the previous one are complete. @returns it and its response in comparable
     * form
     */
    async exchange(plan: Plan): Promise<{ request: Request; asked: string; answer: Answer<unknown>; told: string }> {
      await expectSoon(
        async () => (await inspector.rows("SELECT 1 FROM deliveries WHERE state IN ('pending', 'sending')")).length,
        0,
      );
      const request = toRequest(plan, pools, token);
      const answer = await send(service.origin, agent, request);
      learn(pools, request, answer);
      const headers = [...answer.headers].filter(([name]) => !CHANGING_HEADERS.includes(name)).sort();
      return {
        request,
        asked: mask(`${request.method} ${request.path}\n${request.text}`),
        answer,
        told: `${answer.status}\n${mask(headers.map((pair) => pair.join(': ')).join('\n'))}\n\n${mask(answer.text)}`,
      };
    },

    async stop(): Promise<void> {
      agent.destroy();
      await inspector.close();
      await service.kill();
      folder.remove();
    },
  };
}

type Side = Awaited<ReturnType<typeof startSide>>;

describe(`${REQUESTS} generated requests (PARITY_SEED=${SEED})`, () => {
  let receiver: Receiver;
  let sides: [Side, Side];

  beforeAll(async () => {
    receiver = await startReceiver();
    sides = [await startSide('sqlite', receiver.url), await startSide('postgres', receiver.url)];
  });

  afterAll(async () => {
    for (const side of sides ?? []) await side.stop();
    await receiver?.stop();
  });

  test('get the same responses from SQLite in process and PostgreSQL over Redis, byte for byte except for IDs and times', async () => {
    const [embedded, large] = sides;
    expect(large.document).toEqual(embedded.document);
    const statuses = new Map<number, number>();
    const compared = { asked: 0 };
    for (const plan of fc.sample(createPlans(embedded.document, receiver.url), { seed: SEED, numRuns: REQUESTS })) {
      const one = await embedded.exchange(plan);
      const other = await large.exchange(plan);
      expect(other.asked).toBe(one.asked);
      if (other.told !== one.told) expect(`${other.asked}\n→ ${other.told}`).toBe(`${one.asked}\n→ ${one.told}`);
      statuses.set(one.answer.status, (statuses.get(one.answer.status) ?? 0) + 1);
      compared.asked += 1;
    }
    const counts = [...statuses].sort().map(([status, n]) => `${status}×${n}`);
    process.stdout.write(`parity: ${compared.asked} answers equal (seed ${SEED}): ${counts.join(' ')}\n`);
    expect(compared.asked).toBe(REQUESTS);
    expect(statuses.get(200)).toBeGreaterThan(REQUESTS / 10);
    expect(statuses.get(201)).toBeGreaterThan(0);
  });
});
