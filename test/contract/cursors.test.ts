import { createHash } from 'node:crypto';
import { expectProblem, type Listed, type Order, range, startFarm, UNKNOWN_ID } from '../kit/farm.ts';
import { forSuite } from '../kit/opened.ts';

interface Page {
  status: number;
  body: Listed<{ id?: string; sequence?: number }>;
  headers: Headers;
}

const farm = forSuite(startFarm);
let ids: string[];

beforeAll(async () => {
  ids = await farm.orders(12);
});

/** The address in the link to the next page, below the API's base URL; undefined without a link. */
function nextOf({ headers }: Pick<Page, 'headers'>): string | undefined {
  const link = headers.get('link');
  if (link === null) return undefined;
  const [, address = ''] = /^<\/api\/v1(\/[^<>]+)>; rel="next"$/.exec(link) ?? [];
  expect(address).toMatch(/[?&]cursor=[\w-]+/);
  return address;
}

/** Follows the links from a first page to the last. */
async function walk(first: string, between: () => Promise<unknown> = async () => undefined): Promise<Page[]> {
  const pages: Page[] = [];
  for (let path: string | undefined = first; path !== undefined; ) {
    const page: Page = await farm.client.get(path);
    expect(page.status).toBe(200);
    pages.push(page);
    path = nextOf(page);
    await between();
  }
  return pages;
}

const cursorOf = (path: string) => new URL(path, farm.origin).searchParams.get('cursor') as string;
const cursorAt = async (path: string) => cursorOf(nextOf(await farm.client.get(path)) as string);
const encode = (content: unknown) => Buffer.from(JSON.stringify(content)).toString('base64url');

test('each page links to the next, with the same parameters; the last and an empty one do not', async () => {
  const pages = await walk('/print-jobs?per_page=5&sort=created_at&workflow_status=negotiation&workflow_status=done');
  expect(pages.map(({ body }) => [body.page, body.per_page, body.total, body.items.length])).toEqual([
    [1, 5, 12, 5],
    [2, 5, 12, 5],
    [3, 5, 12, 2],
  ]);
  expect(pages.flatMap(({ body }) => body.items.map(({ id }) => id))).toEqual(ids);
  for (const path of [
    '/print-jobs?per_page=12',
    '/print-jobs?page=2&per_page=12',
    '/print-jobs?page=9',
    '/print-jobs?q=no',
  ])
    expect(nextOf(await farm.client.get(path))).toBeUndefined();
  const link = nextOf(await farm.client.get('/print-jobs?q=part+1&per_page=1&page=2')) as string;
  expect([...new URL(link, farm.origin).searchParams.keys()]).toEqual(['q', 'per_page', 'cursor']);
});

test('a page by number links to the one after it, and a longer page continues at the same order', async () => {
  const link = nextOf(await farm.client.get('/print-jobs?page=2&per_page=3')) as string;
  const { body } = await farm.client.get<Listed<Order>>(link.replace('per_page=3', 'per_page=100'));
  expect([body.page, body.total]).toEqual([3, 12]);
  expect(body.items.map(({ id }) => id)).toEqual(ids.slice(0, 6).reverse());
});

test.each(['-created_at', 'created_at', 'due_date', '-due_date'])(
  'following the links by %s returns every order that stays exactly once while others come and go',
  async (sort) => {
    const staying = await farm.orders(11);
    const leaving = await farm.orders(6);
    let n = 0;
    const pages = await walk(`/print-jobs?per_page=4&sort=${sort}`, async () => {
      n += 1;
      if (n > 8) return;
      await farm.order({ due_date: `${2020 + n * 7}-01-01` });
      const gone = leaving.shift();
      if (gone) await farm.client.delete(`/print-jobs/${gone}`);
    });
    const seen = pages.flatMap(({ body }) => body.items.map(({ id }) => id as string));
    expect(new Set(seen).size).toBe(seen.length);
    expect(seen.filter((id) => staying.includes(id) || ids.includes(id)).sort()).toEqual([...staying, ...ids].sort());
  },
);

describe('every list with cursors', () => {
  test('the event feed, the events of a subscription, a history and a ledger', async () => {
    const subscription = await farm.subscription();
    const [order = ''] = await farm.orders(7);
    for (const status of ['done', 'closed', 'done', 'closed']) await farm.setStatus(order, status);
    await subscription.untilRecorded(11);
    const { id: filament } = await farm.filament({ spool_count: 1 });
    for (const grams of range(6)) await farm.client.post(`/filaments/${filament}/consume`, { grams });
    for (const path of [
      '/events?sort=occurred_at',
      '/events?event=order.created',
      `${subscription.path}/events?after=1`,
      `/print-jobs/${order}/history`,
      `/filaments/${filament}/ledger`,
    ]) {
      const separator = path.includes('?') ? '&' : '?';
      const all = (await farm.client.get<Page['body']>(`${path}${separator}per_page=200`)).body;
      const pages = await walk(`${path}${separator}per_page=3`);
      expect(pages.length).toBeGreaterThan(1);
      expect(pages.flatMap(({ body }) => body.items)).toEqual(all.items);
      for (const { body } of pages) expect(body.total).toBe(all.total);
    }
    // what a cursor is bound to stays the same from release to release
    const filters = { after: 1, event: 'order.created', missed: false };
    const bound = JSON.stringify(['/webhook-subscriptions/{id}/events', { id: subscription.id }, filters]);
    const list = createHash('sha256').update(bound).digest('hex').slice(0, 16);
    const cursor = encode([list, 2, [5]]);
    const query = `after=1&event=order.created&per_page=3&cursor=${cursor}`;
    expect((await farm.client.get<Page['body']>(`${subscription.path}/events?${query}`)).status).toBe(200);
    await farm.clear();
  });
});

describe('refuses with 422', () => {
  const refusedAt = async (path: string, pointer: string) => {
    const problem = expectProblem(await farm.client.get(path), 422, 'validation_error');
    expect(problem.errors?.map((fault) => fault.pointer)).toEqual([pointer]);
  };

  test('a cursor together with page', async () => {
    const cursor = await cursorAt('/print-jobs?per_page=2');
    for (const page of [1, 2]) await refusedAt(`/print-jobs?per_page=2&page=${page}&cursor=${cursor}`, 'query/page');
  });

  test('a cursor with other filters, in another order or of another list', async () => {
    const cursor = await cursorAt('/print-jobs?per_page=2');
    for (const more of ['workflow_status=done', 'sort=created_at', 'sort=due_date', 'include_closed=true', 'q=part'])
      await refusedAt(`/print-jobs?per_page=2&${more}&cursor=${cursor}`, 'query/cursor');
    const [one = '', other = ''] = ids;
    for (const id of [one, other]) for (const status of ['done', 'packing']) await farm.setStatus(id, status);
    const history = await cursorAt(`/print-jobs/${one}/history?per_page=1`);
    await refusedAt(`/print-jobs/${other}/history?per_page=1&cursor=${history}`, 'query/cursor');
    await refusedAt(`/events?cursor=${history}`, 'query/cursor');
  });

  test('text that is not a cursor, or has values of another type', async () => {
    const cursor = await cursorAt('/print-jobs?per_page=2');
    const [list, page, [at, id]] = JSON.parse(Buffer.from(cursor, 'base64url').toString()) as [
      string,
      number,
      [number, string],
    ];
    for (const content of [
      [list, page, [at]],
      [list, page, [at, id, id]],
      [list, page, ['2026-01-01', id]],
      [list, page, ['1; DROP TABLE orders', id]],
      [list, page, [at + 0.5, id]],
      [list, page, [1e300, id]],
      [list, page, [at, 'x\0']],
      [list, page, [null, null]],
      [list, 0, [at, id]],
      ['', page, [at, id]],
      [list, page],
      {},
      null,
    ])
      await refusedAt(`/print-jobs?per_page=2&cursor=${encode(content)}`, 'query/cursor');
    for (const text of ['', 'x', '%00', 'a'.repeat(600), cursor.slice(1)])
      await refusedAt(`/print-jobs?per_page=2&cursor=${text}`, 'query/cursor');
    const due = await cursorAt('/print-jobs?per_page=2&sort=due_date');
    const [ofDue] = JSON.parse(Buffer.from(due, 'base64url').toString()) as [string];
    await refusedAt(`/print-jobs?per_page=2&sort=due_date&cursor=${encode([ofDue, 2, [at, id]])}`, 'query/cursor');
  });

  test('a cursor where a list has none', async () => {
    await refusedAt('/printers?cursor=abc', 'query/cursor');
  });
});

test('a cursor shows nothing of another account', async () => {
  const cursor = await cursorAt('/print-jobs?per_page=2');
  const { token } = await farm.newAccount();
  const { body } = await farm.client.get<Listed<Order>>(`/print-jobs?per_page=2&cursor=${cursor}`, { token });
  expect([body.items, body.total]).toEqual([[], 0]);
});

test('a cursor from nowhere in the list is a place in it', async () => {
  const cursor = await cursorAt('/print-jobs?per_page=2');
  const [list] = JSON.parse(Buffer.from(cursor, 'base64url').toString()) as [string];
  const { status, body } = await farm.client.get<Listed<Order>>(
    `/print-jobs?per_page=2&cursor=${encode([list, 2, [-1, UNKNOWN_ID]])}`,
  );
  expect([status, body.items]).toEqual([200, []]);
});

test('the console has the links, too, below its own address', async () => {
  const { headers } = await (await farm.console()).get('/print-jobs?per_page=2');
  expect(headers.get('link')).toMatch(/^<\/console\/api\/print-jobs\?per_page=2&cursor=[\w-]+>; rel="next"$/);
});
