import type { IDataObject, INode, IRun } from 'n8n-workflow';
import type { Listed } from '../../kit/farm.ts';
import { type Answer, passOn, problem, type Seen, startFakeServer } from '../../kit/n8n/fake-server.ts';
import { outputsOf, pauses } from '../../kit/n8n/harness.ts';
import {
  built,
  execute,
  fromItem,
  jsonOf,
  locatorFromItem,
  parametersOf,
  sourcesOf,
  startRig,
} from '../../kit/n8n/rig.ts';
import { forSuite } from '../../kit/opened.ts';

const ID = '0198c2f4-5d3b-7cc2-a3f1-9b2d6a1e4c70';

const fake = forSuite(startFakeServer);
const rig = forSuite(() => startRig(fake.baseUrl));
const n8n = forSuite(() => rig.n8n);

/** Retry On Fail with as many tries as n8n allows; one millisecond in between, because n8n reads 0 as a second. */
const RETRY: Partial<INode> = { retryOnFail: true, maxTries: 5, waitBetweenTries: 1 };

const WRITES: [string, IDataObject][] = [
  ['order create', { modelName: 'x' }],
  ['order update', { orderId: ID, updateFields: { orderNotes: 'x' } }],
  ['order setStatus', { orderId: ID, workflowStatus: 'done' }],
  ['order delete', { orderId: ID }],
  ['filament consume', { filamentId: ID, grams: 1 }],
  ['filament addBatch', { filamentId: ID, spoolCount: 1 }],
  ['webhook create', { url: 'http://127.0.0.1:9/hook', events: ['order.created'] }],
  ['webhook update', { subscriptionId: ID, updateFields: { name: 'x' } }],
  ['webhook delete', { subscriptionId: ID }],
  ['webhook sendTest', { subscriptionId: ID }],
  ['webhook resend', { subscriptionId: ID, deliveryId: ID }],
];

const OK = ({ method }: Seen): Answer =>
  method === 'DELETE' ? { status: 204 } : { body: { id: ID, secret: 'whsec_x' } };
const keysSeen = () => fake.seen.map(({ headers }) => headers['idempotency-key']);
const passed = (seen: Seen) => passOn(rig.farm.service.origin, seen);

const HTML = '<h1>Bad gateway</h1>';
/** A response that is lost or replaced on its way after the service has done its work. */
const LOSSES: Record<string, Answer> = {
  'a connection that is cut': 'cut',
  'a connection that is cut in the answer': 'half',
  'a 502 of a proxy': { status: 502, body: HTML },
  'a 504 of a proxy': { status: 504, body: HTML },
  'a 503 of a proxy': { status: 503, body: HTML },
};
const losses = Object.entries(LOSSES);

/** Forwards every request to the service; the response is lost where `isLost` says so. */
const losing =
  (loss: Answer | ((nth: number) => Answer), isLost: (nth: number, seen: Seen) => boolean) =>
  async (seen: Seen, nth: number): Promise<Answer> => {
    const answer = await passed(seen);
    if (!isLost(nth, seen)) return answer;
    return typeof loss === 'function' ? loss(nth) : loss;
  };

const consume = (filamentId: string, grams: unknown = 1, options: IDataObject = {}): IDataObject =>
  parametersOf('filament consume', { filamentId, grams, options } as IDataObject);

const spool = (spool_count = 1) => rig.farm.filament({ spool_count });

/** The number and grams of deductions in the ledger, and what is left. */
async function ledgerOf(id: string): Promise<{ deductions: number; grams: number; left: number }> {
  const { items, total } = (
    await rig.farm.client.get<Listed<{ kind: string; grams: number }>>(`/filaments/${id}/ledger?per_page=200`)
  ).body;
  expect(total).toBe(items.length);
  const taken = items.filter(({ kind }) => kind === 'consumption');
  const { remaining_grams } = (await rig.farm.client.get<{ remaining_grams: number }>(`/filaments/${id}`)).body;
  return {
    deductions: taken.length,
    grams: Math.round(taken.reduce((sum, { grams }) => sum - grams, 0) * 1000) / 1000,
    left: remaining_grams,
  };
}

describe('the key', () => {
  test.each(WRITES)('is sent by %s', async (operation, parameters) => {
    fake.answerWith(OK);
    await n8n.give(parametersOf(operation, parameters));
    expect(keysSeen()).toEqual([expect.stringMatching(/^n8n-[0-9a-f]{64}$/)]);
  });

  test('isn’t sent with reads', async () => {
    fake.answerWith(() => ({ body: { id: ID, items: [], total: 0 } }));
    for (const operation of [
      'order get',
      'order getAll',
      'order getHistory',
      'printer getAll',
      'webhook getDeliveries',
    ]) {
      await n8n.give(parametersOf(operation, operation.endsWith('getAll') ? {} : { orderId: ID, subscriptionId: ID }));
    }
    expect(keysSeen()).toEqual(Array(5).fill(undefined));
  });

  test.each(WRITES)('%s: stays the same in every attempt and in Retry On Fail', async (operation, parameters) => {
    fake.answerWith((seen, nth) => (nth <= 6 ? 'cut' : OK(seen)));
    await n8n.give(parametersOf(operation, parameters), { node: RETRY });
    expect(fake.seen).toHaveLength(7);
    expect(new Set(keysSeen()).size).toBe(1);
  });

  test('stays the same per item over retries', async () => {
    fake.answerWith((seen, nth) => (nth >= 2 && nth <= 6 ? 'cut' : OK(seen)));
    await n8n.give(consume(ID, fromItem('grams')), { items: [{ grams: 1 }, { grams: 2 }, { grams: 3 }], node: RETRY });
    const byGrams = new Map<unknown, Set<unknown>>();
    for (const { body, headers } of fake.seen) {
      const known = byGrams.get(body?.grams) ?? new Set();
      byGrams.set(body?.grams, known.add(headers['idempotency-key']));
    }
    expect([...byGrams.values()].map((keys) => keys.size)).toEqual([1, 1, 1]);
    expect(new Set(keysSeen()).size).toBe(3);
  });

  test('differs between equal items of one run', async () => {
    fake.answerWith(OK);
    await n8n.give(consume(ID), { items: [{}, {}, {}] });
    expect(new Set(keysSeen()).size).toBe(3);
  });

  test('differs in another execution', async () => {
    fake.answerWith(OK);
    for (const executionId of ['1', '2', '3']) await n8n.give(consume(ID), { executionId });
    expect(new Set(keysSeen()).size).toBe(3);
  });

  test('depends only on instance, workflow, execution, node, run and item', async () => {
    fake.answerWith(OK);
    const base = { executionId: 'e1', runIndex: 0, nodeId: 'n1', workflowId: 'w1' };
    const call = async (more: Partial<typeof base>, instance = 'i1') => {
      const context = n8n.execution(consume(ID), { ...base, ...more });
      context.getInstanceId = () => instance;
      await execute(n8n, context);
    };
    await call({});
    await call({});
    await call({ executionId: 'e2' });
    await call({ runIndex: 1 });
    await call({ nodeId: 'n2' });
    await call({ workflowId: 'w2' });
    await call({}, 'i2');
    const [first, again, ...others] = keysSeen();
    expect(again).toBe(first);
    expect(new Set([first, ...others]).size).toBe(6);
  });

  test('is always unique without an execution', async () => {
    fake.answerWith(OK);
    for (let n = 0; n < 3; n++) {
      const context = n8n.execution(consume(ID), { executionId: 'e' });
      context.getExecutionId = () => undefined as never;
      await execute(n8n, context);
    }
    expect(new Set(keysSeen()).size).toBe(3);
  });

  test.each([
    ['order create', { modelName: 'x' }],
    ['filament consume', { filamentId: ID, grams: 1 }],
    ['filament addBatch', { filamentId: ID, spoolCount: 1 }],
    ['webhook create', { url: 'http://x', events: ['order.created'] }],
  ])('%s: a custom key is sent unchanged in every execution', async (operation, parameters) => {
    fake.answerWith((seen, nth) => (nth === 1 ? 'cut' : OK(seen)));
    const own = parametersOf(operation, { ...parameters, options: { idempotencyKey: fromItem('key') } });
    await n8n.give(own, { items: [{ key: 'order 17/consumed' }] });
    await n8n.give(own, { items: [{ key: 'order 17/consumed' }] });
    expect(keysSeen()).toEqual(Array(3).fill('order 17/consumed'));
  });

  test('treats an empty custom key as none', async () => {
    fake.answerWith(OK);
    await n8n.give(consume(ID, 1, { idempotencyKey: '' }));
    expect(keysSeen()).toEqual([expect.stringMatching(/^n8n-/)]);
  });

  test.each(['订单-17', 'a\nb', 'x'.repeat(129)])('names the field for an invalid custom key: %p', async (key) => {
    fake.answerWith(passed);
    const { id } = await spool();
    const error = await n8n.refusal(consume(id, 1, { idempotencyKey: fromItem('key') }), { items: [{ key }] });
    expect(error.message).toMatch(/^Idempotency Key: /);
    expect(error.context.outcomeUnknown).not.toBe(true);
    expect(await ledgerOf(id)).toEqual({ deductions: 0, grams: 0, left: 1000 });
  });
});

describe('items through a proxy that loses every third response', () => {
  const KINDS: Answer[] = ['cut', { status: 503, body: HTML }, { status: 502, body: HTML }];
  const everyThird = losing(
    (nth) => KINDS[(nth / 3) % 3] as Answer,
    (nth) => nth % 3 === 0,
  );
  const items = (count: number, toItem: (n: number) => IDataObject = () => ({})) =>
    Array.from({ length: count }, (_, n) => toItem(n));

  test.each([
    ['without Retry On Fail', {}],
    ['with Retry On Fail', RETRY],
  ])('are 100 deductions, %s', async (_what, node) => {
    fake.answerWith(everyThird);
    const { id } = await spool();
    const output = await n8n.give(consume(id, 1), { items: items(100), node });
    expect(output).toHaveLength(100);
    expect(await ledgerOf(id)).toEqual({ deductions: 100, grams: 100, left: 900 });
    expect(fake.seen.length).toBeGreaterThan(140);
  });

  test('are 100 deductions when Retry On Fail continues after the node’s attempts', async () => {
    const tries = new Map<unknown, number>();
    const stubborn = new Set<unknown>();
    fake.answerWith(async (seen, nth) => {
      const answer = await passed(seen);
      const key = seen.headers['idempotency-key'];
      // three items whose first five responses are lost, more than the node's own tries
      if (!tries.has(key) && tries.size % 30 === 29) stubborn.add(key);
      tries.set(key, (tries.get(key) ?? 0) + 1);
      if (stubborn.has(key) && (tries.get(key) as number) <= 5) return 'cut';
      return nth % 3 === 0 ? { status: 502, body: HTML } : answer;
    });
    const { id } = await spool();
    const output = await n8n.give(consume(id, 1), { items: items(100), node: RETRY });
    expect(stubborn.size).toBe(3);
    expect(output).toHaveLength(100);
    expect(await ledgerOf(id)).toEqual({ deductions: 100, grams: 100, left: 900 });
  });

  test('create each order once', async () => {
    fake.answerWith(everyThird);
    const named = items(30, (n) => ({ name: `Lossy ${n}` }));
    const output = await n8n.give(parametersOf('order create', { modelName: fromItem('name') }), {
      items: named,
      node: RETRY,
    });
    const { body } = await rig.farm.client.get<Listed<{ id: string; model_name: string }>>(
      '/print-jobs?q=Lossy&sort=created_at',
    );
    expect(body.items.map(({ model_name }) => model_name)).toEqual(named.map(({ name }) => name));
    expect(jsonOf(output).map(({ id }) => id)).toEqual(body.items.map(({ id }) => id));
  });

  test('create each batch once', async () => {
    fake.answerWith(everyThird);
    const { id } = await rig.farm.filament();
    await n8n.give(parametersOf('filament addBatch', { filamentId: id, spoolCount: 1 }), {
      items: items(30),
      node: RETRY,
    });
    expect((await rig.farm.client.get<{ spool_count: number }>(`/filaments/${id}`)).body.spool_count).toBe(30);
  });

  test('change and delete each order once', async () => {
    fake.answerWith(everyThird);
    const orders = await Promise.all(items(30).map(() => rig.farm.order({ customer_name: 'to be deleted' })));
    const ids = orders.map(({ id }) => ({ id }));
    const moved = await n8n.give(
      parametersOf('order setStatus', { orderId: locatorFromItem('id'), workflowStatus: 'done' }),
      { items: ids },
    );
    expect(jsonOf(moved).map(({ workflow_status }) => workflow_status)).toEqual(Array(30).fill('done'));
    const deleted = await n8n.give(parametersOf('order delete', { orderId: locatorFromItem('id') }), { items: ids });
    expect(jsonOf(deleted)).toEqual(Array(30).fill({ deleted: true }));
    const left = await rig.farm.client.get<Listed<unknown>>('/print-jobs?q=to+be+deleted&include_closed=true');
    expect(left.body.total).toBe(0);
  });
});

describe('a subscription whose response was lost', () => {
  afterEach(() => rig.farm.clear());

  test('is created once, and a missing secret is reported', async () => {
    fake.answerWith(losing('cut', (nth) => nth === 1));
    const run = await n8n.run(
      parametersOf('webhook create', { url: 'http://127.0.0.1:9/hook', events: ['order.created'] }),
    );
    const { error, runData } = run.data.resultData;
    const [given] = runData.Farmboard?.at(-1)?.data?.main?.[0] ?? [];
    // the service never repeats a secret
    const said = error ? `${error.message} ${error.description}` : String(given?.json.secret);
    expect(said).toMatch(/secret|^whsec_/);
    const { body } = await rig.farm.client.get<Listed<unknown>>('/webhook-subscriptions');
    expect(body.total).toBeLessThanOrEqual(1);
  });
});

describe("calls as an agent's tool, each with another run index", () => {
  test.each(losses)('%s: repeat the key after a lost response', async (_what, loss) => {
    const { id } = await spool();
    const executionId = `tool ${_what}`;
    fake.answerWith(losing(loss, () => true));
    await expect(rig.callTool(consume(id, 10), { executionId, runIndex: 0 })).rejects.toThrow();
    await expect(rig.callTool(consume(id, 10), { executionId, runIndex: 1 })).rejects.toThrow();
    expect(await ledgerOf(id)).toEqual({ deductions: 1, grams: 10, left: 990 });
    fake.answerWith(passed);
    const [given] = await rig.callTool(consume(id, 10), { executionId, runIndex: 2 });
    expect(given?.json.remaining_grams).toBe(990);
    expect(await ledgerOf(id)).toEqual({ deductions: 1, grams: 10, left: 990 });

    // the first call is complete, so the same call again is meant
    await rig.callTool(consume(id, 10), { executionId, runIndex: 3 });
    expect(await ledgerOf(id)).toEqual({ deductions: 2, grams: 20, left: 980 });
  });

  test.each([
    ['a page of a proxy with status 200', { status: 200, body: HTML }],
    ['an empty 200', { status: 200 }],
    ['a 500 of a proxy', { status: 500, body: HTML }],
    ['an internal error of Farmboard', problem(500, 'internal_error')],
  ] as [string, Answer][])('%s: repeat the key of a call that may have been carried out', async (_what, loss) => {
    const { id } = await spool();
    const executionId = `tool ${_what}`;
    fake.answerWith(losing(loss, () => true));
    await expect(rig.callTool(consume(id, 10), { executionId, runIndex: 0 })).rejects.toThrow();
    fake.answerWith(passed);
    await rig.callTool(consume(id, 10), { executionId, runIndex: 1 });
    expect(await ledgerOf(id)).toEqual({ deductions: 1, grams: 10, left: 990 });
  });

  test('repeat the key where n8n keeps no context for the node', async () => {
    const { id } = await spool();
    const bare = { resultData: { runData: {} } } as never;
    const call = (runIndex: number) =>
      execute(n8n, n8n.execution(consume(id, 10), { executionId: 'bare', runIndex, data: bare }));
    fake.answerWith(losing('cut', () => true));
    await expect(call(0)).rejects.toThrow();
    fake.answerWith(passed);
    await call(1);
    expect(await ledgerOf(id)).toEqual({ deductions: 1, grams: 10, left: 990 });
    await call(2);
    expect((await ledgerOf(id)).deductions).toBe(2);
  });

  test('deduct twice if two equal ones succeed', async () => {
    fake.answerWith(passed);
    const { id } = await spool();
    await rig.callTool(consume(id, 10), { executionId: 'twice', runIndex: 0 });
    await rig.callTool(consume(id, 10), { executionId: 'twice', runIndex: 1 });
    expect(await ledgerOf(id)).toEqual({ deductions: 2, grams: 20, left: 980 });
  });

  test('use another key for different parameters', async () => {
    const { id } = await spool();
    fake.answerWith(losing('cut', () => true));
    await expect(rig.callTool(consume(id, 10), { executionId: 'other', runIndex: 0 })).rejects.toThrow();
    fake.answerWith(passed);
    await rig.callTool(consume(id, 11), { executionId: 'other', runIndex: 1 });
    await rig.callTool(consume(id, 10), { executionId: 'other', runIndex: 2 });
    expect(await ledgerOf(id)).toEqual({ deductions: 2, grams: 21, left: 979 });
  });

  test('deduct again in another execution or by another node', async () => {
    const { id } = await spool();
    fake.answerWith(losing('cut', () => true));
    await expect(rig.callTool(consume(id, 10), { executionId: 'one', runIndex: 0 })).rejects.toThrow();
    fake.answerWith(passed);
    await rig.callTool(consume(id, 10), { executionId: 'two', runIndex: 0 });
    await rig.callTool(consume(id, 10), { executionId: 'one', runIndex: 0, nodeId: 'another node' });
    expect((await ledgerOf(id)).deductions).toBe(3);
  });

  test('keep no key after a refusal', async () => {
    const { id } = await spool();
    fake.answerWith(passed);
    const call = (runIndex: number) => rig.callTool(consume(id, 1500), { executionId: 'refused', runIndex });
    await expect(call(0)).rejects.toThrow('Not enough filament');
    await expect(call(1)).rejects.toThrow('Not enough filament');
    expect(new Set(keysSeen()).size).toBe(2);
  });
});

describe('Retry in the list of executions', () => {
  const twoItems = { items: [{ grams: 4 }, { grams: -1 }] };
  const fails = async (run: Promise<IRun>) => {
    const failed = await run;
    expect(failed.data.resultData.error).toBeDefined();
    return failed;
  };
  const messageOf = (run: IRun) => run.data.resultData.error?.message;

  test('deducts completed items once in three retries, of the first execution and of the previous one', async () => {
    fake.answerWith(passed);
    const { id } = await spool();
    const parameters = consume(id, fromItem('grams'));
    const first = await fails(n8n.run(parameters, twoItems));
    expect(messageOf(first)).toContain('Grams: -1 is not more than 0');
    const second = await fails(n8n.retry(first, parameters));
    await fails(n8n.retry(second, parameters));
    await fails(n8n.retry(first, parameters));
    expect(await ledgerOf(id)).toEqual({ deductions: 1, grams: 4, left: 996 });
    // completed items are not even sent
    expect(fake.seen).toHaveLength(1);

    await fails(n8n.run(parameters, twoItems));
    expect((await ledgerOf(id)).deductions).toBe(2);
  });

  test('continues with the remaining items and repeats the results of the others', async () => {
    fake.answerWith((seen, nth) => (nth === 2 ? problem(500, 'internal_error') : passed(seen)));
    const { id } = await spool();
    const parameters = consume(id, fromItem('grams'));
    const failed = await fails(n8n.run(parameters, { items: [{ grams: 4 }, { grams: 5 }, { grams: 6 }] }));
    const output = outputsOf(await n8n.retry(failed, parameters))[0];
    expect(jsonOf(output).map(({ remaining_grams }) => remaining_grams)).toEqual([996, 991, 985]);
    expect(await ledgerOf(id)).toEqual({ deductions: 3, grams: 15, left: 985 });
  });

  test('uses the key of the first execution after a lost response', async () => {
    const { id } = await spool();
    fake.answerWith(losing('cut', () => true));
    const failed = await fails(n8n.run(consume(id, 5)));
    fake.answerWith(passed);
    outputsOf(await n8n.retry(failed, consume(id, 5)));
    expect(await ledgerOf(id)).toEqual({ deductions: 1, grams: 5, left: 995 });
  });

  test.each([
    ['filament consume', (id: string, grams: string) => consume(id, `={{ $json.grams < 0 ? -1 : ${grams} }}`)],
    [
      'order update',
      (_id: string, note: string, order: string) =>
        parametersOf('order update', {
          orderId: `={{ $json.grams < 0 ? 'x' : '${order}' }}`,
          updateFields: { orderNotes: note },
        }),
    ],
  ])('%s: refuses an item edited since its write and sends nothing', async (_what, edited) => {
    fake.answerWith(passed);
    const { id } = await spool();
    const order = await rig.farm.order();
    const failed = await fails(n8n.run(edited(id, '4', order.id), twoItems));
    expect(fake.seen).toHaveLength(1);
    const retried = await fails(n8n.retry(failed, edited(id, '7', order.id)));
    expect(messageOf(retried)).toContain('already written; start a new execution');
    expect(fake.seen).toHaveLength(1);
  });

  test('refuses by its key an item edited after its response was lost', async () => {
    const { id } = await spool();
    fake.answerWith(losing('cut', () => true));
    const failed = await fails(n8n.run(consume(id, 5)));
    fake.answerWith(passed);
    expect(messageOf(await fails(n8n.retry(failed, consume(id, 6))))).toContain('already written');
    expect(await ledgerOf(id)).toEqual({ deductions: 1, grams: 5, left: 995 });
  });

  test('allows an expression to differ between the tries of one execution', async () => {
    fake.answerWith((seen, nth) => (nth === 2 ? problem(500, 'internal_error') : passed(seen)));
    const orders = await Promise.all([1, 2].map(() => rig.farm.order()));
    const output = await n8n.give(
      parametersOf('order update', {
        orderId: locatorFromItem('id'),
        updateFields: { orderNotes: '={{ String(Math.random()) }}' },
      }),
      { items: orders.map(({ id }) => ({ id })), node: RETRY },
    );
    expect(jsonOf(output).map(({ id }) => id)).toEqual(orders.map(({ id }) => id));
    expect(fake.seen).toHaveLength(3);
  });

  test('stores nothing with a successful execution', async () => {
    fake.answerWith(passed);
    const { id } = await spool();
    const run = await n8n.run(consume(id, 1), { items: [{}, {}, {}] });
    expect(JSON.stringify(run.data.executionData?.contextData)).not.toContain(id);
  });
});

describe('with Continue On Fail', () => {
  const CONTINUE: Partial<INode> = { onError: 'continueRegularOutput' };

  /** Loses the first four responses to the nth key: as many as the node's own tries. */
  function losingTheTries(ofKey: number) {
    const keys: unknown[] = [];
    let lost = 0;
    return losing('cut', (_nth, { headers }) => {
      const key = headers['idempotency-key'];
      if (!keys.includes(key)) keys.push(key);
      return key === keys[ofKey - 1] && ++lost <= 4;
    });
  }

  test('reports as many successes of equal items as there are deductions', async () => {
    const { id } = await spool();
    fake.answerWith(losingTheTries(2));
    const output = await n8n.give(consume(id, 1), { items: [{}, {}, {}, {}], node: CONTINUE });
    expect(jsonOf(output).map(({ error }) => error !== undefined)).toEqual([false, true, false, false]);
    expect(sourcesOf(output)).toEqual([0, 1, 2, 3]);
    expect(await ledgerOf(id)).toEqual({ deductions: 3, grams: 3, left: 997 });
  });

  test('deducts once per equal item if the first fails and Retry On Fail repeats', async () => {
    const { id } = await spool();
    fake.answerWith(losingTheTries(1));
    const output = await n8n.give(consume(id, 1), { items: [{}, {}, {}], node: { ...CONTINUE, ...RETRY } });
    expect(jsonOf(output).map(({ error }) => error)).toEqual([undefined, undefined, undefined]);
    expect(sourcesOf(output)).toEqual([0, 1, 2]);
    expect(await ledgerOf(id)).toEqual({ deductions: 3, grams: 3, left: 997 });
  });

  test('says that a write may have been carried out if all its responses are lost', async () => {
    const { id } = await spool();
    fake.answerWith(losingTheTries(1));
    const output = await n8n.give(consume(id, fromItem('grams')), {
      items: [{ grams: 1 }, { grams: 2 }, { grams: 3 }],
      node: CONTINUE,
    });
    expect(jsonOf(output).map(({ error }) => error !== undefined)).toEqual([true, false, false]);
    expect(JSON.stringify(output[0]?.json)).toContain('may still have been made');
    expect((await ledgerOf(id)).deductions).toBe(3);
  });

  test('doesn’t say so of an item that the service refused', async () => {
    const { id } = await spool();
    fake.answerWith(passed);
    const output = await n8n.give(consume(id, 5000), { items: [{}], node: CONTINUE });
    expect(output[0]?.json.error).toBeDefined();
    expect(JSON.stringify(output[0]?.json)).not.toContain('may still have been made');
  });
});

describe('retries', () => {
  const GET = parametersOf('order get', { orderId: ID });
  const BUSY: [string, IDataObject][] = [
    ['order get', { orderId: ID }],
    ['filament consume', { filamentId: ID, grams: 1 }],
    ['order setStatus', { orderId: ID, workflowStatus: 'done' }],
    ['order setStatus', { orderId: ID, workflowStatus: 'done', options: { ifMatch: '"1"' } }],
    ['order delete', { orderId: ID }],
  ];
  const rateLimited = (retryAfter?: string) =>
    problem(429, 'rate_limited', {}, retryAfter === undefined ? {} : { 'Retry-After': retryAfter });
  const unavailable = (retryAfter?: string) =>
    problem(503, 'unavailable', {}, retryAfter === undefined ? {} : { 'Retry-After': retryAfter });

  test.each(BUSY)('%s %p: wait as requested', async (operation, parameters) => {
    for (const busy of [rateLimited('3'), unavailable('2')]) {
      fake.answerWith((seen, nth) => (nth <= 2 ? busy : OK(seen)));
      await n8n.give(parametersOf(operation, parameters));
      expect(fake.seen).toHaveLength(3);
    }
    expect(pauses).toEqual([3000, 3000, 2000, 2000]);
  });

  test.each([
    ['0', 0],
    ['1.5', 1500],
    ['-5', 0],
    [' 2 ', 2000],
    [new Date(0).toUTCString(), 0],
    ['soon', 300],
    ['', 300],
    [undefined, 300],
  ])('wait for Retry-After %p during %p ms', async (retryAfter, pause) => {
    fake.answerWith((seen, nth) => (nth === 1 ? rateLimited(retryAfter) : OK(seen)));
    await n8n.give(GET);
    expect(pauses).toEqual([pause]);
  });

  test('wait until the date in Retry-After', async () => {
    const now = Date.parse('2026-11-21T12:00:00Z');
    const clock = jest.spyOn(Date, 'now').mockReturnValue(now);
    fake.answerWith((seen, nth) => (nth === 1 ? rateLimited(new Date(now + 6000).toUTCString()) : OK(seen)));
    await n8n.give(GET).finally(() => clock.mockRestore());
    expect(pauses).toEqual([6000]);
  });

  test('wait repeatedly after 429 for up to a minute', async () => {
    fake.answerWith((seen, nth) => (nth <= 6 ? rateLimited('60') : OK(seen)));
    await n8n.give(GET);
    expect(pauses).toEqual(Array(6).fill(60_000));
  });

  test('end after ten pauses for 429', async () => {
    fake.answerWith(() => rateLimited('60'));
    expect((await n8n.refusal(GET)).description).toContain('in 60 seconds');
    expect(pauses).toHaveLength(10);
  });

  test.each([
    ['61', /in 61 seconds/],
    ['86400', /in 86400 seconds/],
    ['a date', /in 3[56]\d\d seconds/],
  ])('aren’t made after a longer pause (%s), whose length is stated', async (given, words) => {
    const retryAfter = given === 'a date' ? new Date(Date.now() + 3_600_000).toUTCString() : given;
    for (const answer of [rateLimited(retryAfter), unavailable(retryAfter)]) {
      fake.answerWith(() => answer);
      expect((await n8n.refusal(GET)).description).toMatch(words);
      expect(fake.seen).toHaveLength(1);
    }
    expect(pauses).toEqual([]);
  });

  test('count pauses after 503 towards the deadline of 15 seconds', async () => {
    // the time that the requests take would count, too
    const clock = jest.spyOn(Date, 'now').mockReturnValue(Date.now());
    fake.answerWith(() => unavailable('6'));
    const error = await n8n.refusal(GET).finally(() => clock.mockRestore());
    expect(error.description).toContain('in 6 seconds');
    expect(pauses).toEqual([6000, 6000]);
    expect(fake.seen).toHaveLength(3);
  });

  test.each([
    'cut',
    'half',
    { status: 502, body: HTML },
    { status: 504, body: HTML },
    rateLimited(),
    unavailable(),
  ] as Answer[])('end after four attempts for %p', async (answer) => {
    fake.answerWith(() => answer);
    for (const [operation, parameters] of BUSY.filter(([, { options }]) => options === undefined)) {
      fake.seen.length = 0;
      await n8n.refusal(parametersOf(operation, parameters));
      expect(fake.seen).toHaveLength(4);
    }
    expect(pauses.reduce((sum, pause) => sum + pause, 0)).toBeLessThanOrEqual(10_000 * 4);
  });

  test('increase pauses without Retry-After', async () => {
    fake.answerWith(() => 'cut');
    await n8n.refusal(GET);
    expect(pauses).toEqual([300, 600, 1200]);
  });

  test.each([400, 401, 403, 404, 405, 409, 412, 413, 415, 422, 500, 501])('aren’t made after %i', async (status) => {
    fake.answerWith(() => ({ status, body: HTML }));
    await n8n.refusal(GET);
    await n8n.refusal(consume(ID));
    expect(fake.seen).toHaveLength(2);
    expect(pauses).toEqual([]);
  });

  describe('a write for one version', () => {
    const ifMatch = { options: { ifMatch: '"1"' } };
    const MEANT: [string, IDataObject][] = [
      ['order setStatus', { orderId: ID, workflowStatus: 'done', ...ifMatch }],
      ['order update', { orderId: ID, updateFields: { orderNotes: 'x' }, ...ifMatch }],
      ['order delete', { orderId: ID, ...ifMatch }],
    ];

    test.each(MEANT)(
      '%s isn’t retried after a lost response, as the version would be gone',
      async (operation, parameters) => {
        for (const [, loss] of losses) {
          fake.answerWith(() => loss);
          const error = await n8n.refusal(parametersOf(operation, parameters));
          expect(fake.seen).toHaveLength(1);
          expect(error.context.outcomeUnknown).toBe(true);
          expect(error.description).toContain('may still have been made');
        }
      },
    );

    test('isn’t refused when Retry On Fail repeats it because of another item', async () => {
      const orders = await Promise.all([1, 2].map(() => rig.farm.order()));
      const etags = await Promise.all(
        orders.map(async ({ id }) => (await rig.farm.client.get(`/print-jobs/${id}`)).headers.get('etag')),
      );
      fake.answerWith((seen, nth) => (nth === 2 ? unavailable('3600') : passed(seen)));
      const output = await n8n.give(
        parametersOf('order setStatus', {
          orderId: locatorFromItem('id'),
          workflowStatus: 'done',
          options: { ifMatch: fromItem('etag') },
        }),
        { items: orders.map(({ id }, index) => ({ id, etag: etags[index] as string })), node: RETRY },
      );
      expect(jsonOf(output).map(({ id, workflow_status }) => [id, workflow_status])).toEqual(
        orders.map(({ id }) => [id, 'done']),
      );
    });
  });

  test('report a refusal after a lost response as not carried out, as the key would have been recognized', async () => {
    const { id } = await spool();
    fake.answerWith(losing('cut', (nth) => nth === 1));
    const error = await n8n.refusal(consume(id, 5000));
    expect(error.context).toMatchObject({ code: 'insufficient_stock', outcomeUnknown: false });
    expect(error.description).not.toContain('may still have been made');
    expect((await ledgerOf(id)).deductions).toBe(0);
  });

  test.each([rateLimited('3600'), unavailable('3600'), problem(401, 'unauthorized')])(
    'report a write as possibly carried out if a lost response is followed by %p',
    async (answer) => {
      const { id } = await spool();
      fake.answerWith(async (seen, nth) => {
        if (nth > 1) return answer;
        await passed(seen);
        return 'cut';
      });
      const error = await n8n.refusal(consume(id));
      expect(error.context.outcomeUnknown).toBe(true);
      expect(error.description).toContain('may still have been made');
      expect((await ledgerOf(id)).deductions).toBe(1);
    },
  );

  describe('a deletion whose response was lost', () => {
    test.each(losses)('%s: succeeds if the record is not found afterwards', async (_what, loss) => {
      const { id } = await rig.farm.order();
      fake.answerWith(losing(loss, (nth) => nth === 1));
      expect(jsonOf(await n8n.give(parametersOf('order delete', { orderId: id })))).toEqual([{ deleted: true }]);
      expect(fake.seen).toHaveLength(2);
    });

    test('succeeds for each of several items if not found in a later try of Retry On Fail', async () => {
      const orders = await Promise.all([1, 2, 3].map(() => rig.farm.order()));
      // the second of three deletions loses more responses than the node's attempts, so n8n restarts with the first
      const doomed = orders[1]?.id as string;
      let lost = 0;
      fake.answerWith(losing('cut', (_nth, { path }) => path.includes(doomed) && ++lost <= 4));
      const output = await n8n.give(parametersOf('order delete', { orderId: locatorFromItem('id') }), {
        items: orders.map(({ id }) => ({ id })),
        node: RETRY,
      });
      expect(jsonOf(output)).toEqual(Array(3).fill({ deleted: true }));
      for (const { id } of orders) expect((await rig.farm.client.get(`/print-jobs/${id}`)).status).toBe(404);
    });

    test('fails if the record is not found at once', async () => {
      fake.answerWith(() => problem(404, 'not_found'));
      expect((await n8n.refusal(parametersOf('order delete', { orderId: ID }))).context.code).toBe('not_found');
    });

    test('fails if the record is not found after a try that was turned away, as it deleted nothing', async () => {
      fake.answerWith((_seen, nth) => (nth === 1 ? rateLimited('0') : problem(404, 'not_found')));
      expect((await n8n.refusal(parametersOf('order delete', { orderId: ID }))).context.code).toBe('not_found');
    });

    test('isn’t proven by a 404 of another program', async () => {
      for (const answer of [
        { status: 404, body: HTML },
        { status: 404, body: { message: 'no such route' } },
      ]) {
        fake.answerWith((_seen, nth) => (nth === 1 ? 'cut' : answer));
        const error = await n8n.refusal(parametersOf('order delete', { orderId: ID }));
        expect(error.description).toContain('may still have been made');
      }
    });

    test('is the only operation for which not found is a success', async () => {
      fake.answerWith((_seen, nth) => (nth === 1 ? 'cut' : problem(404, 'not_found')));
      const error = await n8n.refusal(parametersOf('order setStatus', { orderId: ID, workflowStatus: 'done' }));
      expect(error.context.code).toBe('not_found');
    });
  });

  describe('the transport alone', () => {
    type Send = (context: unknown, request: IDataObject) => Promise<unknown>;
    const { farmboardRequest } = built<{ farmboardRequest: Send }>('nodes/Farmboard/shared/transport');
    const context = () => n8n.execution(consume(ID), { executionId: 'transport' });
    const post = { method: 'POST', path: '/x', body: { a: 1 } };

    test('doesn’t retry a POST without a key after a lost response', async () => {
      for (const [, loss] of losses) {
        fake.answerWith(() => loss);
        await expect(farmboardRequest(context(), post)).rejects.toMatchObject({ context: { outcomeUnknown: true } });
        expect(fake.seen).toHaveLength(1);
      }
    });

    test('retries a POST without a key that was turned away', async () => {
      for (const answer of [rateLimited('0'), unavailable('0')]) {
        fake.answerWith((seen, nth) => (nth === 1 ? answer : OK(seen)));
        await farmboardRequest(context(), post);
        expect(fake.seen).toHaveLength(2);
      }
    });

    test('respects the maximum number of attempts', async () => {
      fake.answerWith(() => 'cut');
      await expect(farmboardRequest(context(), { method: 'GET', path: '/x', maxAttempts: 1 })).rejects.toThrow();
      expect(fake.seen).toHaveLength(1);
    });

    /** How the node calls n8n; `onSend` is called before each request. */
    function watched(onSend: () => void = () => undefined) {
      const one = context();
      const options: IDataObject[] = [];
      const send = one.helpers.httpRequestWithAuthentication;
      one.helpers.httpRequestWithAuthentication = async function (this: never, type, request) {
        options.push(request as never);
        onSend();
        return await send.call(this, type, request);
      };
      return { one, options };
    }

    test.each(['hang', 'drip'] as const)('fails at the deadline if the server never answers (%s)', async (answer) => {
      fake.answerWith(() => answer);
      const { one, options } = watched();
      const request = { method: 'GET', path: '/x', deadlineMs: 500 };
      await expect(farmboardRequest(one, request)).rejects.toThrow('did not answer in time');
      expect(options.map(({ timeout }) => timeout)).toEqual([500]);
    });

    test('shares one deadline of 15 seconds over all attempts', async () => {
      let now = Date.now();
      const clock = jest.spyOn(Date, 'now').mockImplementation(() => now);
      fake.answerWith(() => 'cut');
      // each request takes six seconds
      const { one, options } = watched(() => {
        now += 6000;
      });
      await expect(farmboardRequest(one, { method: 'GET', path: '/x' })).rejects.toThrow('cannot be reached');
      clock.mockRestore();
      expect(options.map(({ timeout }) => timeout)).toEqual([15_000, 8700, 2100]);
    });

    test('excludes pauses after 429 from the deadline', async () => {
      fake.answerWith((seen, nth) => (nth <= 3 ? rateLimited('60') : OK(seen)));
      const { one, options } = watched();
      await farmboardRequest(one, { method: 'GET', path: '/x' });
      expect(options).toHaveLength(4);
      for (const { timeout } of options) expect(timeout).toBeGreaterThan(10_000);
    });

    test('ends a pause when the execution is cancelled', async () => {
      const { pause } = built<{ pause(context: unknown, ms: number): Promise<void> }>('nodes/Farmboard/shared/pause');
      const stop = new AbortController();
      stop.abort();
      const one = { getExecutionCancelSignal: () => stop.signal };
      await expect(pause(one, 60_000)).rejects.toThrow('stopped');
    });

    test('doesn’t retry a stopped execution', async () => {
      const one = context();
      let calls = 0;
      one.helpers.httpRequestWithAuthentication = async () => {
        calls += 1;
        throw Object.assign(new Error('canceled'), { code: 'ERR_CANCELED' });
      };
      await expect(farmboardRequest(one, { method: 'GET', path: '/x' })).rejects.toThrow('stopped');
      expect(calls).toBe(1);
    });

    test('follows no redirect, which would receive the token', async () => {
      const elsewhere = await startFakeServer(OK);
      for (const status of [301, 302, 307, 308]) {
        fake.answerWith(() => ({ status, headers: { Location: `${elsewhere.baseUrl}/x` } }));
        await expect(farmboardRequest(context(), { method: 'GET', path: '/x' })).rejects.toThrow('another address');
      }
      expect(elsewhere.seen).toEqual([]);
      await elsewhere.stop();
    });
  });
});
