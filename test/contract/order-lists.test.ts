import { expectProblem, type Listed, type Order, type Printer, range, startFarm, UNKNOWN_ID } from '../kit/farm.ts';
import { forSuite } from '../kit/opened.ts';

const farm = forSuite(startFarm);
let printers: Printer[];
/** The orders of these tests by model name; the sample orders have other names. */
const made: Record<string, Order> = {};

const DATA: Record<string, unknown>[] = [
  { model_name: 'Кронштейн СТЕНА', workflow_status: 'confirmed', due_date: '2040-01-01' },
  { model_name: '100% infill', workflow_status: 'confirmed', due_date: '2040-01-02' },
  { model_name: 'plain 100 infill', workflow_status: 'packing', due_date: '2040-01-03' },
  { model_name: 'snake_case part', order_notes: 'Zierkappe GRÜN', due_date: '2040-01-04' },
  { model_name: 'snakeXcase part', customer_name: 'Ирина Соколова', due_date: '2040-01-05' },
  { model_name: 'bang! back\\slash [a-z] "q"', due_date: '2040-01-06' },
  { model_name: 'archived one', workflow_status: 'closed', due_date: '2040-01-07' },
];

beforeAll(async () => {
  printers = await farm.printers();
  for (const fields of DATA) made[fields.model_name as string] = await farm.order(fields);
});

const list = async (query: Record<string, string> | string) =>
  (await farm.client.get<Listed<Order>>(`/print-jobs?${new URLSearchParams(query)}`)).body;

/** Which of these orders a query finds, in the order of the response; all fit on one page. */
async function found(query: Record<string, string>): Promise<string[]> {
  const { items, total } = await list({ per_page: '200', ...query });
  expect(items).toHaveLength(total);
  return items.map(({ model_name }) => model_name).filter((name) => made[name] !== undefined);
}

const ALL = DATA.map(({ model_name }) => model_name as string);
const OPEN = ALL.filter((name) => name !== 'archived one');
const newestFirst = (names: string[]) => [...names].reverse();

describe('the paginated list envelope of GET /print-jobs', () => {
  test('has items, total, page and per_page, which is 50 by default', async () => {
    const body = await list('');
    expect(Object.keys(body).sort()).toEqual(['items', 'page', 'per_page', 'total']);
    expect([body.page, body.per_page, body.items.length]).toEqual([1, 50, 50]);
    expect(body.total).toBe((await list({ per_page: '200' })).items.length);
  });

  test('contains the same records as GET /print-jobs/{id}', async () => {
    for (const order of (await list({ per_page: '5' })).items) expect(await farm.readOrder(order.id)).toEqual(order);
  });

  test('returns each order exactly once over all pages', async () => {
    const { items, total } = await list({ per_page: '200' });
    const pages: Order[] = [];
    for (const page of range(Math.ceil(total / 7))) {
      const body = await list({ per_page: '7', page: String(page) });
      expect([body.page, body.per_page, body.total]).toEqual([page, 7, total]);
      pages.push(...body.items);
    }
    expect(pages).toEqual(items);
    const beyond = await list({ page: '9999', per_page: '200' });
    expect(beyond).toEqual({ items: [], total, page: 9999, per_page: 200 });
  });

  test.each(['0', '-1', '1.5', 'abc', '', '1e1', ' 1', '+1', '0x1', '9999999999', 'null'])(
    'refuses page or per_page %j with 422',
    async (value) => {
      for (const name of ['page', 'per_page']) {
        const answer = await farm.client.get(`/print-jobs?${new URLSearchParams({ [name]: value })}`);
        expect(expectProblem(answer, 422, 'validation_error').errors?.[0]?.pointer).toBe(`query/${name}`);
      }
    },
  );

  test('allows per_page from 1 to 200', async () => {
    expect((await list({ per_page: '1' })).items).toHaveLength(1);
    expect((await list({ per_page: '200' })).per_page).toBe(200);
    expectProblem(await farm.client.get('/print-jobs?per_page=201'), 422, 'validation_error');
  });

  test('refuses a repeated or unknown parameter with 422', async () => {
    for (const query of ['page=1&page=2', 'q=a&q=b', 'limit=5', 'status=done', 'Page=1', '__proto__=1', 'sort=id'])
      expectProblem(await farm.client.get(`/print-jobs?${query}`), 422, 'validation_error');
  });
});

describe('sorting', () => {
  const byCreation = (a: Order, b: Order) =>
    a.created_at === b.created_at ? (a.id < b.id ? -1 : 1) : a.created_at < b.created_at ? -1 : 1;

  test('is newest first with ties by id by default, and reversed by sort=created_at', async () => {
    await Promise.all(range(20).map(() => farm.order({ model_name: 'at once' })));
    const { items } = await list({ per_page: '200' });
    expect(items).toEqual([...items].sort(byCreation).reverse());
    expect((await list({ per_page: '200', sort: '-created_at' })).items).toEqual(items);
    expect((await list({ per_page: '200', sort: 'created_at' })).items).toEqual(items.reverse());
  });

  test('keeps the position of a changed order', async () => {
    const before = await found({});
    await farm.client.put(`/print-jobs/${made['100% infill']?.id}`, { order_notes: 'changed' });
    expect(await found({})).toEqual(before);
    expect(before).toEqual(newestFirst(OPEN));
  });

  test.each(['due_date', 'updated_at'] as const)('supports sort=%s and -%s', async (field) => {
    for (const sort of [field, `-${field}`]) {
      const values = (await list({ per_page: '200', sort })).items.map((order) => order[field]);
      const sorted = [...values].sort();
      expect(values).toEqual(sort === field ? sorted : sorted.reverse());
    }
  });
});

describe('filters', () => {
  test('select one or several workflow_status values and refuse an unlisted one with 422', async () => {
    expect(await found({ workflow_status: 'packing' })).toEqual(['plain 100 infill']);
    const two = await farm.client.get<Listed<Order>>(
      '/print-jobs?workflow_status=packing&workflow_status=confirmed&per_page=200',
    );
    expect(new Set(two.body.items.map((order) => order.workflow_status))).toEqual(new Set(['packing', 'confirmed']));
    expectProblem(await farm.client.get('/print-jobs?workflow_status=Printing'), 422, 'validation_error');
    expectProblem(await farm.client.get('/print-jobs?workflow_status='), 422, 'validation_error');
  });

  test('include closed orders with include_closed', async () => {
    expect(await found({ include_closed: 'true' })).toEqual(newestFirst(ALL));
    expect(await found({ include_closed: 'false' })).toEqual(newestFirst(OPEN));
    expectProblem(await farm.client.get('/print-jobs?include_closed=1'), 422, 'validation_error');
  });

  test('select by printer_id', async () => {
    const [printer] = printers as [Printer];
    const order = await farm.order({ model_name: 'on a printer', printer_id: printer.id });
    const { items } = await list({ printer_id: printer.id, per_page: '200' });
    expect(items.map(({ id }) => id)).toContain(order.id);
    expect(new Set(items.map((item) => item.printer_id))).toEqual(new Set([printer.id]));
    expect(await list({ printer_id: UNKNOWN_ID })).toMatchObject({ items: [], total: 0 });
    expectProblem(await farm.client.get('/print-jobs?printer_id=x'), 422, 'validation_error');
  });

  test('select by due_before and due_after, excluding that day', async () => {
    expect(await found({ due_after: '2040-01-03' })).toEqual(newestFirst(OPEN.slice(3)));
    expect(await found({ due_before: '2040-01-03', due_after: '2039-12-31' })).toEqual(newestFirst(OPEN.slice(0, 2)));
    for (const day of ['2026-02-30', 'tomorrow', ''])
      expectProblem(await farm.client.get(`/print-jobs?due_before=${day}`), 422, 'validation_error');
  });

  test('select by updated_since, including that time, in any offset', async () => {
    const order = await farm.order({ model_name: 'the last one' });
    const { updated_at } = (await farm.client.put<Order>(`/print-jobs/${order.id}`, { order_notes: 'x' })).body;
    const ids = async (since: string) => (await list({ updated_since: since })).items.map(({ id }) => id);
    expect(await ids(updated_at)).toContain(order.id);
    const inMoscow = `${new Date(Date.parse(updated_at) + 3 * 3_600_000).toISOString().slice(0, -1)}+03:00`;
    expect(await ids(inMoscow)).toContain(order.id);
    expect(await ids(new Date(Date.parse(updated_at) + 1).toISOString())).toEqual([]);
    for (const time of ['2026-01-01', 'now', '1700000000'])
      expectProblem(await farm.client.get(`/print-jobs?updated_since=${time}`), 422, 'validation_error');
  });

  test.each([
    ['кронштейн', ['Кронштейн СТЕНА']],
    ['СТЕНА', ['Кронштейн СТЕНА']],
    ['стен', ['Кронштейн СТЕНА']],
    ['grün', ['snake_case part']],
    ['СОКОЛОВА', ['snakeXcase part']],
    ['100%', ['100% infill']],
    ['%', ['100% infill']],
    ['0% i', ['100% infill']],
    ['e_c', ['snake_case part']],
    ['!', ['bang! back\\slash [a-z] "q"']],
    ['!_', []],
    ['k\\s', ['bang! back\\slash [a-z] "q"']],
    ['[a-z]', ['bang! back\\slash [a-z] "q"']],
    ["' OR 1=1 --", []],
    ['archived', []],
    ['соколова snakex', ['snakeXcase part']],
    ['infill  plain', ['plain 100 infill']],
    ['plain 100', ['plain 100 infill']],
    ['infill 100', []],
    ['plain 10 100', []],
  ])('find q=%j in the model, the notes or the customer, without wildcards', async (q, expected) => {
    expect(await found({ q })).toEqual(expected);
  });

  test('find an ID by q only whole, as on a label, or by its last 8 characters', async () => {
    const name = 'snake_case part';
    const { id } = made[name] as Order;
    const digits = id.replaceAll('-', '');
    for (const q of [id, `ORDER-${id}`, ` order-${id.toUpperCase()}`, id.slice(-8)])
      expect(await found({ q })).toEqual([name]);
    for (const q of [id.slice(0, 8), id.slice(-12), id.slice(-7), id.slice(1), digits, `${id}0`, `INVOICE-${id}`])
      expect(await found({ q })).toEqual([]);
  });

  test('find changed text by q, which has 1 to 200 characters', async () => {
    const { id } = await farm.order({ model_name: 'renamed', order_notes: 'before it' });
    await farm.client.put(`/print-jobs/${id}`, { order_notes: 'ПОСЛЕ' });
    const ids = async (q: string) => (await list({ q })).items.map((order) => order.id);
    expect([await ids('после'), await ids('before it'), await ids('renamed')]).toEqual([[id], [], [id]]);
    expectProblem(await farm.client.get('/print-jobs?q='), 422, 'validation_error');
    expectProblem(await farm.client.get(`/print-jobs?q=${'x'.repeat(201)}`), 422, 'validation_error');
  });

  test('must all match when combined', async () => {
    expect(await found({ q: 'infill', workflow_status: 'confirmed', due_after: '2040-01-01' })).toEqual([
      '100% infill',
    ]);
  });
});
