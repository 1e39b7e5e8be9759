import fc from 'fast-check';
import { CODE_POINT } from '../kit/code-point.ts';
import {
  about,
  expectProblem,
  type Farm,
  type Listed,
  names,
  type Order,
  STATUS_NAMES,
  STATUSES,
  startFarm,
} from '../kit/farm.ts';
import { forSuite } from '../kit/opened.ts';

interface HistoryEntry {
  kind: string;
  from_status: string | null;
  to_status: string | null;
  received: string | null;
}

const farm = forSuite(startFarm);
let subscription: Awaited<ReturnType<Farm['subscription']>>;

beforeAll(async () => {
  subscription = await farm.subscription();
});

const historyOf = async (id: string) =>
  (await farm.client.get<Listed<HistoryEntry>>(`/print-jobs/${id}/history`)).body.items;

const statusesSent = (id: string) =>
  about(subscription.received, id)
    .filter(({ body }) => body.event === 'order.status_changed')
    .map(({ body }) => body.data.workflow_status);

/** Events of one order arrive in commit order, so when the last one has arrived, none is missing. */
const sentSoFar = async (id: string, count: number) => {
  await subscription.until(() => statusesSent(id).length >= count);
  return statusesSent(id);
};

describe('workflow_status values', () => {
  test.each(STATUSES)('%s (%s) can be set from any status and sends order.status_changed', async (to) => {
    const orders = await Promise.all(STATUS_NAMES.map((from) => farm.order({ workflow_status: from })));
    for (const order of orders) {
      const answer = await farm.setStatus(order.id, to);
      expect(answer.body).toEqual({ ...order, workflow_status: to, updated_at: answer.body.updated_at });
      expect(answer.headers.has('x-svc-status-reset')).toBe(false);
      expect((await farm.readOrder(order.id)).workflow_status).toBe(to);
    }
    // setting the same status again sends nothing, so the marker follows exactly one change
    const marker = to === 'done' ? 'closed' : 'done';
    for (const order of orders) {
      await farm.setStatus(order.id, to);
      await farm.setStatus(order.id, marker);
      const expected = order.workflow_status === to ? [marker] : [to, marker];
      expect(await sentSoFar(order.id, expected.length)).toEqual(expected);
      const changes = (await historyOf(order.id)).filter(({ kind }) => kind === 'status_changed').reverse();
      expect(changes.map((change) => change.to_status)).toEqual(expected);
      expect(changes.map((change) => change.from_status)).toEqual([order.workflow_status, to].slice(-expected.length));
    }
  });

  test('are exactly the ten documented ones, including packing (v10.0)', () => {
    const { Order: record } = farm.client.document.components.schemas as Record<
      string,
      { properties: { workflow_status: { enum: string[] } } }
    >;
    expect(record?.properties.workflow_status.enum).toEqual(STATUS_NAMES);
    expect(STATUS_NAMES).toContain('packing');
  });

  test('include closed, which hides an order from the main list unless asked for', async () => {
    const order = await farm.order({ workflow_status: 'closed' });
    const ids = async (query: string) =>
      (await farm.client.get<Listed<Order>>(`/print-jobs?per_page=200${query}`)).body.items.map(({ id }) => id);
    expect(await ids('')).not.toContain(order.id);
    expect(await ids('&include_closed=false')).not.toContain(order.id);
    expect(await ids('&include_closed=true')).toContain(order.id);
    expect(await ids('&workflow_status=closed')).toContain(order.id);
    expect(await ids('&workflow_status=closed&workflow_status=done')).toContain(order.id);
    expect(await ids('&workflow_status=done')).not.toContain(order.id);
    expect((await farm.readOrder(order.id)).workflow_status).toBe('closed');
    await farm.setStatus(order.id, 'confirmed');
    expect(await ids('')).toContain(order.id);
  });

  test('can be chosen at creation, where negotiation is the default and an unlisted one is refused', async () => {
    expect((await farm.order()).workflow_status).toBe('negotiation');
    for (const status of STATUS_NAMES)
      expect((await farm.order({ workflow_status: status })).workflow_status).toBe(status);
    expectProblem(await farm.createOrder({ workflow_status: 'Printing' }), 422, 'validation_error');
  });
});

describe('an unlisted workflow_status (a typo, an outdated name)', () => {
  const unlisted: [string, unknown][] = [
    ['another case', 'Printing'],
    ['upper case', 'DONE'],
    ['a space before', ' done'],
    ['a space after', 'done '],
    ['a line end', 'done\n'],
    ['an outdated name', 'in_progress'],
    ['a display name', 'В работе'],
    ['a typo', 'pritning'],
    ['a hyphen', 'print-error'],
    ['two values', 'done,closed'],
    ['empty', ''],
    ['NUL', 'done\0'],
    ['only NUL', '\0'],
    ['a lone high surrogate', '\ud800'],
    ['a lone low surrogate', 'done\udfff'],
    ['an emoji', '🖨️'],
    ['40 emoji', '🖨'.repeat(40)],
    ['Cyrillic, cut within a character', 'печать'.repeat(20)],
    ['a header in it', 'done\r\nX-Evil: 1'],
    ['10 kB', 'x'.repeat(10_000)],
    ['10 kB of Unicode', 'ж'.repeat(5_000)],
    ['a name of Object.prototype', 'constructor'],
    ['__proto__', '__proto__'],
    ['null', null],
    ['0', 0],
    ['a number', 3],
    ['a fraction', -1.5],
    ['1e308', 1e308],
    ['true', true],
    ['false', false],
    ['an empty array', []],
    ['an array of a listed value', ['done']],
    ['an empty object', {}],
    ['an object', { value: 'done', toString: 'done' }],
  ];

  async function expectReset(value: unknown) {
    const order = await farm.order({ workflow_status: 'printing' });
    const answer = await farm.setStatus(order.id, value);
    const words = typeof value === 'string' && value !== '' ? value : JSON.stringify(value);
    const kept = words.slice(0, 200).toWellFormed().replaceAll('\0', '\u2400');

    expect(answer.body).toEqual({
      ...order,
      workflow_status: 'negotiation',
      status_reset_received: kept,
      updated_at: answer.body.updated_at,
    });
    expect(await farm.readOrder(order.id)).toEqual(answer.body);

    const header = answer.headers.get('x-svc-status-reset') as string;
    const encoded = encodeURIComponent(words.toWellFormed());
    expect(encoded.startsWith(header)).toBe(true);
    expect(header.length).toBeLessThanOrEqual(64);
    if (encoded.length <= 64) expect(header).toBe(encoded);
    // clients decode the header, so a character must not be cut in half
    expect(words.toWellFormed().startsWith(decodeURIComponent(header))).toBe(true);
    expect(answer.headers.has('x-evil')).toBe(false);

    expect((await historyOf(order.id))[0]).toMatchObject({
      kind: 'status_reset',
      from_status: 'printing',
      to_status: 'negotiation',
      received: kept,
    });
    expect(await sentSoFar(order.id, 1)).toEqual(['negotiation']);
    return order;
  }

  test.each(unlisted)('silently resets the order: %s', async (_name, value) => {
    const order = await expectReset(value);
    const { body } = await farm.setStatus(order.id, 'confirmed');
    expect(body).toMatchObject({ workflow_status: 'confirmed', status_reset_received: null });
  });

  const seed = Date.now() % 1_000_000;
  test(`silently resets the order for 25 random JSON values (seed ${seed})`, async () => {
    const values = fc.sample(fc.oneof(fc.jsonValue({ maxDepth: 3 }), fc.string({ unit: CODE_POINT, maxLength: 80 })), {
      numRuns: 25,
      seed,
    });
    for (const value of values) {
      if (!(STATUS_NAMES as unknown[]).includes(value)) await expectReset(value);
    }
  });

  test('records the reset of an order in negotiation and sends no event, as the status did not change', async () => {
    const order = await farm.order();
    const { headers } = await farm.setStatus(order.id, 'typo');
    expect(headers.get('x-svc-status-reset')).toBe('typo');
    expect((await historyOf(order.id))[0]).toMatchObject({ kind: 'status_reset', received: 'typo' });
    await farm.setStatus(order.id, 'done');
    expect(await sentSoFar(order.id, 1)).toEqual(['done']);
  });

  test('doesn’t prevent every other field from being written', async () => {
    const order = await farm.order({ workflow_status: 'printing' });
    const { body } = await farm.client.put<Order>(`/print-jobs/${order.id}`, { workflow_status: 1, order_notes: 'n' });
    expect(body).toMatchObject({ workflow_status: 'negotiation', order_notes: 'n', status_reset_received: '1' });
  });

  test('is refused with 422 unknown_workflow_status and the list for Prefer: handling=strict', async () => {
    const order = await farm.order({ workflow_status: 'printing' });
    const history = await historyOf(order.id);
    for (const prefer of ['handling=strict', 'respond-async, handling=strict', 'Handling="strict"; x=1']) {
      for (const value of ['Printing', null, ['done'], 7, '']) {
        const answer = await farm.client.put(
          `/print-jobs/${order.id}`,
          { workflow_status: value, order_notes: 'must not be written' },
          { headers: { Prefer: prefer } },
        );
        const problem = expectProblem(answer, 422, 'unknown_workflow_status');
        expect(problem.allowed).toEqual(STATUS_NAMES);
        expect(problem.errors?.[0]?.pointer).toBe('/workflow_status');
        expect(answer.headers.has('x-svc-status-reset')).toBe(false);
      }
    }
    expect(await farm.readOrder(order.id)).toEqual(order);
    expect(await historyOf(order.id)).toEqual(history);
    const listed = { workflow_status: 'done' };
    const { status, headers } = await farm.client.put(`/print-jobs/${order.id}`, listed, {
      headers: { Prefer: 'handling=strict' },
    });
    expect([status, headers.get('preference-applied')]).toEqual([200, 'handling=strict']);
    expect(await sentSoFar(order.id, 1)).toEqual(['done']);
  });

  test('resets the order for Prefer: handling=lenient', async () => {
    const { id } = await farm.order({ workflow_status: 'printing' });
    const headers = { Prefer: 'handling=lenient' };
    const { status } = await farm.client.put(`/print-jobs/${id}`, { workflow_status: 'typo' }, { headers });
    expect([status, (await farm.readOrder(id)).workflow_status]).toEqual([200, 'negotiation']);
  });
});

describe('the reference client flow', () => {
  test.each([
    ['print finished', 'done'],
    ['print failed', 'print_error'],
    ['print cancelled', 'cancelled'],
  ])(
    'reads an order, sets assigned and printing and, once the %s, sets %s, each visible in its column',
    async (_why, end) => {
      const { id } = await farm.order({ workflow_status: 'confirmed', material_name: 'PETG', color_hex: '#1A1A1A' });
      expect(await farm.readOrder(id)).toMatchObject({ material_name: 'PETG', color_hex: '#1A1A1A' });
      for (const status of ['assigned', 'printing', end]) {
        expect((await farm.setStatus(id, status)).body.workflow_status).toBe(status);
        const column = await farm.client.get<Listed<Order>>(`/print-jobs?workflow_status=${status}&per_page=200`);
        expect(column.body.items.map((order) => order.id)).toContain(id);
      }
      expect(await sentSoFar(id, 3)).toEqual(['assigned', 'printing', end]);
      expect(names(about(subscription.received, id))).toEqual([
        'order.created',
        ...Array(3).fill('order.status_changed'),
      ]);
    },
  );
});
