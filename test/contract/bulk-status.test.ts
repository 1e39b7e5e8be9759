import { randomUUID } from 'node:crypto';
import { expectProblem, type Listed, type Order, range, startFarm, UNKNOWN_ID } from '../kit/farm.ts';
import { forSuite } from '../kit/opened.ts';

interface Result {
  id: string;
  status: number;
  workflow_status?: string;
  error?: { code: string; status: number; errors?: { pointer: string }[] };
}

const farm = forSuite(startFarm);
afterEach(() => farm.clear());

const set = (body: unknown, headers: Record<string, string> = {}) =>
  farm.client.post<{ results: Result[] }>('/print-jobs/status', body, { headers });
const read = async (id: string) => (await farm.client.get<Order>(`/print-jobs/${id}`)).body;
/** The orders of the newest events about a changed status. */
const moved = async (count: number) =>
  (
    await farm.client.get<Listed<{ data: { id: string } }>>(`/events?event=order.status_changed&per_page=${count}`)
  ).body.items.map(({ data }) => data.id);

test('each order changes as if it were sent alone, and the results are in the order sent', async () => {
  const [printer] = await farm.printers();
  const [one, two, there] = [await farm.order(), await farm.order(), await farm.order({ workflow_status: 'assigned' })];
  const deleted = await farm.order();
  await farm.client.delete(`/print-jobs/${deleted.id}`);
  const ids = [two.id, UNKNOWN_ID, there.id, one.id.toUpperCase(), deleted.id, two.id];
  const { status, body } = await set({ ids, workflow_status: 'assigned', printer_id: printer?.id });
  expect(status).toBe(200);
  const changed = (id: string) => ({ id, status: 200, workflow_status: 'assigned' });
  const missing = (id: string) => ({
    id,
    status: 404,
    error: expect.objectContaining({ code: 'not_found', status: 404 }),
  });
  expect(body.results).toEqual([
    ...[changed(two.id), missing(UNKNOWN_ID), changed(there.id), changed(one.id), missing(deleted.id), changed(two.id)],
  ]);
  for (const { id } of [one, two, there])
    expect(await read(id)).toMatchObject({ workflow_status: 'assigned', printer_id: printer?.id });
  // one event for each change of a status
  expect((await moved(3)).filter((id) => [one, two, there].some((order) => order.id === id)).sort()).toEqual(
    [one.id, two.id].sort(),
  );
  const history = await farm.client.get<Listed<{ kind: string }>>(`/print-jobs/${one.id}/history`);
  expect(history.body.items.map(({ kind }) => kind)).toEqual(['status_changed', 'created']);
});

test('a printer that does not exist is refused for each order, which stays as it is', async () => {
  const { id } = await farm.order();
  const { body } = await set({ ids: [id], workflow_status: 'assigned', printer_id: UNKNOWN_ID });
  expect(body.results).toEqual([{ id, status: 422, error: expect.objectContaining({ code: 'validation_error' }) }]);
  expect(body.results[0]?.error?.errors?.[0]?.pointer).toBe('/printer_id');
  expect(await read(id)).toMatchObject({ workflow_status: 'negotiation', printer_id: null });
});

test('an unlisted status, no IDs and too many of them are refused as a whole', async () => {
  const order = await farm.order();
  const ids = [order.id];
  for (const [body, pointer] of [
    [{ ids, workflow_status: 'DONE' }, '/workflow_status'],
    [{ ids, workflow_status: null }, '/workflow_status'],
    [{ ids }, '/workflow_status'],
    [{ ids: [], workflow_status: 'done' }, '/ids'],
    [{ ids: range(101).map(() => order.id), workflow_status: 'done' }, '/ids'],
    [{ ids: [order.id, 'x'], workflow_status: 'done' }, '/ids/1'],
  ] as const)
    expect(expectProblem(await set(body), 422, 'validation_error').errors?.[0]?.pointer).toBe(pointer);
  expect(await read(order.id)).toEqual(order);
});

test('an idempotency key makes a repetition harmless', async () => {
  const { id } = await farm.order();
  const key = { 'Idempotency-Key': 'shift 1' };
  const body = { ids: [id, UNKNOWN_ID], workflow_status: 'printing' };
  const first = await set(body, key);
  await farm.client.put(`/print-jobs/${id}`, { workflow_status: 'done' });
  const again = await set(body, key);
  expect([again.body, again.headers.get('idempotency-replayed')]).toEqual([first.body, 'true']);
  expect((await read(id)).workflow_status).toBe('done');
  expectProblem(await set({ ...body, workflow_status: 'packing' }, key), 409, 'idempotency_conflict');
});

test('stores nothing of what was refused, and of the rest each outcome once', async () => {
  const { id } = await farm.order();
  const key = { 'Idempotency-Key': 'many' };
  const unknown = range(99).map(() => randomUUID());
  const stored = () =>
    farm.inspector.rows<{ result: string }>('SELECT result FROM idempotency_keys WHERE key = ?', ['many']);
  const refused = { ids: unknown, workflow_status: 'printing' };
  for (let repeated = 0; repeated < 2; repeated++) {
    const answer = await set(refused, key);
    expect([answer.status, answer.headers.get('idempotency-replayed')]).toEqual([200, null]);
    expect(await stored()).toEqual([]);
  }

  const body = { ids: [...unknown, id], workflow_status: 'printing' };
  const first = await set(body, key);
  expect((await set(body, key)).text).toBe(first.text);
  const [{ result = '' } = {}] = await stored();
  expect(result.length).toBeLessThan(1_000);
});

test('requests for the same orders in other orders all succeed', async () => {
  const ids = (await Promise.all(range(20).map(() => farm.order()))).map(({ id }) => id);
  const answers = await Promise.all(
    ['assigned', 'printing', 'packing', 'done'].map((workflow_status, index) =>
      set({ ids: index % 2 ? ids : [...ids].reverse(), workflow_status }),
    ),
  );
  for (const { status, body } of answers) {
    expect(status).toBe(200);
    expect(body.results.filter((result) => result.status !== 200)).toEqual([]);
  }
  expect(new Set((await Promise.all(ids.map(read))).map(({ workflow_status }) => workflow_status)).size).toBe(1);
});

test('its path is not the ID of an order', async () => {
  for (const method of ['GET', 'PUT', 'DELETE']) {
    const answer = await farm.client.call(method, '/print-jobs/status', method === 'PUT' ? { body: {} } : {});
    expectProblem(answer, 405, 'method_not_allowed');
    expect(answer.headers.get('allow')).toBe('POST');
  }
});
