import { Agent, maxHeaderSize } from 'node:http';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import fc from 'fast-check';
import { type Answer, type Client, createClient } from '../kit/client.ts';
import { openBrowser } from '../kit/console-client.ts';
import { openForm, sendForm, waitUntilAccepted } from '../kit/leads.ts';
import { times } from '../kit/length.ts';
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
import { learn, send } from './exchange.ts';
import {
  createPlans,
  listOperations,
  type Operation,
  type Plan,
  type Pools,
  type Request,
  toRequest,
} from './requests.ts';

const REQUESTS = times(4_000, 100_000);
const SEED = seedFrom('FUZZ_SEED');
const IN_FLIGHT = 8;
/** Plans are generated in pieces of this size, each from its own seed. */
const PIECE = 500;
const MAX_FAILURES = 20;

/** Bytes of a request before its body, roughly: the connection adds less than a kilobyte. */
const headSize = ({ path, headers }: Request): number => path.length + JSON.stringify(headers).length + 1_000;

/** Markers of internal details that must not leak. */
const INNER_PARTS = /\bat .+\.[cm]?[jt]s:\d+|node_modules|SQLITE_|knex|\/backend\//;

describe(`${REQUESTS} generated requests (FUZZ_SEED=${SEED})`, () => {
  const folder = createDataFolder();
  const env: Env = { ...folder.env, WEBHOOK_ALLOWED_HOSTS: 'loopback' };
  const agent = new Agent({ keepAlive: true, maxSockets: IN_FLIGHT });
  const pools: Pools = { own: new Map(), foreign: new Map() };
  const failures: string[] = [];
  /** operation → status → how often */
  const seen = new Map<string, Map<number, number>>();
  let service: Service;
  let receiver: Receiver;
  let client: Client;
  let foreign: Client;
  let token: string;
  let sent = 0;
  let slowest = { ms: 0, what: '' };
  let accepts: (operation: Operation, body: unknown) => string | undefined;
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
    const made = await owner.post('/invoices', { customer_name: 'Vera', lines });
    expect([status, sent.status, made.status]).toEqual([200, 303, 201]);
  }

  beforeAll(async () => {
    service = await startService(env);
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

    const ajv = new Ajv2020({ strict: false });
    addFormats.default(ajv);
    ajv.addSchema({ $id: 'openapi', ...client.document });
    const toPointer = (part: string) => encodeURIComponent(part.replace(/~/g, '~0').replace(/\//g, '~1'));
    accepts = ({ template, method }, body) => {
      const $ref = `openapi#/paths/${toPointer(template)}/${method.toLowerCase()}/requestBody/content/application~1json/schema`;
      const validate = ajv.getSchema($ref) ?? ajv.compile({ $ref });
      return validate(body) ? undefined : ajv.errorsText(validate.errors);
    };
  }, 60_000);

  afterAll(async () => {
    agent.destroy();
    await service?.kill();
    await receiver?.stop();
    folder.remove();
  });

  /** @throws Error that says what is wrong with the response */
  function judge(request: Request, answer: Answer<unknown>): void {
    const { status } = answer;
    if (status >= 500) throw new Error(`${status}: ${answer.text}`);
    // sent by Node's parser before a request exists
    if (status === 431 && answer.text === '' && headSize(request) > maxHeaderSize) return;
    const path = (request.path.split('?')[0] as string).replace(/(.)\/$/, '$1');
    // the only response without a body, for which no operation is documented
    const isHeadError = request.method === 'HEAD' && status >= 400;
    if (isHeadError ? answer.text !== '' : false) throw new Error('an answer to HEAD has a body');
    if (!isHeadError) client.check(request.method, path, answer);
    if (!answer.headers.get('x-request-id')) throw new Error('X-Request-Id is missing');
    if (!request.isAuthorized && status !== 401) throw new Error(`${status} without a valid token`);
    if (request.isAuthorized && status === 401) throw new Error('401 with a valid token');
    if (status >= 400) {
      if (INNER_PARTS.test(answer.text)) throw new Error(`the answer tells of the inside: ${answer.text}`);
      return;
    }
    if (request.hasForeignId) throw new Error(`${status} for another account's id`);
    const { operation, text } = request;
    if (operation.body && request.method === operation.method) {
      if (request.isDamaged || text === undefined) throw new Error(`${status} for a body that is no JSON document`);
      const fault = accepts(operation, JSON.parse(text));
      if (fault) throw new Error(`${status} for a body that the document forbids: ${fault}`);
    }
  }

  async function run(plan: Plan): Promise<void> {
    const request = toRequest(plan, pools, token);
    const began = performance.now();
    let answer: Answer<unknown> | undefined;
    try {
      answer = await send(service.origin, agent, request);
      judge(request, answer);
      learn(pools, request, answer);
    } catch (error) {
      failures.push(
        `${(error as Error).message.replace(/(.)\1{99,}/g, '$1…').slice(0, 600)}\n  ${request.method} ${request.path.slice(0, 300)}\n  ${JSON.stringify(request.headers).slice(0, 300)}\n  ${request.text?.slice(0, 600)}`,
      );
    }
    sent += 1;
    const ms = performance.now() - began;
    if (ms > slowest.ms) slowest = { ms, what: `${request.method} ${request.path.slice(0, 80)} → ${answer?.status}` };
    if (answer && request.method === request.operation.method) {
      const statuses = seen.get(request.operation.operationId) ?? new Map<number, number>();
      seen.set(request.operation.operationId, statuses);
      statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1);
    }
  }

  it('answers as documented, without 5xx, and accepts nothing the document forbids', async () => {
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
        `slowest ${Math.round(slowest.ms)} ms: ${slowest.what}\n${lines.join('\n')}\n`,
    );
    expect(failures).toEqual([]);
    expect(sent).toBe(REQUESTS);
  }, 400_000);

  it('reaches every operation with success and with refusal', () => {
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

  it('changes nothing of another account', async () => {
    expect(await readForeign()).toBe(foreignBefore);
  });

  it('leaves the service healthy, with its invariants and without logged errors', async () => {
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
  }, 60_000);
});
