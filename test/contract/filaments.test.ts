import type { TestAgent } from '../kit/agent.ts';
import { expectProblem, type Filament, type Listed, type Schemas, startFarm, UNKNOWN_ID, UUID } from '../kit/farm.ts';
import { forSuite } from '../kit/opened.ts';

type Entry = Schemas['FilamentLedgerEntry'];

const farm = forSuite(startFarm);

const read = async (id: string) => (await farm.client.get<Filament>(`/filaments/${id}`)).body;
const consume = (id: string, body: unknown, headers: Record<string, string> = {}) =>
  farm.client.post<Filament>(`/filaments/${id}/consume`, body, { headers });
const ledger = async (id: string) =>
  (await farm.client.get<Listed<Entry>>(`/filaments/${id}/ledger?per_page=200`)).body.items;
const consumed = async (id: string) => (await ledger(id)).filter(({ kind }) => kind === 'consumption');
const withStock = (grams: number, more: Record<string, unknown> = {}) =>
  farm.filament({ spool_weight_grams: grams, spool_count: 1, ...more });

/** Refuses and changes nothing. */
async function expectRefused(id: string, body: unknown, status: number, code: string) {
  const before = [await read(id), await ledger(id)];
  const problem = expectProblem(await consume(id, body), status, code);
  expect([await read(id), await ledger(id)]).toEqual(before);
  return problem;
}

describe('the filament record', () => {
  const isText = (value: unknown) => typeof value === 'string';
  const isNumber = (value: unknown) => typeof value === 'number';
  test.each<[string, string, unknown, (value: unknown) => boolean]>([
    ['id', 'string (UUID)', undefined, (value) => UUID.test(String(value))],
    ['name', 'string', 'ПЭТГ «чёрный»', isText],
    ['brand', 'string, manufacturer label', 'eSUN', isText],
    ['type_name', 'string, material type', 'PETG', isText],
    ['colors', 'array of #RRGGBB', ['#FF5F6D', '#ffc371'], Array.isArray],
    ['is_gradient', 'boolean', true, (value) => typeof value === 'boolean'],
    ['spool_weight_grams', 'number', 750.5, isNumber],
    ['used_grams', 'number', undefined, (value) => value === 0],
    ['spool_count', 'integer', 3, Number.isInteger],
    ['low_stock_threshold_grams', 'number', 100.125, isNumber],
    ['spool_price_rub', 'number or null', 1490.5, isNumber],
  ])('has %s: %s in lists, records and responses', async (field, _type, value, fits) => {
    const more = field === 'spool_price_rub' ? { spool_count: 1 } : {};
    const made = await farm.filament(value === undefined ? {} : { [field]: value, ...more });
    const [listed] = (await farm.client.get<Listed<Filament>>('/filaments?per_page=1')).body.items;
    for (const record of [made, await read(made.id), listed] as unknown as Record<string, unknown>[]) {
      expect(fits(record[field])).toBe(true);
      if (value !== undefined) expect(record[field]).toEqual(value);
    }
  });
});

describe('POST /filaments/{id}/consume', () => {
  test('deducts grams from the spool and returns the updated record', async () => {
    const { id } = await withStock(1000);
    const { status, body } = await consume(id, { grams: 45.123 });
    expect([status, body.used_grams, body.remaining_grams]).toEqual([200, 45.123, 954.877]);
    expect(await read(id)).toEqual(body);
  });

  test('answers 409 insufficient_stock with requested, available and missing grams, and deducts nothing', async () => {
    const { id } = await withStock(100);
    await consume(id, { grams: 0.5 });
    const problem = await expectRefused(id, { grams: 150.75 }, 409, 'insufficient_stock');
    expect(problem).toMatchObject({ requested_grams: 150.75, available_grams: 99.5, shortage_grams: 51.25 });
    expect((await consume(id, { grams: 99.5 })).body.remaining_grams).toBe(0);
    await expectRefused(id, { grams: 0.001 }, 409, 'insufficient_stock');
  });

  test('adds grams and cost to the history of order_id and refuses an unknown order with 422', async () => {
    const [printer] = await farm.printers();
    const order = await farm.order();
    const { id } = await withStock(1000, { spool_price_rub: 1000 });
    await consume(id, { grams: 12.5, order_id: order.id, printer_id: printer?.id, note: 'проба' });
    const { body } = await farm.client.get<Listed<Record<string, unknown>>>(`/print-jobs/${order.id}/history`);
    expect(body.items[0]).toMatchObject({
      kind: 'consumption',
      filament_id: id,
      grams: 12.5,
      cost_rub: 12.5,
      note: 'проба',
    });
    expect((await consumed(id))[0]).toMatchObject({ order_id: order.id, printer_id: printer?.id });
    expect(await farm.readOrder(order.id)).toEqual(order);
    for (const field of ['order_id', 'printer_id']) {
      for (const value of [UNKNOWN_ID, 'x', 5]) {
        const problem = await expectRefused(id, { grams: 1, [field]: value }, 422, 'validation_error');
        expect(problem.errors?.[0]?.pointer).toBe(`/${field}`);
      }
    }
  });
});

describe('Idempotency-Key', () => {
  test.each([
    ['in the header', (key: string) => [{ grams: 10 }, { 'Idempotency-Key': key }] as const],
    ['in the body', (key: string) => [{ grams: 10, idempotency_key: key }, {}] as const],
  ])(
    '%s: returns the first result with Idempotency-Replayed for a repeated request, and 409 for another body',
    async (_where, make) => {
      const { id } = await withStock(100);
      const [body, headers] = make(`key ${id}`);
      const first = await consume(id, body, headers);
      await consume(id, { grams: 1 });
      const again = await consume(id, body, headers);
      expect([first.headers.has('idempotency-replayed'), again.headers.get('idempotency-replayed')]).toEqual([
        false,
        'true',
      ]);
      expect([again.status, again.text]).toEqual([200, first.text]);
      expect((await read(id)).used_grams).toBe(11);
      expectProblem(await consume(id, { ...body, grams: 11 }, headers), 409, 'idempotency_conflict');
      const other = await withStock(100);
      expectProblem(await consume(other.id, body, headers), 409, 'idempotency_conflict');
      expect((await read(id)).used_grams).toBe(11);
      expect((await read(other.id)).used_grams).toBe(0);
    },
  );
});

describe('X-Svc-Already-Deducted', () => {
  const HEADER = 'x-svc-already-deducted';
  let agent: TestAgent;
  let spool: Filament;

  beforeAll(async () => {
    const printer = await farm.printer();
    agent = await farm.agent({ printer_id: printer.id });
    spool = await farm.filament({ spool_count: 5 });
    const rules = { deduct_grams: true, loaded_filament_id: spool.id };
    expect((await (await farm.console()).put(`/printers/${printer.id}/rules`, rules)).status).toBe(200);
  });

  /** What the newest two deductions of the spool say about the others. */
  const marks = async () =>
    (await consumed(spool.id)).slice(0, 2).map((line) => [line.source, line.also_deducted_grams]);

  test('says what a print report deducted for the order, in the first response and in a repeated one', async () => {
    const { id } = await farm.order();
    // the label in the file name, and the order that the request names
    const report = { event_id: `label ${id}`, filename: `ORDER-${id}.gcode`, grams: 45.5 };
    const first = await agent.report(report);
    expect([first.status, first.headers.has(HEADER)]).toEqual([201, false]);
    const other = await withStock(1000);
    expect((await consume(other.id, { grams: 1 })).headers.has(HEADER)).toBe(false);
    const key = { 'Idempotency-Key': `already ${id}` };
    const answer = await consume(spool.id, { grams: 45.5, order_id: id }, key);
    expect([answer.headers.get(HEADER), answer.body.used_grams]).toEqual(['45.5', 91]);
    expect(Object.keys(answer.body)).toEqual(Object.keys(await read(spool.id)));
    expect(await marks()).toEqual([
      ['request', 45.5],
      ['report', 45.5],
    ]);
    // another filament counts, too, and so does what was entered in the console
    expect((await consume(other.id, { grams: 1, order_id: id })).headers.get(HEADER)).toBe('45.5');
    const entered = await (await farm.console()).post(`/filaments/${other.id}/consume`, { grams: 1, order_id: id });
    expect(entered.headers.get(HEADER)).toBe('45.5');
    const again = await consume(spool.id, { grams: 45.5, order_id: id }, key);
    expect([again.headers.get(HEADER), again.headers.get('idempotency-replayed')]).toEqual(['45.5', 'true']);
    // the report came first
    expect((await agent.report(report)).headers.has(HEADER)).toBe(false);
  });

  test('says in the response to a print report what requests deducted for the order, and not what was undone', async () => {
    const { id } = await farm.order();
    await consume(spool.id, { grams: 30, order_id: id });
    await consume(spool.id, { grams: 1.25, order_id: id });
    const dry = await agent.report({ event_id: `dry ${id}`, order_id: id, grams: 0 });
    expect([dry.status, dry.headers.has(HEADER)]).toEqual([201, false]);
    const report = { event_id: `twice ${id}`, order_id: id, grams: 31 };
    const first = await agent.report(report);
    expect([first.status, first.headers.get(HEADER)]).toEqual([201, '31.25']);
    const again = await agent.report(report);
    expect([again.status, again.headers.get(HEADER)]).toEqual([200, '31.25']);
    const apprise = { title: 'complete', message: `ORDER-${id}.gcode\ngrams=2` };
    expect((await agent.client.post('/apprise', apprise)).headers.get(HEADER)).toBe('31.25');
    const [entry] = (await ledger(spool.id)).filter(({ grams }) => grams === -30);
    await (await farm.console()).post(`/filaments/${spool.id}/ledger/${entry?.id}/undo`, {});
    expect((await agent.report(report)).headers.get(HEADER)).toBe('1.25');
  });
});

describe('Corrections by programs', () => {
  test('corrects, undoes, changes and deletes as the console does', async () => {
    const { id } = await withStock(1000);
    await consume(id, { grams: 100 });
    const [entry] = await consumed(id);
    const path = `/filaments/${id}/ledger/${entry?.id}/undo`;
    expect((await farm.client.post<Filament>(path, {})).body.remaining_grams).toBe(1000);
    expectProblem(await farm.client.post(path, {}), 422, 'validation_error');
    const counted = await farm.client.post<Filament>(`/filaments/${id}/stocktake`, { remaining_grams: 640.5 });
    expect([counted.status, counted.body.remaining_grams]).toEqual([200, 640.5]);
    const changed = await farm.client.put<Filament>(`/filaments/${id}`, { name: 'Corrected' });
    expect([changed.status, changed.body.name]).toEqual([200, 'Corrected']);
    expect((await farm.client.delete(`/filaments/${id}`)).status).toBe(204);
    expectProblem(await farm.client.get(`/filaments/${id}`), 404, 'not_found');
  });

  test('answers with the version, which every change renews', async () => {
    const { id } = await withStock(1000);
    const path = `/filaments/${id}`;
    const seen = new Set<string>();
    const tagOf = async () => (await farm.client.get(path)).headers.get('etag') ?? '';
    const renew = async () => {
      seen.add(await tagOf());
      return seen.size;
    };
    expect(await renew()).toBe(1);
    // several within a millisecond
    for (let n = 2; n <= 20; n++) {
      expect((await consume(id, { grams: 1 })).status).toBe(200);
      expect(await renew()).toBe(n);
    }
    const tag = await tagOf();
    expect(tag).toBe(`"${(await farm.client.get<{ updated_at: string }>(path)).body.updated_at}"`);
    const unchanged = await farm.client.get(path, { headers: { 'If-None-Match': tag } });
    expect([unchanged.status, unchanged.text, unchanged.headers.get('etag')]).toEqual([304, '', tag]);

    const ifMatch = (value: string) => ({ headers: { 'If-Match': value } });
    const changed = await farm.client.put(path, { name: 'Newer' }, ifMatch(tag));
    expect([changed.status, changed.headers.get('etag')]).toEqual([200, await tagOf()]);
    expect((await farm.client.get(path, { headers: { 'If-None-Match': tag } })).status).toBe(200);
    expectProblem(await farm.client.put(path, { name: 'Older' }, ifMatch(tag)), 412, 'precondition_failed');
    expectProblem(await farm.client.delete(path, ifMatch(tag)), 412, 'precondition_failed');
    expect((await farm.client.delete(path, ifMatch(await tagOf()))).status).toBe(204);
  });

  test('accepts one of many concurrent changes of a version', async () => {
    const { id } = await withStock(1000);
    const tag = (await farm.client.get(`/filaments/${id}`)).headers.get('etag') ?? '';
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, n) =>
        farm.client.put(`/filaments/${id}`, { name: `Name ${n}` }, { headers: { 'If-Match': tag } }),
      ),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array(19).fill(412)]);
  });
});
