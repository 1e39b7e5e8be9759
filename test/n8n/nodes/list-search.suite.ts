import type { INodeListSearchResult, INodePropertyOptions } from 'n8n-workflow';
import { DEFAULT_EVENTS, type Listed, type Printer } from '../../kit/farm.ts';
import { pageOf, passOn, startFakeServer } from '../../kit/n8n/fake-server.ts';
import { TYPE } from '../../kit/n8n/harness.ts';
import { startRig } from '../../kit/n8n/rig.ts';
import { forSuite } from '../../kit/opened.ts';

const ORDERS = 120;

const fake = forSuite(startFakeServer);
const rig = forSuite(() => startRig(fake.baseUrl));
/** The orders shown on the board, newest first. */
let orders: { id: string; model_name: string }[];

beforeAll(async () => {
  for (let n = 1; n <= ORDERS; n++) {
    await rig.farm.order({
      model_name: `Part ${n}`,
      due_date: '2027-01-02',
      ...(n === 7 ? { customer_name: 'Nathan' } : {}),
    });
  }
  await rig.farm.order({ model_name: 'Archived part', workflow_status: 'closed' });
  orders = [];
  for (const page of [1, 2, 3]) {
    const { body } = await rig.farm.client.get<Listed<{ id: string; model_name: string }>>(`/print-jobs?page=${page}`);
    orders.push(...body.items);
  }
  expect(orders).toHaveLength(ORDERS);
});
beforeEach(() => fake.answerWith((seen) => passOn(rig.farm.service.origin, seen)));

const search = async (method: string, filter?: string, token?: string): Promise<INodeListSearchResult> => {
  const found = rig.n8n.typeOf(TYPE).methods?.listSearch?.[method];
  if (!found) throw new Error(`there is no ${method}`);
  return await found.call(rig.n8n.loadOptions(), filter, token);
};

async function walk(method: string, filter?: string) {
  const pages: INodeListSearchResult[] = [];
  let token: string | undefined;
  do {
    const page = await search(method, filter, token);
    pages.push(page);
    token = page.paginationToken as string | undefined;
  } while (token !== undefined && pages.length < 20);
  return pages;
}

describe('orders', () => {
  test('are paged with string tokens', async () => {
    const pages = await walk('searchOrders');
    expect(pages.map(({ results }) => results.length)).toEqual([50, 50, 20]);
    expect(pages.map(({ paginationToken }) => paginationToken)).toEqual(['2', '3', undefined]);
    expect(pages.flatMap(({ results }) => results.map(({ value }) => value))).toEqual(orders.map(({ id }) => id));
  });

  test('show model, status and date', async () => {
    const { results } = await search('searchOrders');
    expect(results[0]).toMatchObject({ name: `Part ${ORDERS} · Negotiation · due 2027-01-02`, value: orders[0]?.id });
    const [found] = (await search('searchOrders', 'nathan')).results;
    expect(found?.name).toBe('Part 7 · Nathan · Negotiation · due 2027-01-02');
  });

  test('are searched by the service, including archived ones', async () => {
    expect((await search('searchOrders', 'part 11')).results.map(({ name }) => name.split(' · ')[0])).toEqual(
      [119, 118, 117, 116, 115, 114, 113, 112, 111, 110, 11].map((n) => `Part ${n}`),
    );
    expect((await search('searchOrders', ' Archived ')).results).toHaveLength(1);
    expect(fake.seen.map(({ query }) => [query.get('q'), query.get('include_closed')])).toEqual([
      ['part 11', 'true'],
      ['Archived', 'true'],
    ]);
    expect((await search('searchOrders', 'nobody has this')).results).toEqual([]);
  });

  test('are paged within a search', async () => {
    const pages = await walk('searchOrders', 'part');
    expect(pages.map(({ results }) => results.length)).toEqual([50, 50, 21]);
  });

  test('return no token after a full last page', async () => {
    const records = Array.from({ length: 100 }, (_, n) => ({ id: `id${n}`, model_name: `Part ${n}` }));
    fake.answerWith((seen) => pageOf(records, seen));
    expect((await walk('searchOrders')).map(({ results }) => results.length)).toEqual([50, 50]);
  });

  test.each([
    ['its label', (id: string) => `ORDER-${id}`],
    ['its label as a scanner ends it', (id: string) => ` order-${id.toUpperCase()}\n`],
    ['its ID', (id: string) => id],
    ['its address', (id: string) => `https://farm.example.com/orders/${id}`],
  ])('are found by %s', async (_what, toText) => {
    const id = orders[99]?.id as string;
    expect((await search('searchOrders', toText(id))).results.map(({ value }) => value)).toEqual([id]);
  });

  test.each([undefined, '', '   '])('ignore the search %p', async (filter) => {
    expect((await search('searchOrders', filter)).results).toHaveLength(50);
    expect(fake.seen[0]?.query.has('q')).toBe(false);
  });

  test.each(['', 'x', '-3', '0'])('restart with the token %p', async (token) => {
    expect((await search('searchOrders', '', token)).results[0]?.value).toBe(orders[0]?.id);
  });
});

describe('filaments', () => {
  test('are paged and searched by the service', async () => {
    for (let n = 1; n <= 51; n++) {
      await rig.farm.filament({ name: `Spool ${n}`, brand: 'Acme', type_name: 'PETG', spool_count: 1 });
    }
    const pages = await walk('searchFilaments');
    expect(pages.map(({ results }) => results.length)).toEqual([50, 1]);
    expect(pages[0]?.paginationToken).toBe('2');
    expect(pages[0]?.results[0]?.name).toBe('Spool 51 · Acme · PETG · 1000 g left');
    const found = await search('searchFilaments', ' spool 50 ');
    expect(found.results.map(({ name }) => name.split(' · ')[0])).toEqual(['Spool 50']);
    expect(fake.seen.at(-1)?.query.get('q')).toBe('spool 50');
  });
});

describe('printers, groups and subscriptions', () => {
  let printers: Printer[];

  beforeAll(async () => {
    printers = await rig.farm.printers();
    for (const name of ['Workshop chat', 'Stock alerts']) {
      const body = { url: 'http://127.0.0.1:9/hook', events: DEFAULT_EVENTS, name };
      await rig.farm.client.post('/webhook-subscriptions', body);
    }
  });

  test('lists all printers and filters by any part of the label', async () => {
    const { results, paginationToken } = await search('searchPrinters');
    expect(results.map(({ value }) => value).sort()).toEqual(printers.map(({ id }) => id).sort());
    expect(paginationToken).toBeUndefined();
    const [first] = results;
    const narrowed = (await search('searchPrinters', ` ${first?.name.toUpperCase()} `)).results;
    expect(narrowed).toContainEqual(first);
    expect(narrowed.length).toBeLessThan(results.length);
    expect((await search('searchPrinters', 'no printer has this')).results).toEqual([]);
  });

  test('lists more printers than one page', async () => {
    const records = Array.from({ length: 250 }, (_, n) => ({ id: `id${n}`, name: `Printer ${n}` }));
    fake.answerWith((seen) => pageOf(records, seen));
    expect((await search('searchPrinters')).results).toHaveLength(250);
    expect((await search('searchPrinters', 'printer 249')).results).toHaveLength(1);
  });

  test('lists subscriptions with name, URL and disabled state', async () => {
    const { results } = await search('searchSubscriptions');
    expect(results.map(({ name }) => name)).toEqual([
      'Stock alerts · http://127.0.0.1:9/hook',
      'Workshop chat · http://127.0.0.1:9/hook',
    ]);
    const chat = results[1];
    await rig.farm.client.put(`/webhook-subscriptions/${chat?.value}`, { enabled: false });
    const narrowed = (await search('searchSubscriptions', 'CHAT')).results;
    expect(narrowed).toEqual([
      { name: 'Workshop chat · http://127.0.0.1:9/hook · off', value: chat?.value, url: chat?.url },
    ]);
  });

  test('links each entry to its console page', async () => {
    const origin = fake.baseUrl.replace('/api/v1', '');
    const [order] = (await search('searchOrders')).results;
    expect(order?.url).toBe(`${origin}/console/?order=${order?.value}`);
    const [found] = (await search('searchOrders', `ORDER-${order?.value}`)).results;
    expect(found?.url).toBe(order?.url);
    // the console opens the URL, and the node accepts it
    expect((await search('searchOrders', order?.url)).results[0]?.value).toBe(order?.value);
    const [filament] = (await search('searchFilaments')).results;
    expect(filament?.url).toBe(`${origin}/console/stock/${filament?.value}`);
    expect((await search('searchPrinters')).results[0]?.url).toBe(`${origin}/console/printers`);

    rig.n8n.credentials.baseUrl = `${origin}/api/v1/behind/a/proxy`;
    fake.answerWith((seen) => pageOf([{ id: 'id1', model_name: 'Part' }], seen));
    expect((await search('searchOrders')).results[0]).not.toHaveProperty('url');
    rig.n8n.credentials.baseUrl = fake.baseUrl;
  });

  test('sorts groups by name', async () => {
    const groups = (await rig.n8n
      .typeOf(TYPE)
      .methods?.loadOptions?.getPrinterGroups?.call(rig.n8n.loadOptions())) as INodePropertyOptions[];
    const { items } = (await rig.farm.client.get<Listed<{ id: string; name: string }>>('/printer-groups')).body;
    expect(items.length).toBeGreaterThan(0);
    expect(groups).toEqual(
      items.map(({ id, name }) => ({ name, value: id })).sort((a, b) => a.name.localeCompare(b.name)),
    );
  });
});

describe('an empty account', () => {
  let before: string;

  beforeAll(async () => {
    before = rig.n8n.credentials.accessToken;
    rig.n8n.credentials.accessToken = (await rig.farm.newAccount()).token;
  });
  afterAll(() => {
    rig.n8n.credentials.accessToken = before;
  });

  test.each(['searchOrders', 'searchFilaments', 'searchPrinters', 'searchSubscriptions'])(
    '%s returns an empty list without a token',
    async (method) => {
      expect(await search(method)).toEqual({ results: [] });
      expect(await search(method, 'something')).toEqual({ results: [] });
    },
  );

  test('returns no groups', async () => {
    expect(await rig.n8n.typeOf(TYPE).methods?.loadOptions?.getPrinterGroups?.call(rig.n8n.loadOptions())).toEqual([]);
  });
});

test('shows a refused token in the dropdown', async () => {
  fake.answerWith((seen) =>
    passOn(rig.farm.service.origin, { ...seen, headers: { ...seen.headers, authorization: 'Bearer pat_x' } }),
  );
  await expect(search('searchOrders')).rejects.toThrow('Farmboard did not accept the access token');
});
