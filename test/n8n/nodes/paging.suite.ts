import type { IDataObject } from 'n8n-workflow';
import { pageOf, type Seen, startFakeServer } from '../../kit/n8n/fake-server.ts';
import { createHarness } from '../../kit/n8n/harness.ts';
import { jsonOf, locatorFromItem, parametersOf } from '../../kit/n8n/rig.ts';
import { forSuite } from '../../kit/opened.ts';

const ID = '0198c2f4-5d3b-7cc2-a3f1-9b2d6a1e4c70';

/** Every operation that returns a list. */
const LISTS: [string, IDataObject][] = [
  ['order getAll', {}],
  ['order getHistory', { orderId: ID }],
  ['printer getAll', {}],
  ['filament getAll', {}],
  ['webhook getAll', {}],
];

const fake = forSuite(startFakeServer);
const n8n = forSuite(() => createHarness({ baseUrl: fake.baseUrl, accessToken: 'pat_x' }));

const numbered = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, n) => ({ id: `r${from + n}` }));

/** A list at the fake server; `between` may change it before the nth page is answered. */
function serve(records: { id: string }[], between: (nth: number, seen: Seen) => void = () => undefined): void {
  fake.answerWith((seen, nth) => {
    between(nth, seen);
    return pageOf(records, seen);
  });
}

const list = async (parameters: IDataObject, operation = 'order getAll'): Promise<unknown[]> =>
  jsonOf(await n8n.give(parametersOf(operation, { output: 'raw', ...parameters }))).map(({ id }) => id);

const pagesAsked = () => fake.seen.map(({ query }) => [Number(query.get('page')), Number(query.get('per_page'))]);

const ids = (records: { id: string }[]) => records.map(({ id }) => id);

describe('Limit', () => {
  test.each([
    [1, 500, 1],
    [50, 500, 1],
    [200, 500, 1],
    [201, 500, 2],
    [400, 400, 2],
    [450, 1000, 3],
    [50, 30, 1],
    [200, 200, 1],
    [50, 0, 1],
  ])('returns %p of %p records, in %p pages', async (limit, there, pages) => {
    const records = numbered(1, there);
    serve(records);
    expect(await list({ limit })).toEqual(ids(records.slice(0, limit)));
    expect(pagesAsked()).toEqual(Array.from({ length: pages }, (_, n) => [n + 1, Math.min(limit, 200)]));
  });

  test('is 50 by default', async () => {
    serve(numbered(1, 120));
    expect(await list({})).toHaveLength(50);
  });

  test('accepts a whole number as text', async () => {
    serve(numbered(1, 120));
    expect(await list({ limit: '={{ "7" }}' })).toHaveLength(7);
    expect(await list({ limit: '={{ 0.1 * 3 * 10 }}' })).toHaveLength(3);
  });

  test.each([0, -1, 1.5, Number.NaN, 'many', '', null, undefined])(
    'names the field for %p and sends nothing',
    async (limit) => {
      serve(numbered(1, 10));
      const error = await n8n.refusal(
        { resource: 'order', operation: 'getAll', limit: '={{ $json.limit }}' },
        { items: [{ limit } as IDataObject] },
      );
      expect(error.message).toMatch(/^Limit: /);
      expect(error.description).toContain('turn on Return All');
      expect(fake.seen).toEqual([]);
    },
  );

  test.each(LISTS)('is sent to the service by %s', async (operation, parameters) => {
    serve(numbered(1, 500));
    expect(await list({ ...parameters, limit: 3 }, operation)).toEqual(['r1', 'r2', 'r3']);
    expect(pagesAsked()).toEqual([[1, 3]]);
  });
});

describe('Return All', () => {
  test.each([
    [0, 1],
    [1, 1],
    [199, 1],
    [200, 1],
    [201, 2],
    [400, 2],
    [450, 3],
    [600, 3],
  ])('reads %p records in %p pages', async (there, pages) => {
    const records = numbered(1, there);
    serve(records);
    expect(await list({ returnAll: true })).toEqual(ids(records));
    expect(pagesAsked()).toEqual(Array.from({ length: pages }, (_, n) => [n + 1, 200]));
  });

  test.each(LISTS)('%s reads all pages', async (operation, parameters) => {
    const records = numbered(1, 450);
    serve(records);
    expect(await list({ ...parameters, returnAll: true }, operation)).toEqual(ids(records));
    expect(pagesAsked()).toHaveLength(3);
  });

  test('sends the same filters on every page', async () => {
    serve(numbered(1, 450));
    await list({ returnAll: true, filters: { q: 'bracket' }, options: { sort: 'due_date' } });
    expect(fake.seen.map(({ query }) => [query.get('q'), query.get('sort')])).toEqual(
      Array(3).fill(['bracket', 'due_date']),
    );
  });

  test('returns all records of each item', async () => {
    serve(numbered(1, 250));
    const output = await n8n.give(
      { resource: 'order', operation: 'getHistory', orderId: locatorFromItem('id'), returnAll: true },
      { items: [{ id: ID }, { id: ID }] },
    );
    expect(output.map(({ pairedItem }) => (pairedItem as { item: number }).item)).toEqual([
      ...Array(250).fill(0),
      ...Array(250).fill(1),
    ]);
  });
});

describe('a list that changes while it is read', () => {
  test('returns no duplicates and misses nothing when records are added', async () => {
    const records = numbered(1, 450);
    const old = ids(records);
    serve(records, (nth) => {
      if (nth > 1) records.unshift({ id: `new${nth}a` }, { id: `new${nth}b` });
    });
    const given = await list({ returnAll: true });
    expect(new Set(given).size).toBe(given.length);
    expect(given).toEqual(expect.arrayContaining(old));
    expect(given.filter((id) => old.includes(id as string))).toEqual(old);
  });

  test('continues after a page of repeated records', async () => {
    const records = numbered(1, 450);
    const old = ids(records);
    serve(records, (nth) => {
      if (nth === 2) records.unshift(...numbered(1001, 1199));
    });
    expect(await list({ returnAll: true })).toEqual(expect.arrayContaining(old));
  });

  test('continues after more insertions than a page has records', async () => {
    const records = numbered(1, 450);
    const old = ids(records);
    serve(records, (nth) => {
      if (nth === 2) records.unshift(...numbered(1001, 1250));
    });
    expect(await list({ returnAll: true })).toEqual(expect.arrayContaining(old));
  });

  test('rereads the list when records are removed', async () => {
    const records = numbered(1, 450);
    serve(records, (nth) => {
      if (nth === 2) records.splice(10, 5);
    });
    const given = await list({ returnAll: true });
    expect(given).toEqual(ids(records));
    expect(pagesAsked().filter(([page]) => page === 1)).toHaveLength(2);
  });

  test('rereads the list when records are removed before the last page', async () => {
    const records = numbered(1, 450);
    serve(records, (nth) => {
      if (nth === 3) records.splice(0, 1);
    });
    expect(await list({ returnAll: true })).toEqual(ids(records));
  });

  test('rereads the list within a Limit over several pages', async () => {
    const records = numbered(1, 1000);
    serve(records, (nth) => {
      if (nth === 2) records.splice(0, 3);
    });
    expect(await list({ limit: 300 })).toEqual(ids(records.slice(0, 300)));
  });

  test('ends for a list that keeps changing', async () => {
    const records = numbered(1, 3000);
    serve(records, () => {
      records.splice(0, 3);
    });
    const given = await list({ returnAll: true });
    expect(new Set(given).size).toBe(given.length);
    expect(fake.seen.length).toBeLessThanOrEqual(3 * 15);
  });
});

describe('a server that miscounts', () => {
  test('ends at a partial page if total is too high', async () => {
    const records = numbered(1, 250);
    fake.answerWith((seen) => pageOf(records, seen, 1_000_000));
    expect(await list({ returnAll: true })).toEqual(ids(records));
    expect(pagesAsked()).toHaveLength(2);
  });

  test('ends at an empty page if total is too high', async () => {
    const records = numbered(1, 400);
    fake.answerWith((seen) => pageOf(records, seen, 1_000_000));
    expect(await list({ returnAll: true })).toEqual(ids(records));
    expect(pagesAsked()).toHaveLength(3);
  });

  test('ends without a total', async () => {
    const records = numbered(1, 450);
    fake.answerWith((seen) => pageOf(records, seen, 0));
    expect((await list({ returnAll: true })).length).toBeGreaterThanOrEqual(200);
    expect(fake.seen.length).toBeLessThanOrEqual(9);
  });

  test('ends if a page repeats', async () => {
    const page = numbered(1, 200);
    // stops the test if the node doesn't stop
    fake.answerWith((_seen, nth) => ({
      body: { items: nth > 100 ? [] : page, total: 1_000_000, page: 1, per_page: 200 },
    }));
    expect(await list({ returnAll: true })).toEqual(ids(page));
    expect(fake.seen.length).toBeLessThan(10);
  });

  test.each([
    ['no list at all', { hello: 'world' }],
    ['a list that is none', { items: 'all of them', total: 3 }],
  ])('%s isn’t treated as an empty page', async (_what, body) => {
    fake.answerWith(() => ({ body }));
    const error = await n8n.refusal({ resource: 'order', operation: 'getAll' });
    expect(error.message).toContain('There is no Farmboard at');
    expect(error.description).toContain('Base URL');
  });
});
