import type { IDataObject } from 'n8n-workflow';
import { UNKNOWN_ID } from '../../kit/farm.ts';
import { passOn, startFakeServer } from '../../kit/n8n/fake-server.ts';
import { outputsOf } from '../../kit/n8n/harness.ts';
import { fromItem, jsonOf, locatorFromItem, sourcesOf, startRig } from '../../kit/n8n/rig.ts';
import { forSuite } from '../../kit/opened.ts';

// Order → Set Status in Bulk: all items in one request.

const fake = forSuite(startFakeServer);
const rig = forSuite(() => startRig(fake.baseUrl));

beforeEach(() => fake.answerWith((seen) => passOn(rig.farm.service.origin, seen)));

const parameters = {
  resource: 'order',
  operation: 'setStatusInBulk',
  orderId: locatorFromItem('id'),
  workflowStatus: fromItem('status'),
};
const NODE = { typeVersion: 1 };
const CONTINUE = { ...NODE, onError: 'continueRegularOutput' as const };

const orders = async (count: number): Promise<string[]> => {
  const made = await Promise.all(Array.from({ length: count }, () => rig.farm.order()));
  return made.map(({ id }) => id);
};
const statusOf = async (id: string | undefined): Promise<unknown> =>
  (await rig.farm.client.get(`/print-jobs/${id}`)).body.workflow_status;
const sent = () =>
  fake.seen.map(({ method, path, body }) => [`${method} ${path}`, ((body?.ids ?? []) as string[]).length]);

test('sends all items in one request and pairs its results', async () => {
  const ids = await orders(3);
  const items = ids.map((id) => ({ id: `ORDER-${id}`, status: 'Print Error' }));
  const output = await rig.n8n.give(parameters, { items, node: NODE });
  expect(sent()).toEqual([['POST /print-jobs/status', 3]]);
  expect(jsonOf(output)).toEqual(ids.map((id) => ({ id, workflow_status: 'print_error' })));
  expect(sourcesOf(output)).toEqual([0, 1, 2]);
  expect(await statusOf(ids[2])).toBe('print_error');
});

test('sends one request for each status and printer, of at most 100 orders', async () => {
  const ids = await orders(103);
  const items = ids.map((id, i) => ({ id, status: i === 1 ? 'done' : 'packing' }));
  const output = await rig.n8n.give(parameters, { items, node: NODE });
  expect(sent().map(([, count]) => count)).toEqual([100, 2, 1]);
  expect(jsonOf(output).map(({ id }) => id)).toEqual(ids);
  expect(sourcesOf(output)).toEqual(ids.map((_id, i) => i));
  expect(jsonOf(output)[1]).toEqual({ id: ids[1], workflow_status: 'done' });
});

test('assigns a printer, or none', async () => {
  const [printer] = await rig.farm.printers();
  const [one, other] = await orders(2);
  const items = [
    { id: one, status: 'assigned', printer: printer?.id },
    { id: other, status: 'assigned', printer: '' },
  ] as IDataObject[];
  await rig.n8n.give({ ...parameters, options: { printerId: fromItem('printer') } }, { items, node: NODE });
  expect(fake.seen.map(({ body }) => body?.printer_id)).toEqual([printer?.id, null]);
});

describe('an item that fails', () => {
  test('has its error, and the others their results, with On Error → Continue', async () => {
    const [one, other] = await orders(2);
    const items = [
      { id: one, status: 'done' },
      { id: UNKNOWN_ID, status: 'done' },
      { id: 'no ID', status: 'done' },
      { id: other, status: 'dne' },
      { id: other, status: 'done' },
    ] as IDataObject[];
    const output = await rig.n8n.give(parameters, { items, node: CONTINUE });
    expect(sourcesOf(output)).toEqual([0, 1, 2, 3, 4]);
    expect(jsonOf(output)).toEqual([
      { id: one, workflow_status: 'done' },
      expect.objectContaining({ error: `There is no order with the ID ${UNKNOWN_ID} [item 1]` }),
      expect.objectContaining({ error: 'Order: there is no ID in "no ID" [item 2]' }),
      expect.objectContaining({ error: 'Workflow Status: "dne" is not a workflow status [item 3]' }),
      { id: other, workflow_status: 'done' },
    ]);
    expect(jsonOf(output)[1]?.message).toContain('Code: not_found');
  });

  test('stops the node, and nothing is sent if a field is wrong', async () => {
    const [one] = await orders(1);
    const items = [
      { id: one, status: 'done' },
      { id: one, status: 'dne' },
    ] as IDataObject[];
    const error = await rig.n8n.refusal(parameters, { items, node: NODE });
    expect(error.message).toBe('Workflow Status: "dne" is not a workflow status [item 1]');
    expect(fake.seen).toEqual([]);
  });

  test('names each item if the whole request fails', async () => {
    fake.answerWith(() => ({
      status: 422,
      body: { code: 'validation_error', title: 'Invalid', detail: 'x', errors: [] },
    }));
    const items = ['done', 'done'].map((status) => ({ id: UNKNOWN_ID, status }));
    const output = await rig.n8n.give(parameters, { items, node: CONTINUE });
    expect(jsonOf(output).map(({ error }) => error)).toEqual(['Invalid [item 0]', 'Invalid [item 1]']);
  });

  test('is the only one that a retry sends again', async () => {
    const ids = await orders(3);
    const unknown = { [ids[1] as string]: true };
    fake.answerWith(async (seen) => {
      const answer = await passOn(rig.farm.service.origin, seen);
      if (answer === 'cut' || typeof answer !== 'object') return answer;
      const { results } = JSON.parse(String(answer.body)) as { results: { id: string }[] };
      const error = { code: 'version_conflict', title: 'Conflict', detail: 'x', status: 409 };
      return {
        ...answer,
        headers: {},
        body: { results: results.map((one) => (unknown[one.id] ? { id: one.id, status: 409, error } : one)) },
      };
    });
    const items = ids.map((id) => ({ id, status: 'packing' }));
    const failed = await rig.n8n.run(parameters, { items, node: NODE });
    expect(failed.data.resultData.error?.message).toMatch(/changed by someone else.* \[item 1\]$/);
    fake.answerWith((seen) => passOn(rig.farm.service.origin, seen));
    const again = await rig.n8n.retry(failed, parameters, { items, node: NODE });
    expect(fake.seen.map(({ body }) => body?.ids)).toEqual([[ids[1]]]);
    expect(jsonOf(outputsOf(again)[0]).map(({ id }) => id)).toEqual(ids);
  });
});

test('takes effect once, although its answer is lost', async () => {
  const ids = await orders(2);
  fake.answerWith(async (seen, nth) => {
    const answer = await passOn(rig.farm.service.origin, seen);
    return nth === 1 ? 'cut' : answer;
  });
  await rig.n8n.give(parameters, { items: ids.map((id) => ({ id, status: 'done' })), node: NODE });
  const keys = fake.seen.map(({ headers }) => headers['idempotency-key']);
  expect(keys).toEqual([keys[0], keys[0]]);
  expect(keys[0]).toMatch(/^n8n-[0-9a-f-]{60,110}$/);
  const { items } = (await rig.farm.client.get<{ items: unknown[] }>(`/print-jobs/${ids[0]}/history`)).body;
  expect(items).toHaveLength(2);
});
