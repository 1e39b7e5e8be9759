import { startTwoFarms, type TwoFarms } from '../kit/console-client.ts';
import { eventually } from '../kit/eventually.ts';
import { type Schemas, UNKNOWN_ID } from '../kit/farm.ts';
import { listen } from '../kit/live-stream.ts';
import { forSuite } from '../kit/opened.ts';

type Printer = Schemas['Printer'];
type Order = Schemas['Order'];

const farms = forSuite(startTwoFarms);
let { service, owner, stranger, client } = {} as TwoFarms;

beforeAll(() => {
  ({ service, owner, stranger, client } = farms);
});

const add = async (fields: Record<string, unknown> = {}, browser = owner) => {
  const made = await browser.post<Printer>('/printers', { name: 'A-01', model: 'MK4', ...fields });
  expect(made.status).toBe(201);
  return made.body;
};
const addGroup = async (name: string, browser = owner) =>
  (await browser.post<{ id: string }>('/printer-groups', { name })).body;
const order = async (printer_id: string | null) =>
  (await client.post<Order>('/print-jobs', { model_name: 'Bracket', printer_id })).body;
const readOrder = async (id: string) => {
  const { body, headers } = await client.get<Order>(`/print-jobs/${id}`);
  return { ...body, etag: headers.get('etag') };
};

test('creates, reads, updates and deletes a printer', async () => {
  const group = await addGroup('Hall 1');
  const least = await add();
  expect(least).toMatchObject({
    name: 'A-01',
    internal_name: '',
    model: 'MK4',
    technology: 'fdm',
    group_id: null,
    group_name: null,
    is_favorite: false,
    sort_order: 0,
  });
  const all = { internal_name: 'lab', technology: 'sla', group_id: group.id, is_favorite: true, sort_order: -3 };
  const full = await add(all);
  expect(full).toMatchObject({ ...all, group_name: 'Hall 1' });
  expect((await client.get(`/printers/${full.id}`)).body).toEqual(full);
  expect((await client.get(`/printer-groups/${group.id}`)).body).toMatchObject({ printer_count: 1 });

  const change = (fields: object) => owner.put<Printer>(`/printers/${full.id}`, fields);
  const renamed = (await change({ name: 'B-02', is_favorite: false })).body;
  expect(renamed).toEqual({ ...full, name: 'B-02', is_favorite: false, updated_at: renamed.updated_at });
  expect(renamed.updated_at > full.updated_at).toBe(true);
  // a change of nothing keeps the time of change
  expect((await change({ name: 'B-02', unknown: 1 })).body).toEqual(renamed);
  expect((await change({ group_id: null })).body).toMatchObject({ group_id: null, group_name: null });
  expect((await owner.delete(`/printers/${full.id}`)).status).toBe(204);
  expect((await client.get(`/printers/${full.id}`)).status).toBe(404);
  expect((await owner.delete(`/printers/${full.id}`)).status).toBe(404);
});

test('lets programs only read', async () => {
  const { id } = await add();
  expect((await client.post('/printers', { name: 'x', model: 'y' })).status).toBe(405);
  expect((await client.put(`/printers/${id}`, { name: 'x' })).status).toBe(405);
  expect((await client.delete(`/printers/${id}`)).status).toBe(405);
  expect((await client.post('/printer-groups', { name: 'x' })).status).toBe(405);
});

test.each([
  [{}, '/name'],
  [{ name: ' ' }, '/name'],
  [{ name: 'x'.repeat(201) }, '/name'],
  [{ name: 7 }, '/name'],
  [{ name: 'a\0b' }, '/name'],
  [{ name: 'a', model: '' }, '/model'],
  [{ name: 'a', model: 'b', technology: '' }, '/technology'],
  [{ name: 'a', model: 'b', group_id: 'hall' }, '/group_id'],
  [{ name: 'a', model: 'b', group_id: UNKNOWN_ID }, '/group_id'],
  [{ name: 'a', model: 'b', is_favorite: 'yes' }, '/is_favorite'],
  [{ name: 'a', model: 'b', sort_order: 1.5 }, '/sort_order'],
  [{ name: 'a', model: 'b', sort_order: 1e9 }, '/sort_order'],
])('refuses %j at %s and adds nothing', async (body, pointer) => {
  const before = (await owner.get('/printers')).body.total;
  const refused = await owner.post<{ errors: { pointer: string }[] }>('/printers', body);
  expect(refused.status).toBe(422);
  expect(refused.body.errors.map((fault) => fault.pointer)).toContain(pointer);
  expect((await owner.get('/printers')).body.total).toBe(before);
});

test('hides printers and groups of other accounts', async () => {
  const theirs = await add({}, stranger);
  const theirGroup = await addGroup('theirs', stranger);
  const mine = await add();
  for (const [path, body] of [
    [`/printers/${theirs.id}`, { name: 'mine now' }],
    [`/printer-groups/${theirGroup.id}`, { name: 'mine now' }],
  ] as const) {
    const nobody = await owner.put(path.replace(/[^/]+$/, UNKNOWN_ID), body, { headers: { 'X-Request-Id': 'same' } });
    const refused = await owner.put(path, body, { headers: { 'X-Request-Id': 'same' } });
    expect([refused.status, refused.text]).toEqual([404, nobody.text]);
    expect((await owner.delete(path)).status).toBe(404);
    expect((await stranger.get(path)).status).toBe(200);
  }
  expect((await owner.put(`/printers/${mine.id}`, { group_id: theirGroup.id })).status).toBe(422);
});

test('adds no second printer for a repeated key', async () => {
  const twice = async () =>
    owner.ask<Printer>('POST', '/printers', {
      body: { name: 'once', model: 'MK4' },
      headers: { 'Idempotency-Key': 'add once' },
    });
  const [first, second] = [await twice(), await twice()];
  expect([second.body.id, second.headers.get('idempotency-replayed')]).toEqual([first.body.id, 'true']);
});

test('updates the printer name, version and time of its orders', async () => {
  const printer = await add({ name: 'old name' });
  const { id } = await order(printer.id);
  const { id: other } = await order(null);
  const [before, otherBefore] = [await readOrder(id), await readOrder(other)];
  await owner.put(`/printers/${printer.id}`, { is_favorite: true });
  expect(await readOrder(id)).toEqual(before);
  await owner.put(`/printers/${printer.id}`, { name: 'new name' });
  const after = await readOrder(id);
  expect(after.printer_name).toBe('new name');
  expect(after.etag).not.toBe(before.etag);
  expect(after.updated_at > before.updated_at).toBe(true);
  expect(await readOrder(other)).toEqual(otherBefore);
  const headers = { 'If-Match': String(before.etag) };
  expect((await client.put(`/print-jobs/${id}`, { quantity_pieces: 2 }, { headers })).status).toBe(412);

  await owner.delete(`/printers/${printer.id}`);
  const freed = await readOrder(id);
  expect(freed).toMatchObject({ printer_id: null, printer_name: null });
  expect(freed.etag).not.toBe(after.etag);
  expect(freed.updated_at > after.updated_at).toBe(true);
  expect(await readOrder(other)).toEqual(otherBefore);
});

test('updates a group’s printers when it is renamed or deleted', async () => {
  const group = await addGroup('Hall 2');
  const printer = await add({ group_id: group.id });
  await owner.put(`/printer-groups/${group.id}`, { name: 'Hall 3', sort_order: 4 });
  const renamed = (await client.get<Printer>(`/printers/${printer.id}`)).body;
  expect(renamed.group_name).toBe('Hall 3');
  expect(renamed.updated_at > printer.updated_at).toBe(true);
  expect((await owner.post('/printer-groups', { name: '' })).status).toBe(422);
  expect((await owner.delete(`/printer-groups/${group.id}`)).status).toBe(204);
  const freed = (await client.get<Printer>(`/printers/${printer.id}`)).body;
  expect(freed).toMatchObject({ group_id: null, group_name: null });
  expect(freed.updated_at > renamed.updated_at).toBe(true);
});

test.each([
  ['/printers', { name: 'A-01', model: 'MK4' }],
  ['/printer-groups', { name: 'Hall' }],
  ['/filaments', { name: 'PETG' }],
  // of which nothing is sent
  ['/webhook-subscriptions', { url: 'https://1.1.1.1/', name: 'n8n', events: ['order.created'], enabled: false }],
])('makes a change of %s that is based on a version only to that version', async (path, fields) => {
  interface Versioned {
    id: string;
    name: string;
    updated_at: string;
  }
  const { id, updated_at } = (await owner.post<Versioned>(path, fields)).body;
  const rename = (name: string, version: string) =>
    owner.ask<Versioned & { code?: string }>('PUT', `${path}/${id}`, {
      body: { name },
      headers: { 'If-Match': version },
    });
  const renamed = await rename('First', `"${updated_at}"`);
  expect([renamed.status, renamed.body.name]).toEqual([200, 'First']);
  // of changes at once that are based on the same version, one is made
  const version = `"${renamed.body.updated_at}"`;
  const answers = await Promise.all(['a', 'b', 'c', 'd', 'e'].map((name) => rename(name, version)));
  const made = answers.filter(({ status }) => status === 200);
  expect(answers.filter(({ status }) => status === 412)).toHaveLength(4);
  for (const outdated of [version, `"${updated_at}"`, updated_at]) {
    const { status, body } = await rename('Late', outdated);
    expect([status, body.code]).toEqual([412, 'precondition_failed']);
  }
  const { items } = (await owner.get<{ items: Versioned[] }>(`${path}?per_page=200`)).body;
  expect(items.find((one) => one.id === id)).toEqual(made[0]?.body);
  expect((await rename('Any', '*')).status).toBe(200);
});

test('notifies open pages of the printer and its orders', async () => {
  const printer = await add();
  const { id } = await order(printer.id);
  const page = await listen(owner, service.origin);
  const next = async (...expected: string[]) => {
    const heard = () =>
      page.heard
        // the order that was created is announced separately
        .filter(({ kind }) => kind !== 'event')
        .map((change) => `${change.kind} ${change.id}`)
        .sort();
    expect(await eventually(heard, (all) => all.length >= expected.length)).toEqual(expected.sort());
    page.heard.length = 0;
  };
  await owner.put(`/printers/${printer.id}`, { sort_order: 1 });
  await next(`printer ${printer.id}`);
  await owner.put(`/printers/${printer.id}`, { name: 'other' });
  await next(`printer ${printer.id}`, `order ${id}`);
  await owner.delete(`/printers/${printer.id}`);
  await next(`printer ${printer.id}`, `order ${id}`);
  const group = await addGroup('Hall 9');
  await next(`printer ${group.id}`);
  page.close();
});

test('stays consistent while programs update its orders', async () => {
  const printer = await add({ name: 'name 0' });
  const made = await Promise.all(Array.from({ length: 6 }, () => order(printer.id)));
  /** What was shown under an ETag. */
  const shown = new Map<string, string>();
  const faults: string[] = [];
  const see = (id: string, etag: string | null, { printer_name, printer_id }: Order) => {
    const is = `${printer_id} ${printer_name}`;
    const was = shown.get(`${id} ${etag}`);
    if (was !== undefined && was !== is) faults.push(`${id} ${etag}: ${was}, then ${is}`);
    shown.set(`${id} ${etag}`, is);
  };
  let over = false;
  const statuses = new Set<number>();
  const programs = made.map(async ({ id }, i) => {
    for (let n = 0; !over; n++) {
      const body =
        i % 2 ? { quantity_pieces: n + 1 } : { printer_id: n % 2 ? printer.id : null, quantity_pieces: n + 1 };
      const answer = await client.put<Order>(`/print-jobs/${id}`, body);
      statuses.add(answer.status);
      if (answer.status === 200) see(id, answer.headers.get('etag'), answer.body);
      const { etag, ...read } = await readOrder(id);
      see(id, etag, read);
    }
  });
  for (let n = 1; n <= 25; n++) {
    expect((await owner.put(`/printers/${printer.id}`, { name: `name ${n}` })).status).toBe(200);
  }
  expect((await owner.delete(`/printers/${printer.id}`)).status).toBe(204);
  over = true;
  await Promise.all(programs);
  expect(faults).toEqual([]);
  // 422: the printer had just been deleted; 409: lost the race three times
  expect([...statuses].filter((status) => ![200, 409, 422].includes(status))).toEqual([]);
  for (const { id } of made) expect(await readOrder(id)).toMatchObject({ printer_id: null, printer_name: null });
});

test('reorders printers within a group in one request', async () => {
  const group = await addGroup('Hall 4');
  const [a, b, c] = [await add({ group_id: group.id }), await add(), await add({ sort_order: 9 })];
  const place = (ids: string[], group_id: string | null = group.id) => owner.put('/printer-order', { group_id, ids });
  const read = async (id: string) => {
    const { body } = await client.get<Printer & { sort_order: number }>(`/printers/${id}`);
    return [body.group_id, body.sort_order];
  };
  expect((await place([c.id, a.id, b.id])).status).toBe(204);
  expect(await Promise.all([c, a, b].map(({ id }) => read(id)))).toEqual([1, 2, 3].map((n) => [group.id, n]));
  const before = (await client.get(`/printers/${a.id}`)).body;
  // printers already in place are not changed
  await place([c.id, a.id, b.id]);
  expect((await client.get(`/printers/${a.id}`)).body).toEqual(before);
  expect((await place([b.id], null)).status).toBe(204);
  expect(await read(b.id)).toEqual([null, 1]);
  expect((await place([])).status).toBe(204);

  const theirs = await add({}, stranger);
  const theirGroup = await addGroup('theirs', stranger);
  expect((await place([b.id, theirs.id])).status).toBe(422);
  expect((await place([b.id, UNKNOWN_ID])).body.errors).toMatchObject([{ pointer: '/ids/1' }]);
  expect((await place([b.id], theirGroup.id)).status).toBe(422);
  expect((await place([b.id, b.id])).status).toBe(422);
  expect(await read(b.id)).toEqual([null, 1]);
});

test('keeps one complete order after racing reorders', async () => {
  const group = await addGroup('Hall 5');
  const ids: string[] = [];
  for (let n = 0; n < 8; n++) ids.push((await add({ group_id: group.id })).id);
  const turn = (by: number) => [...ids.slice(by), ...ids.slice(0, by)];
  const orders = Array.from({ length: 8 }, (_, by) => turn(by));
  const answers = await Promise.all(
    orders.map((each) => owner.put('/printer-order', { group_id: group.id, ids: each })),
  );
  expect(answers.map(({ status }) => status)).toEqual(orders.map(() => 204));
  const { items } = (
    await client.get<{ items: (Printer & { sort_order: number })[] }>(`/printers?group_id=${group.id}`)
  ).body;
  const stands = items.sort((x, y) => x.sort_order - y.sort_order).map(({ id }) => id);
  expect(orders).toContainEqual(stands);
});

test('reorders groups', async () => {
  const [a, b] = [await addGroup('A'), await addGroup('B')];
  expect((await owner.put('/printer-group-order', { ids: [b.id, a.id] })).status).toBe(204);
  const read = async (id: string) => (await client.get(`/printer-groups/${id}`)).body.sort_order;
  expect([await read(b.id), await read(a.id)]).toEqual([1, 2]);
  const theirs = await addGroup('theirs', stranger);
  expect((await owner.put('/printer-group-order', { ids: [a.id, theirs.id] })).status).toBe(422);
  expect(await read(a.id)).toBe(2);
});
