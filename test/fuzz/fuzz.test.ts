import { Agent } from 'node:http';
import { resolve } from 'node:path';
import fc from 'fast-check';
import type { Answer } from '../kit/checker.ts';
import { type Client, createClient } from '../kit/client.ts';
import { openBrowser } from '../kit/console-client.ts';
import { eventually } from '../kit/eventually.ts';
import { createJudge } from '../kit/fuzz/checks.ts';
import { learn, send } from '../kit/fuzz/exchange.ts';
import { createPlans, listOperations, type Plan, type Pools, type Request, toRequest } from '../kit/fuzz/requests.ts';
import { openForm, sendForm, waitUntilAccepted } from '../kit/leads.ts';
import { IS_LONG, times } from '../kit/length.ts';
import { median } from '../kit/median.ts';
import { seedFrom } from '../kit/random.ts';
import { type Receiver, startReceiver } from '../kit/receiver.ts';
import {
  createAccountWithToken,
  createDataFolder,
  type Env,
  farmboard,
  type Service,
  startService,
} from '../kit/service.ts';

const REQUESTS = times(4_000, 300_000);
const SEED = seedFrom('FUZZ_SEED');
const IN_FLIGHT = 8;
/** Plans are generated in pieces of this size, each from its own seed. */
const PIECE = 500;
/** How often memory is measured: 30 times in a run. */
const MEASURED_EVERY = PIECE * Math.ceil(REQUESTS / PIECE / 30);
const MAX_FAILURES = 20;
const MAX_GROWTH_MB = 50;
const HANGS_AFTER_MS = 2_000;
const COLLECT_GARBAGE = resolve(__dirname, '../kit/collect-garbage.cjs');

/** Megabytes of memory that a service needs, without garbage, which comes and goes. */
async function measureMemory({ pid, log }: Service): Promise<number> {
  const from = log.length;
  process.kill(pid, 'SIGUSR2');
  const line = await eventually(
    () => log.slice(from).find((one) => one.includes('"rss":')),
    (one) => one !== undefined,
  );
  return (JSON.parse(line as string) as { rss: number }).rss / 1024 / 1024;
}

/** Between the second and the last tenth of the samples. */
function growthOf(samples: number[]): number {
  const tenth = Math.ceil(samples.length / 10);
  return (median(samples.slice(-tenth)) ?? Number.NaN) - (median(samples.slice(tenth, 2 * tenth + 1)) ?? Number.NaN);
}

const describeMemory = (samples: number[]): string =>
  samples.length === 0
    ? ''
    : `memory ${Math.round(samples[0] as number)} to ${Math.round(samples.at(-1) as number)} MB, growth ${Math.round(growthOf(samples))} MB; `;

describe(`${REQUESTS} generated requests (FUZZ_SEED=${SEED})`, () => {
  const folder = createDataFolder();
  const env: Env = { ...folder.env, WEBHOOK_ALLOWED_HOSTS: 'loopback' };
  const agent = new Agent({ keepAlive: true, maxSockets: IN_FLIGHT });
  const pools: Pools = { own: new Map(), foreign: new Map(), deleted: new Map() };
  const failures: string[] = [];
  const memory: number[] = [];
  const slow: string[] = [];
  /** operation → status → how often */
  const seen = new Map<string, Map<number, number>>();
  let service: Service;
  let receiver: Receiver;
  let client: Client;
  let foreign: Client;
  let token: string;
  let sent = 0;
  let available = 0;
  let slowest = { ms: 0, what: '' };
  let judge: ReturnType<typeof createJudge>;
  /** Created records that were not found afterwards, unless they were deleted meanwhile. */
  const missing = new Map<string, string>();
  let foreignBefore: string;

  /** All data of the other account, which no request here may change. */
  async function readForeign(): Promise<string> {
    const book = ['/print-jobs?include_closed=true', '/filaments', '/printers', '/leads', '/invoices'];
    const lists = [...book, '/webhook-subscriptions', '/events'];
    const texts = await Promise.all(lists.map(async (path) => (await foreign.get(path)).text));
    return texts.join('\n');
  }

  async function idsOf(farm: Client, collection: string): Promise<string[]> {
    return (await farm.get<{ items: { id: string }[] }>(`/${collection}?per_page=50`)).body.items.map(
      (item) => item.id,
    );
  }

  /** Records that the API only reads: a request and an invoice. */
  async function makeReadOnly(email: string, slug: string): Promise<void> {
    const owner = await openBrowser(service);
    await owner.signIn(email);
    const { status } = await owner.put('/profile', { slug, is_public: true, headline: 'Test farm' });
    const form = await openForm(service.origin, slug);
    await waitUntilAccepted(form);
    const sent = await sendForm(service.origin, form);
    const lines = [{ description: 'Bracket', quantity: 1, unit_price: 100 }];
    const made = await owner.post<{ id: string }>('/invoices', { customer_name: 'Vera', lines });
    await owner.put('/invoice-seller', { name: 'Test farm', address: 'Berlin' });
    const issued = await owner.post(`/invoices/${made.body.id}/issue`, {});
    expect([status, sent.status, issued.status]).toEqual([200, 303, 200]);
  }

  beforeAll(async () => {
    service = await startService({ ...env, NODE_OPTIONS: `--require ${COLLECT_GARBAGE}` });
    receiver = await startReceiver();
    const accounts = [await createAccountWithToken(env), await createAccountWithToken(env)] as const;
    for (const { email } of accounts) {
      const filled = await farmboard(['demo', '--email', email], env);
      if (filled.code !== 0) throw new Error(filled.stderr);
    }
    await Promise.all(accounts.map(({ email }, index) => makeReadOnly(email, `farm-${index}`)));
    token = accounts[0].token;
    client = await createClient(service.origin, token);
    foreign = await createClient(service.origin, accounts[1].token);
    for (const farm of [client, foreign]) {
      for (const format of ['signed', 'slack', 'discord']) {
        await farm.post('/webhook-subscriptions', {
          url: receiver.url,
          events: ['order.created', 'filament.low_stock'],
          format,
        });
      }
    }
    const collections = ['print-jobs', 'filaments', 'printers', 'printer-groups', 'leads', 'invoices'];
    for (const collection of [...collections, 'webhook-subscriptions']) {
      pools.own.set(collection, await idsOf(client, collection));
      pools.foreign.set(collection, await idsOf(foreign, collection));
    }
    foreignBefore = await readForeign();

    judge = createJudge(client.document);
  });

  afterAll(async () => {
    agent.destroy();
    await service?.kill();
    await receiver?.stop();
    folder.remove();
  });

  /** `ensure_resource_availability`: what was created can be read. */
  async function expectAvailable({ operation, method }: Request, { status, body }: Answer<unknown>): Promise<void> {
    const path = `${operation.template}/${(body as { id?: string } | undefined)?.id}`;
    if (status !== 201 || method !== 'POST' || !client.document.paths[`${operation.template}/{id}`]?.get) return;
    const read = await client.get<{ id: string }>(path);
    available += 1;
    if (read.status === 404) missing.set(path.split('/')[2] as string, path);
    else if (`${operation.template}/${read.body.id}` !== path) throw new Error(`${path} is ${read.text}`);
  }

  async function run(plan: Plan): Promise<void> {
    const request = toRequest(plan, pools, token);
    const began = performance.now();
    let answer: Answer<unknown> | undefined;
    try {
      answer = await send(service.origin, agent, request);
      judge.judge({ request, answer });
      learn(pools, request, answer);
      await expectAvailable(request, answer);
    } catch (error) {
      failures.push(
        `${(error as Error).message.replace(/(.)\1{99,}/g, '$1…').slice(0, 600)}\n  ${request.method} ${request.path.slice(0, 300)}\n  ${JSON.stringify(request.headers).slice(0, 300)}\n  ${request.text?.slice(0, 600)}`,
      );
    }
    sent += 1;
    const ms = performance.now() - began;
    if (ms > HANGS_AFTER_MS) slow.push(`${Math.round(ms)} ms: ${request.method} ${request.path.slice(0, 80)}`);
    if (ms > slowest.ms) slowest = { ms, what: `${request.method} ${request.path.slice(0, 80)} → ${answer?.status}` };
    if (answer && request.method === request.operation.method) {
      const statuses = seen.get(request.operation.operationId) ?? new Map<number, number>();
      seen.set(request.operation.operationId, statuses);
      statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1);
    }
  }

  test('answers as documented, without 5xx, and accepts nothing the document forbids', async () => {
    const arbitrary = createPlans(client.document, receiver.url);
    const began = Date.now();
    for (let done = 0; done < REQUESTS && failures.length < MAX_FAILURES; done += PIECE) {
      const queue = fc.sample(arbitrary, { seed: SEED + done, numRuns: Math.min(PIECE, REQUESTS - done) });
      const work = async () => {
        for (let plan = queue.pop(); plan; plan = queue.pop()) await run(plan);
      };
      await Promise.all(Array.from({ length: IN_FLIGHT }, work));
      // keeps the receiver from collecting thousands of events
      receiver.received.length = 0;
      if (!IS_LONG || sent % MEASURED_EVERY !== 0) continue;
      memory.push(await measureMemory(service));
      process.stdout.write(`fuzz.test: ${sent} requests, ${memory.at(-1)} MB, ${failures.length} failures\n`);
    }
    const took = Date.now() - began;
    const lines = [...seen].sort().map(
      ([id, statuses]) =>
        `  ${id.padEnd(26)} ${[...statuses]
          .sort()
          .map(([status, n]) => `${status}×${n}`)
          .join(' ')}`,
    );
    process.stdout.write(
      `fuzz.test: seed ${SEED}: ${sent} requests in ${took} ms (${Math.round((sent * 1000) / took)} a second), ` +
        `slowest ${Math.round(slowest.ms)} ms: ${slowest.what}; ${describeMemory(memory)}${slow.length} over ${HANGS_AFTER_MS} ms\n${lines.join('\n')}\n` +
        `judged: ${[...judge.judged].map(([name, n]) => `${name} ${n}`).join(', ')}, ensure_resource_availability ${available}\n`,
    );
    expect(failures).toEqual([]);
    expect(sent).toBe(REQUESTS);
    expect([...missing].filter(([id, path]) => !pools.deleted.get(path.split('/')[1] as string)?.includes(id))).toEqual(
      [],
    );
    // a check that never says anything checks nothing
    expect([...judge.judged].filter(([, n]) => n === 0)).toEqual([]);
    expect(available).toBeGreaterThan(0);
    // the short form ends before caches are full
    if (IS_LONG) expect(growthOf(memory)).toBeLessThan(MAX_GROWTH_MB);
  });

  test('reaches every operation with success and with refusal', () => {
    const reached = listOperations(client.document).map(({ operationId }) => {
      const statuses = [...(seen.get(operationId)?.keys() ?? [])];
      return {
        operationId,
        accepted: statuses.some((status) => status < 300),
        refused: statuses.some((status) => status >= 400 && status < 500),
      };
    });
    expect(reached.filter(({ accepted, refused }) => !accepted || !refused)).toEqual([]);
  });

  test('changes nothing of another account', async () => {
    expect(await readForeign()).toBe(foreignBefore);
  });

  test('leaves the service healthy, with its invariants and without logged errors', async () => {
    for (const path of ['/healthz', '/readyz']) expect((await fetch(service.origin + path)).status).toBe(200);
    const made = await client.post('/print-jobs', { model_name: 'after all that' });
    expect(made.status).toBe(201);
    expect(made.body).not.toHaveProperty('polluted');
    expect(await farmboard(['check'], env)).toEqual({ code: 0, stdout: 'No problems found.\n', stderr: '' });
    const errors = service.log.filter(
      (line) => !line.startsWith('{') || (JSON.parse(line) as { level: number }).level >= 50,
    );
    expect(errors).toEqual([]);
    expect(await service.stop()).toBe(0);
  });
});
