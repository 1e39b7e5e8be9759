import { expectProblem, type Listed, startFarm, UNKNOWN_ID, UUID } from '../kit/farm.ts';
import { forSuite } from '../kit/opened.ts';

type Record_ = Record<string, unknown> & { id: string; group_id: string };

const farm = forSuite(startFarm);
let all: Record_[];

beforeAll(async () => {
  all = (await farm.printers()) as unknown as Record_[];
});

const list = async (query: string) => (await farm.client.get<Listed<Record_>>(`/printers?${query}`)).body;

describe('the printer record', () => {
  const isText = (value: unknown) => typeof value === 'string' && value !== '';
  test.each<[string, string, (value: unknown) => boolean]>([
    ['id', 'string (UUID)', (value) => UUID.test(String(value))],
    ['name', 'string', isText],
    ['internal_name', 'string, farm-internal label', isText],
    ['model', 'string', isText],
    ['technology', 'string, fdm', (value) => value === 'fdm'],
    ['group_id', 'string (UUID), the farm group the printer belongs to', (value) => UUID.test(String(value))],
    ['is_favorite', 'boolean', (value) => typeof value === 'boolean'],
    ['sort_order', 'integer', Number.isInteger],
  ])('has %s: %s', async (field, _type, fits) => {
    expect(all.length).toBeGreaterThan(0);
    for (const printer of all) {
      expect(fits(printer[field])).toBe(true);
      expect((await farm.client.get<Record_>(`/printers/${printer.id}`)).body[field]).toBe(printer[field]);
    }
  });

  test('contains no agent token or cloud binding', () => {
    for (const printer of all) {
      expect(Object.keys(printer).filter((name) => /token|secret|key|serial|cloud/i.test(name))).toEqual([]);
    }
  });
});

describe('GET /printers', () => {
  test('returns the paginated envelope, newest first, with the printers of every group', async () => {
    const body = await list('');
    expect(body).toEqual({ items: all, total: all.length, page: 1, per_page: 50 });
    const groups = (
      await farm.client.get<Listed<{ id: string; name: string; printer_count: number }>>('/printer-groups')
    ).body;
    expect(groups.total).toBe(2);
    for (const { id, name, printer_count } of groups.items) {
      const inGroup = await list(`group_id=${id}`);
      expect(inGroup.items).toEqual(all.filter((printer) => printer.group_id === id));
      expect(inGroup.total).toBe(printer_count);
      expect(new Set(inGroup.items.map((printer) => printer.group_name))).toEqual(new Set([name]));
      const { body: group } = await farm.client.get(`/printer-groups/${id}`);
      expect(group).toEqual(groups.items.find((one) => one.id === id));
    }
    expect(new Set(all.map(({ group_id }) => group_id))).toEqual(new Set(groups.items.map(({ id }) => id)));
  });

  test('supports pages and sorting', async () => {
    expect((await list('sort=created_at')).items).toEqual([...all].reverse());
    expect((await list('per_page=3&page=2')).items).toEqual(all.slice(3, 6));
    expect(await list(`group_id=${UNKNOWN_ID}`)).toMatchObject({ items: [], total: 0 });
    for (const query of ['page=0', 'per_page=201', 'group_id=x', 'sort=name', 'q=x'])
      expectProblem(await farm.client.get(`/printers?${query}`), 422, 'validation_error');
  });
});

describe('write methods', () => {
  test.each(['POST', 'PUT', 'DELETE', 'PATCH'])('refuse %s with 405', async (method) => {
    for (const path of ['/printers', `/printers/${all[0]?.id}`]) {
      const answer = await farm.client.call(method, path, { body: { name: 'x' } });
      expectProblem(answer, 405, 'method_not_allowed');
      expect(answer.headers.get('allow')).toBe('GET, HEAD');
    }
    expect((await list('')).items).toEqual(all);
  });
});

test('answers an identical 404 for unknown and malformed IDs', async () => {
  const headers = { 'X-Request-Id': 'the-same' };
  const texts = new Set<string>();
  for (const path of [
    `/printers/${UNKNOWN_ID}`,
    '/printers/x',
    `/printer-groups/${UNKNOWN_ID}`,
    `/printers/${all[0]?.group_id}`,
  ]) {
    const answer = await farm.client.get(path, { headers });
    expectProblem(answer, 404, 'not_found');
    texts.add(answer.text);
  }
  expect([...texts]).toHaveLength(1);
});
