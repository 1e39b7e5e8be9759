import { write } from '../kit/database.ts';
import {
  expectProblem,
  type Listed,
  type Order,
  type Printer,
  range,
  startFarm,
  UNKNOWN_ID,
  UTC_TIME,
  UUID,
} from '../kit/farm.ts';
import { forSuite } from '../kit/opened.ts';

const farm = forSuite(startFarm);
let printers: Printer[];

beforeAll(async () => {
  printers = await farm.printers();
});

const put = (id: string, body: unknown, headers: Record<string, string> = {}) =>
  farm.client.put<Order>(`/print-jobs/${id}`, body, { headers });

describe('the order record', () => {
  const full = {
    model_name: 'Кронштейн «левый» ×2',
    quantity_pieces: 12,
    material_name: 'PETG',
    color_hex: '#1E90ff',
    material_grams: 45.123,
    print_hours: 1.001,
    due_date: '2028-02-29',
    order_notes: 'line 1\nline 2 🖨️ \u202eRTL \\u0041 "q" <b>&amp;',
    workflow_status: 'confirmed',
  };
  const isText = (value: unknown) => typeof value === 'string';
  const table: [string, string, (value: unknown) => boolean][] = [
    ['id', 'string (UUID)', (value) => UUID.test(String(value))],
    ['model_name', 'string', isText],
    ['quantity_pieces', 'integer', Number.isInteger],
    ['material_name', 'string', isText],
    ['color_hex', 'string of the form #RRGGBB', (value) => /^#[0-9a-f]{6}$/i.test(String(value))],
    ['material_grams', 'number (decimal)', (value) => typeof value === 'number'],
    ['print_hours', 'number (decimal)', (value) => typeof value === 'number'],
    ['due_date', 'date, YYYY-MM-DD', (value) => /^\d{4}-\d\d-\d\d$/.test(String(value))],
    ['order_notes', 'string, may be empty', isText],
    ['workflow_status', 'string', isText],
    ['printer_id', 'string (UUID) or null', (value) => value === null || UUID.test(String(value))],
    ['printer_name', 'string or null', (value) => value === null || isText(value)],
  ];

  test.each(table)('has %s: %s in lists, records and responses to POST and PUT', async (field, _type, fits) => {
    for (const printer_id of [null, printers[0]!.id]) {
      const created = await farm.createOrder({ ...full, printer_id });
      const { id } = created.body;
      const list = await farm.client.get<Listed<Order>>('/print-jobs?per_page=1');
      for (const order of [created.body, await farm.readOrder(id), (await put(id, {})).body, list.body.items[0]]) {
        const record = order as unknown as Record<string, unknown>;
        expect(Object.hasOwn(record, field)).toBe(true);
        expect(fits(record[field])).toBe(true);
        expect(record[field]).toEqual((created.body as unknown as Record<string, unknown>)[field]);
      }
    }
  });

  test('reads back exactly as it was written', async () => {
    const created = await farm.createOrder(full);
    expect(created.body).toMatchObject({ ...full, printer_id: null, printer_name: null });
    expect(created.headers.get('location')).toBe(`/api/v1/print-jobs/${created.body.id}`);
    expect(created.body.created_at).toMatch(UTC_TIME);
    expect(created.body.updated_at).toBe(created.body.created_at);
    expect(await farm.readOrder(created.body.id)).toEqual(created.body);
  });

  test('requires only model_name, has every specified field and allows empty order_notes', async () => {
    const order = await farm.order();
    expect(order).toMatchObject({ quantity_pieces: 1, order_notes: '', printer_id: null, printer_name: null });
    expectProblem(await farm.client.post('/print-jobs', {}), 422, 'validation_error');
  });

  test('keeps decimals exact', async () => {
    const { id } = await farm.order();
    for (const grams of [0, 0.001, 0.1, 0.3, 1.005, 123.456, 999_999.999, 1_000_000])
      expect((await put(id, { material_grams: grams })).body.material_grams).toBe(grams);
  });
});

describe('PUT /print-jobs/{id}', () => {
  test('changes only the sent fields and returns the whole updated order', async () => {
    const values = {
      model_name: 'New name',
      quantity_pieces: 0,
      material_name: '',
      color_hex: '#abcdef',
      material_grams: 0.5,
      print_hours: 99.999,
      due_date: '2031-12-31',
      order_notes: '',
      workflow_status: 'packing',
      printer_id: printers[1]!.id,
      customer_name: 'Ирина',
      customer_contact: '@irina',
      price: 123_45,
      currency: 'EUR',
    };
    const { id } = await farm.order({ order_notes: 'old', material_name: 'PLA' });
    for (const [field, value] of Object.entries(values)) {
      const before = await farm.readOrder(id);
      const { status, body } = await put(id, { [field]: value });
      expect(status).toBe(200);
      const printer_name = field === 'printer_id' ? printers[1]!.name : before.printer_name;
      expect(body).toEqual({ ...before, [field]: value, printer_name, updated_at: body.updated_at });
      expect(await farm.readOrder(id)).toEqual(body);
    }
  });

  test('keeps the id when quantity, price, customer or material change', async () => {
    const { id } = await farm.order();
    const change = {
      quantity_pieces: 7,
      price: 100,
      currency: 'RUB',
      customer_name: 'x',
      material_name: 'ABS',
      id: UNKNOWN_ID,
    };
    expect((await put(id, change)).body.id).toBe(id);
    expect((await farm.readOrder(id)).quantity_pieces).toBe(7);
    expectProblem(await farm.client.get(`/print-jobs/${UNKNOWN_ID}`), 404, 'not_found');
  });

  test('ignores read-only and unknown fields and names them in X-Svc-Ignored-Fields', async () => {
    const order = await farm.order();
    const sent = {
      id: UNKNOWN_ID,
      printer_name: 'X',
      created_at: '2020-01-01T00:00:00.000Z',
      total_cost: 5,
      скидка: 1,
      'a,b\r\nX-Evil: 1': {},
      order_notes: 'written',
    };
    const { status, body, headers } = await put(order.id, sent);
    expect(status).toBe(200);
    expect(body).toEqual({ ...order, order_notes: 'written', updated_at: body.updated_at });
    const named = headers.get('x-svc-ignored-fields')?.split(', ').map(decodeURIComponent);
    expect(named).toEqual(Object.keys(sent).filter((name) => name !== 'order_notes'));
    expect(headers.has('x-evil')).toBe(false);
  });

  test('keeps truncated header values decodable', async () => {
    const { id } = await farm.order();
    const { headers } = await put(id, { ['поле'.repeat(20)]: 1, ['🖨'.repeat(20)]: 1 });
    const named = headers.get('x-svc-ignored-fields')?.split(', ').map(decodeURIComponent) ?? [];
    expect(['поле'.repeat(20).startsWith(named[0]!), '🖨'.repeat(20).startsWith(named[1]!)]).toEqual([true, true]);
  });

  test('changes nothing when a whole record is sent back', async () => {
    const { id } = await farm.order({ printer_id: printers[0]!.id });
    const { body: record, headers } = await farm.client.get<Order>(`/print-jobs/${id}`);
    const answer = await put(id, record);
    expect([answer.status, answer.body, answer.headers.get('etag')]).toEqual([200, record, headers.get('etag')]);
    const ignored =
      'id, printer_name, source, external_id, external_updated_at, status_reset_received, created_at, updated_at';
    expect(answer.headers.get('x-svc-ignored-fields')).toBe(ignored);
  });

  const wrong: [string, unknown[]][] = [
    ['model_name', [5, null, '', ' \n', 'x'.repeat(301), 'a\0b', '\ud800', ['x']]],
    ['quantity_pieces', ['5', 1.5, -1, 1_000_001, null, true]],
    ['material_name', [1, null, 'x'.repeat(201), 'a\0']],
    ['color_hex', ['red', '#12345', '#1234567', '#GGGGGG', '1E90FF', '#1E90FF\n', null, 0]],
    ['material_grams', ['45', -1, 0.0004, 1_000_000.001, null]],
    ['print_hours', ['1', -0.001, 0.0001, 100_001, null]],
    ['due_date', ['2026-02-30', '01.02.2026', '2026-1-1', '2026-01-01T00:00:00Z', '', 20260101, null]],
    ['order_notes', [null, 1, 'x'.repeat(5001), '\udc00', {}]],
    ['printer_id', ['abc', '', 5, UNKNOWN_ID, {}]],
    ['customer_name', [5, 'x'.repeat(301)]],
    ['customer_contact', [false, 'x'.repeat(301)]],
    ['price', [1.5, -1, '1']],
    ['currency', ['rub', 'RUBL', '', 5]],
  ];
  test.each(wrong)(
    '%s: refuses a wrong type or range with 422 and its pointer, and changes nothing',
    async (field, values) => {
      const order = await farm.order({ workflow_status: 'printing' });
      for (const value of values) {
        const answer = await put(order.id, { workflow_status: 'done', quantity_pieces: 77, [field]: value });
        const { errors } = expectProblem(answer, 422, 'validation_error');
        expect(errors?.map(({ pointer }) => pointer)).toContain(`/${field}`);
        const inPost = await farm.createOrder({ [field]: value });
        expectProblem(inPost, 422, 'validation_error');
      }
      expect(await farm.readOrder(order.id)).toEqual(order);
    },
  );

  test('refuses a body that isn’t an object with 422', async () => {
    const { id } = await farm.order();
    for (const body of [[], 'x', 5, null, true]) expectProblem(await put(id, body), 422, 'validation_error');
    expectProblem(await farm.client.call('PUT', `/print-jobs/${id}`), 422, 'validation_error');
  });

  test('accepts a printer of the account or null as printer_id and updates printer_name', async () => {
    const { id } = await farm.order();
    for (const { id: printer_id, name } of printers.slice(0, 3))
      expect((await put(id, { printer_id })).body).toMatchObject({ printer_id, printer_name: name });
    expect((await put(id, { printer_id: null })).body).toMatchObject({ printer_id: null, printer_name: null });
    const { token } = await farm.newAccount();
    const theirs = await farm.client.post('/print-jobs', { model_name: 'x', printer_id: printers[0]!.id }, { token });
    expect(expectProblem(theirs, 422, 'validation_error').errors?.[0]?.pointer).toBe('/printer_id');
  });
});

/** What proxies make of the tag of a response that they compress: Apache, Jetty and others. */
const COMPRESSED = [
  '-gzip"',
  '-br"',
  '--gzip"',
  '--zstd"',
  ';gzip"',
  ';br"',
  '-x-gzip"',
  '-deflate"',
  '"-gzip',
  '"-GZIP ',
].map((suffix) => (tag: string) => tag.replace(/"$/, suffix));

describe('versions', () => {
  const etagOf = async (id: string) => (await farm.client.get(`/print-jobs/${id}`)).headers.get('etag') as string;

  test('have a strong ETag, another after each change, and If-None-Match gets 304 without a body', async () => {
    const { id } = await farm.order();
    const etag = await etagOf(id);
    expect(etag).toMatch(/^"[^"]+"$/);
    const known = (tag: string) => farm.client.get(`/print-jobs/${id}`, { headers: { 'If-None-Match': tag } });
    for (const tag of [etag, '*', `"x", ${etag}`]) {
      const { status, text, headers } = await known(tag);
      expect([status, text, headers.get('etag')]).toEqual([304, '', etag]);
    }
    expect((await put(id, { order_notes: 'n' })).headers.get('etag')).not.toBe(etag);
    expect((await known(etag)).status).toBe(200);
  });

  test('refuse If-Match of another version with 412 and change nothing', async () => {
    const { id } = await farm.order();
    const old = await etagOf(id);
    const { body, headers } = await put(id, { order_notes: 'first' }, { 'If-Match': old });
    for (const tag of [old, '"x"', old.replaceAll('"', ''), '']) {
      const refused = await put(id, { order_notes: 'lost' }, { 'If-Match': tag });
      // the error repeats the header only if it could be parsed
      const { title, detail } = expectProblem(refused, 412, 'precondition_failed');
      expect(title).toBe('Not the current version');
      expect(detail).toContain(`does not name the current version of the order; received ${tag || 'an empty header'}.`);
      const removal = await farm.client.delete(`/print-jobs/${id}`, { headers: { 'If-Match': tag } });
      expectProblem(removal, 412, 'precondition_failed');
    }
    expect(await farm.readOrder(id)).toEqual(body);
    const etag = headers.get('etag') as string;
    // a proxy that compresses the response makes its ETag weak
    for (const tag of ['*', etag, `W/${etag}`]) expect((await put(id, {}, { 'If-Match': tag })).status).toBe(200);
    // or appends the coding
    for (const tag of COMPRESSED.map((of) => of(etag))) {
      const known = await farm.client.get(`/print-jobs/${id}`, { headers: { 'If-None-Match': `"0", ${tag}` } });
      expect([tag, (await put(id, {}, { 'If-Match': tag })).status, known.status]).toEqual([tag, 200, 304]);
    }
    for (const tag of [...COMPRESSED.map((of) => of(old)), etag.replace(/"$/, '-gzipped"'), etag.replace(/"$/, '-7"')])
      expectProblem(await put(id, {}, { 'If-Match': tag }), 412, 'precondition_failed');
    expectProblem(await put(id, {}, { 'If-Match': `W/${old}` }), 412, 'precondition_failed');
  });

  test('accept exactly one of 50 racing PUTs with one If-Match', async () => {
    const { id } = await farm.order();
    const etag = await etagOf(id);
    const racers = range(50).map((n) => put(id, { quantity_pieces: n + 1 }, { 'If-Match': etag }));
    const answers = await Promise.all(racers);
    const won = answers.filter(({ status }) => status === 200);
    expect(won).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 412)).toHaveLength(49);
    expect(await farm.readOrder(id)).toEqual(won[0]!.body);
  });
});

describe('order IDs', () => {
  test('are accepted in capitals in paths, bodies and queries, and returned in lower case', async () => {
    const { id } = await farm.order();
    const printer = printers[0]!.id;
    const path = `/print-jobs/${id.toUpperCase()}`;
    const { body } = await farm.client.put<Order>(path, { printer_id: printer.toUpperCase() });
    expect([body.id, body.printer_id]).toEqual([id, printer]);
    const listed = await farm.client.get<Listed<Order>>(`/print-jobs?printer_id=${printer.toUpperCase()}`);
    expect(listed.body.items.map((order) => order.id)).toContain(id);
    const filament = await farm.filament({ spool_count: 1 });
    const use = { grams: 1, order_id: id.toUpperCase() };
    expect((await farm.client.post(`/filaments/${filament.id.toUpperCase()}/consume`, use)).status).toBe(200);
    expect((await farm.client.get<Listed<unknown>>(`${path}/history`)).body.total).toBe(2);
  });

  test('are accepted as label text in any case', async () => {
    const order = await farm.order();
    for (const label of [`ORDER-${order.id}`, `order-${order.id.toUpperCase()}`, `Order-${order.id}`]) {
      expect((await farm.client.get<Order>(`/print-jobs/${label}`)).body).toEqual(order);
      expect((await farm.client.get(`/print-jobs/${label}/history`)).status).toBe(200);
    }
    expect((await put(`ORDER-${order.id}`, { workflow_status: 'assigned' })).body.id).toBe(order.id);
    for (const label of [`ORDER${order.id}`, `ORDER-ORDER-${order.id}`, `JOB-${order.id}`, 'ORDER-'])
      expectProblem(await farm.client.get(`/print-jobs/${label}`), 404, 'not_found');
    expect((await farm.client.delete(`/print-jobs/ORDER-${order.id}`)).status).toBe(204);
  });
});

describe('names', () => {
  const HIDING = ['a\nb', 'a\tb', '\u0007', '\u007f', '\u0085', '\u2028', '\u202egnp.exe', 'a\u2066b', 'a\u{e0041}'];
  /** Zero-width characters, fillers, blank letters and symbols, marks and variation selectors without a letter. */
  const INVISIBLE = [
    ...['\u200b', '\u200d\u200c', '\ufeff\u2060', '\u00ad', '\u034f', '\u061c', '\u200e \u200f', '\ufe0f', '\u{e0100}'],
    ...['\u115f\u1160', '\u3164', '\uffa0', '\u2800', '\u17b4', '\u180e', '\u{1d159}', '\u0301', '\u3000\u200b'],
  ];

  test.each(['model_name', 'material_name', 'customer_name'])(
    'can’t contain control or direction characters: %s',
    async (field) => {
      const order = await farm.order();
      for (const name of HIDING) {
        for (const answer of [
          await put(order.id, { [field]: `x${name}` }),
          await farm.createOrder({ [field]: `x${name}` }),
        ]) {
          const { errors } = expectProblem(answer, 422, 'validation_error');
          expect(errors?.map(({ pointer }) => pointer)).toEqual([`/${field}`]);
          expect(errors?.[0]?.detail).toMatch(
            /^must not contain control characters .*; received U\+[0-9A-F]{4,5} in "/,
          );
          expect(errors?.[0]?.detail).not.toContain(name);
        }
      }
      // joiners belong to emoji, Persian and Indic scripts
      for (const name of [
        'Ключ № 5 «ё» 👩‍👩‍👧 مرحبا e\u0301',
        'می\u200cخواهم',
        'क्\u200dष',
        '❤\ufe0f',
        '\u200e-\u200e',
        '·',
      ])
        expect((await put(order.id, { [field]: name })).body).toMatchObject({ [field]: name });
    },
  );

  test.each(['model_name', 'material_name', 'customer_name'])('show something: %s', async (field) => {
    const { id } = await farm.order();
    for (const name of INVISIBLE) {
      for (const answer of [await put(id, { [field]: name }), await farm.createOrder({ [field]: name })]) {
        const { errors } = expectProblem(answer, 422, 'validation_error');
        expect(errors).toMatchObject([
          {
            pointer: `/${field}`,
            detail: expect.stringMatching(/^must have a visible character; received nothing but U\+/),
          },
        ]);
      }
    }
    if (field !== 'model_name') expect((await put(id, { [field]: '' })).body).toMatchObject({ [field]: '' });
  });

  test.each([
    ['hiding', 'two\tparts\u202e'],
    ['invisible', '\u200b'],
  ])('may stay as stored before that rule: %s', async (_, stored) => {
    const { id } = await farm.order();
    await write(farm.file, `UPDATE orders SET model_name = '${stored}' WHERE id = '${id}'`);
    const record = await farm.readOrder(id);
    expect(record.model_name).toBe(stored);
    const { status, body } = await put(id, { ...record, order_notes: 'written back' });
    expect([status, body.model_name, body.order_notes]).toEqual([200, stored, 'written back']);
    expectProblem(await put(id, { model_name: `${stored}\u2028` }), 422, 'validation_error');
  });

  test('follow the rule in filaments and subscriptions, too', async () => {
    const pointerOf = (answer: Awaited<ReturnType<typeof farm.client.post>>) =>
      expectProblem(answer, 422, 'validation_error').errors?.[0]?.pointer;
    const { id } = await farm.filament();
    expect(pointerOf(await farm.client.post('/filaments', { name: 'PLA\u202e' }))).toBe('/name');
    expect(pointerOf(await farm.client.post('/filaments', { name: 'PLA', brand: 'a\nb' }))).toBe('/brand');
    const subscription = { url: 'http://127.0.0.1:9/', events: ['order.created'] };
    const made = await farm.client.post<{ id: string }>('/webhook-subscriptions', { ...subscription, name: 'n8n' });
    expect(pointerOf(await farm.client.post('/webhook-subscriptions', { ...subscription, name: 'a\u0000b' }))).toBe(
      '/name',
    );
    expect(pointerOf(await farm.client.put(`/webhook-subscriptions/${made.body.id}`, { name: 'a\tb' }))).toBe('/name');
    expect((await farm.client.get(`/filaments/${id}`)).status).toBe(200);
  });

  test.each([
    ['hiding', 'a\u202eb'],
    ['invisible', '\u3164'],
  ])('follow the rule everywhere in the console, on create and update: %s', async (_, of) => {
    const owner = await farm.console();
    const make = async (path: string, body: object) => (await owner.post<{ id: string }>(path, body)).body.id;
    const printer = await make('/printers', { name: 'A-01', model: 'MK4' });
    const invoice = await make('/invoices', { customer_name: 'Vera' });
    const group = await make('/printer-groups', { name: 'Shelf' });
    const { id: filament } = await farm.filament();
    for (const [method, path, body, field] of [
      ['POST', '/printers', { name: of, model: 'MK4' }, 'name'],
      ['POST', '/printers', { name: 'A-02', model: of }, 'model'],
      ['POST', '/printers', { name: 'A-02', model: 'MK4', internal_name: of }, 'internal_name'],
      ['PUT', `/printers/${printer}`, { name: of }, 'name'],
      ['POST', '/printers', { name: 'A-02', model: 'MK4', technology: of }, 'technology'],
      ['POST', '/printer-groups', { name: of }, 'name'],
      ['PUT', `/printer-groups/${group}`, { name: of }, 'name'],
      ['PUT', `/filaments/${filament}`, { type_name: of }, 'type_name'],
      ['POST', '/agents', { name: of, printer_id: printer }, 'name'],
      ['POST', '/tokens', { name: of, days: 1 }, 'name'],
      ['POST', '/payment-providers', { kind: 'notification', name: of }, 'name'],
      ['POST', '/invoices', { customer_name: of }, 'customer_name'],
      ['PUT', `/invoices/${invoice}`, { customer_name: of }, 'customer_name'],
      ['PUT', '/invoice-seller', { name: of }, 'name'],
      ['PUT', '/profile', { headline: of }, 'headline'],
      ['POST', '/webhook-subscriptions', { url: 'http://127.0.0.1:9/', events: ['order.created'], name: of }, 'name'],
    ] as const) {
      const answer = await owner.ask(method, path, { body });
      const { errors } = expectProblem(answer, 422, 'validation_error');
      expect([method, path, errors?.map(({ pointer }) => pointer)]).toEqual([method, path, [`/${field}`]]);
    }
  });
});

describe('a missing order', () => {
  test('gets an identical 404 for unknown, deleted, other accounts’ and malformed IDs', async () => {
    const { token } = await farm.newAccount();
    const theirs = (await farm.createOrder({}, { token })).body.id;
    const deleted = await farm.order();
    expect((await farm.client.delete(`/print-jobs/${deleted.id}`)).status).toBe(204);
    const headers = { 'X-Request-Id': 'the-same' };
    for (const [method, path, body] of [
      ['GET', '', undefined],
      ['PUT', '', { order_notes: 'x' }],
      ['DELETE', '', undefined],
      ['GET', '/history', undefined],
    ] as const) {
      const texts = new Set<string>();
      for (const id of [UNKNOWN_ID, deleted.id, theirs, 'no-uuid', `${UNKNOWN_ID}0`, '%00', "'%20OR%201=1"]) {
        const answer = await farm.client.call(method, `/print-jobs/${id}${path}`, { body, headers });
        expectProblem(answer, 404, 'not_found');
        texts.add(`${answer.headers.get('content-type')} ${answer.headers.get('etag')} ${answer.text}`);
      }
      expect([...texts]).toHaveLength(1);
    }
    expect((await farm.client.get<Order>(`/print-jobs/${theirs}`, { token })).body.order_notes).toBe('');
  });
});

describe('GET /print-jobs/{id}/history', () => {
  test('returns creation and status changes, newest first, in pages', async () => {
    const { id, created_at } = await farm.order();
    for (const status of ['confirmed', 'assigned', 'typo']) await farm.setStatus(id, status);
    const path = `/print-jobs/${id}/history`;
    const { body } = await farm.client.get<Listed<Record<string, unknown>>>(path);
    expect(body.items.map(({ kind, from_status, to_status, actor }) => [kind, from_status, to_status, actor])).toEqual([
      ['status_reset', 'assigned', 'negotiation', 'test'],
      ['status_changed', 'confirmed', 'assigned', 'test'],
      ['status_changed', 'negotiation', 'confirmed', 'test'],
      ['created', null, 'negotiation', 'test'],
    ]);
    expect(body.items.at(-1)?.at).toBe(created_at);
    const second = await farm.client.get<Listed<unknown>>(`${path}?per_page=1&page=2`);
    expect(second.body).toEqual({ items: [body.items[1]], total: 4, page: 2, per_page: 1 });
  });
});
