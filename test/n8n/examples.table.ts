import assert from 'node:assert/strict';
import type { Client } from '../kit/client.ts';
import type { Receiver } from '../kit/receiver.ts';
import type { Model } from './examples.model.ts';

/** What of an example's file is looked at or replaced before it is imported. */
export interface Workflow {
  name: string;
  nodes: Array<{
    name: string;
    type: string;
    typeVersion: number;
    parameters: Record<string, unknown>;
    credentials?: Record<string, { id: string | null; name: string }>;
  }>;
}

/** A finished (or, with a form's last page open, waiting) execution. */
export interface Execution {
  status: string;
  /** what a node gave on its first output in its last run; nothing where it did not run */
  output(node: string): Array<Record<string, unknown>>;
}

/** What an example runs in: a real n8n that holds this one workflow, and a real Farmboard. */
export interface World {
  farmboard: Client;
  /** stands for the chat: what was posted to it is in `received` */
  chat: Receiver;
  /** stands for the chat model of the AI agent */
  model: Model;
  n8n: {
    /** address of a production URL: `webhook/…`, `form/…` */
    url(path: string): string;
    /** resolves when the workflow's webhooks answer */
    publish(): Promise<void>;
    unpublish(): Promise<void>;
    /** as *Execute workflow* from this trigger, which then gives `item` if there is one; resolves when it has ended */
    runByHand(trigger: string, item?: Record<string, unknown>): Promise<Execution>;
    /** the oldest ended execution of the workflow that neither of the two handed out before; waits for it */
    nextExecution(): Promise<Execution>;
  };
}

export interface Example {
  /** in examples/n8n */
  file: string;
  /** credentials to make, under the names that the workflow's nodes have: n8n joins them by name at the import */
  credentials: Array<keyof typeof CREDENTIAL_NAMES>;
  /** replaces what a user would set in the nodes */
  prepare?(workflow: Workflow, world: Pick<World, 'chat'>): void;
  /** causes it and holds against one another what came of it in n8n and in Farmboard */
  prove(world: World): Promise<void>;
}

export const CREDENTIAL_NAMES = {
  /** address and token of the Farmboard */
  farmboardApi: 'Farmboard account',
  /** WORKSHOP_KEY */
  httpHeaderAuth: 'Workshop key',
  /** any `apiKey`, and as `url` that of the model */
  openAiApi: 'OpenAI account',
} as const;
export const WORKSHOP_KEY = { name: 'X-Workshop-Key', value: 'scanner-in-the-workshop' } as const;

type Fields = Record<string, unknown>;

async function createOrder({ farmboard }: World, fields: Fields = {}): Promise<{ id: string; label: string }> {
  const body = { model_name: 'Wall bracket', material_name: 'PETG', material_grams: 182.5, ...fields };
  const made = await farmboard.post<{ id: string }>('/print-jobs', body);
  assert.equal(made.status, 201, made.text);
  return { id: made.body.id, label: `ORDER-${made.body.id}` };
}

async function createFilament({ farmboard }: World, fields: Fields = {}): Promise<string> {
  const made = await farmboard.post<{ id: string }>('/filaments', { name: 'PETG black', spool_count: 2, ...fields });
  assert.equal(made.status, 201, made.text);
  return made.body.id;
}

const statusOf = async ({ farmboard }: World, orderId: string): Promise<unknown> =>
  (await farmboard.get(`/print-jobs/${orderId}`)).body.workflow_status;

const setStatus = async ({ farmboard }: World, orderId: string, workflow_status: string): Promise<void> =>
  assert.equal((await farmboard.put(`/print-jobs/${orderId}`, { workflow_status })).status, 200);

const consume = async ({ farmboard }: World, filamentId: string, grams: number): Promise<void> =>
  assert.equal((await farmboard.post(`/filaments/${filamentId}/consume`, { grams })).status, 200);

const remainingOf = async ({ farmboard }: World, filamentId: string): Promise<unknown> =>
  (await farmboard.get(`/filaments/${filamentId}`)).body.remaining_grams;

/** Posts to a webhook of the workflow as the device in the workshop does. */
async function post({ n8n }: World, path: string, body: Fields, headers: Record<string, string> = {}) {
  const response = await fetch(n8n.url(path), {
    method: 'POST',
    headers: { 'content-type': 'application/json', [WORKSHOP_KEY.name]: WORKSHOP_KEY.value, ...headers },
    body: JSON.stringify(body),
  });
  const text = await response.text();
  return { status: response.status, body: (text.startsWith('{') ? JSON.parse(text) : {}) as Fields };
}

/** Whoever does not have the key does not get as far as an execution. */
async function refusesStrangers(world: World, path: string): Promise<void> {
  const stranger = await post(world, path, { label: 'ORDER-x' }, { [WORKSHOP_KEY.name]: 'guessed' });
  assert.equal(stranger.status, 403);
}

const NO_ORDER = 'ORDER-00000000-0000-4000-8000-000000000000';

function replaceChatUrl(workflow: Workflow, { chat }: Pick<World, 'chat'>): void {
  const settings = workflow.nodes.find(({ name }) => name === 'Settings');
  assert.ok(settings);
  const { assignments } = settings.parameters.assignments as { assignments: Array<{ name: string; value: string }> };
  const setting = assignments.find(({ name }) => name === 'chat_url');
  assert.ok(setting);
  setting.value = chat.url;
}

/** The messages that reached the chat after `before`, once there are as many. */
async function messages({ chat }: World, before: number, count: number): Promise<unknown[]> {
  await chat.until((all) => all.length >= before + count);
  return chat.received.slice(before).map(({ body }) => body);
}

/** What `look` gives, once it is as it should be; after ten seconds, as it is. */
async function eventually<T>(look: () => Promise<T>, isReady: (seen: T) => boolean): Promise<T> {
  const end = Date.now() + 10_000;
  for (;;) {
    const seen = await look();
    if (isReady(seen) || Date.now() > end) return seen;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

async function succeeds(execution: Promise<Execution>): Promise<Execution> {
  const ended = await execution;
  assert.equal(ended.status, 'success');
  return ended;
}

export const EXAMPLES: Example[] = [
  {
    file: '1-label-scan-assigned.json',
    credentials: ['farmboardApi', 'httpHeaderAuth'],
    async prove(world) {
      const path = 'webhook/farmboard-label-scan';
      const { body: printers } = await world.farmboard.get<{ items: Array<{ id: string; name: string }> }>('/printers');
      const [printer, other] = printers.items;
      assert.ok(printer && other, 'the account needs two printers: `farmboard demo` makes some');
      const { id, label } = await createOrder(world, { printer_id: other.id });
      await world.n8n.publish();

      const scanned = await post(world, path, { label, printer: printer.id });
      assert.equal(scanned.status, 200);
      assert.deepEqual(
        { ok: scanned.body.ok, order: scanned.body.order, status: scanned.body.status, printer: scanned.body.printer },
        { ok: true, order: label, status: 'assigned', printer: printer.name },
      );
      const { body: order } = await world.farmboard.get(`/print-jobs/${id}`);
      assert.equal(order.workflow_status, 'assigned');
      assert.equal(order.printer_id, printer.id);
      const execution = await succeeds(world.n8n.nextExecution());
      assert.equal(execution.output('Assign')[0]?.id, id);

      // without a printer the order keeps the one it has
      const again = await post(world, path, { label });
      assert.deepEqual([again.status, again.body.printer], [200, printer.name]);
      await succeeds(world.n8n.nextExecution());

      await setStatus(world, id, 'done');
      const late = await post(world, path, { label, printer: other.id });
      assert.deepEqual([late.status, late.body.error], [409, 'Wall bracket is already done']);
      assert.equal(await statusOf(world, id), 'done');

      const unknown = await post(world, path, { label: NO_ORDER });
      assert.equal(unknown.status, 422);
      assert.match(String(unknown.body.error), /There is no order with the ID/);
      await refusesStrangers(world, path);
    },
  },
  {
    file: '2-print-started.json',
    credentials: ['farmboardApi', 'httpHeaderAuth'],
    async prove(world) {
      const path = 'webhook/farmboard-print-started';
      const { id, label } = await createOrder(world);
      const { id: second, label: secondLabel } = await createOrder(world);
      await world.n8n.publish();

      const started = await post(world, path, { label });
      assert.deepEqual([started.status, started.body.status], [200, 'printing']);
      assert.equal(await statusOf(world, id), 'printing');
      const execution = await succeeds(world.n8n.nextExecution());
      assert.equal(execution.output('Printing')[0]?.workflow_status, 'printing');

      const byName = await post(world, path, { filename: `plates/${secondLabel}_bracket v2.gcode` });
      assert.equal(byName.status, 200);
      assert.equal(await statusOf(world, second), 'printing');

      const nameless = await post(world, path, { filename: 'benchy.gcode' });
      assert.deepEqual([nameless.status, nameless.body.error], [422, 'Order: it is empty']);
      await refusesStrangers(world, path);
    },
  },
  {
    file: '3-print-finished.json',
    credentials: ['farmboardApi', 'httpHeaderAuth'],
    async prove(world) {
      const path = 'webhook/farmboard-print-finished';
      const { id, label } = await createOrder(world, { workflow_status: 'printing' });
      const filament = await createFilament(world);
      const full = Number(await remainingOf(world, filament));
      await world.n8n.publish();

      const finished = await post(world, path, { label, result: 'success', filament, grams: 182.5 });
      assert.deepEqual(
        [finished.status, finished.body.status, finished.body.filament_left_grams],
        [200, 'done', full - 182.5],
      );
      assert.equal(await statusOf(world, id), 'done');
      assert.equal(await remainingOf(world, filament), full - 182.5);
      const execution = await succeeds(world.n8n.nextExecution());
      assert.equal(execution.output('Done')[0]?.workflow_status, 'done');

      // told twice, taken once; another print of the same order is taken too
      await post(world, path, { label, result: 'success', filament, grams: 182.5 });
      assert.equal(await remainingOf(world, filament), full - 182.5);
      await post(world, path, { label, result: 'success', filament, grams: 7.5, print_id: 'plate-2' });
      assert.equal(await remainingOf(world, filament), full - 190);
      const { body: history } = await world.farmboard.get<{ items: Fields[] }>(`/print-jobs/${id}/history`);
      const taken = history.items.filter(({ kind }) => kind === 'consumption').map(({ grams }) => grams);
      assert.deepEqual(taken.sort(), [182.5, 7.5]);

      const { id: broken, label: brokenLabel } = await createOrder(world, { workflow_status: 'printing' });
      const failed = await post(world, path, { label: brokenLabel, result: 'failed', filament, grams: 20 });
      assert.deepEqual([failed.status, failed.body.status], [200, 'print_error']);
      assert.equal(await statusOf(world, broken), 'print_error');
      assert.equal(await remainingOf(world, filament), full - 190);

      const { id: blind, label: blindLabel } = await createOrder(world, { workflow_status: 'printing' });
      const weightless = await post(world, path, { label: blindLabel, result: 'success', filament });
      assert.equal(weightless.status, 422);
      assert.match(String(weightless.body.error), /^Grams: /);
      assert.equal(await statusOf(world, blind), 'printing');
      await refusesStrangers(world, path);
    },
  },
  {
    file: '4-low-stock-message.json',
    credentials: ['farmboardApi'],
    prepare: replaceChatUrl,
    async prove(world) {
      const filament = await createFilament(world, {
        name: 'PETG "black"',
        spool_count: 1,
        low_stock_threshold_grams: 500,
      });
      const full = Number(await remainingOf(world, filament));
      const before = world.chat.received.length;
      await world.n8n.publish();

      await consume(world, filament, full - 600);
      await consume(world, filament, 120.5);
      assert.deepEqual(await messages(world, before, 1), [
        { text: 'PETG "black" is running low: 479.5 g left, the threshold is 500 g.' },
      ]);
      await succeeds(world.n8n.nextExecution());
    },
  },
  {
    file: '5-new-order-chat.json',
    credentials: ['farmboardApi'],
    prepare: replaceChatUrl,
    async prove(world) {
      const before = world.chat.received.length;
      await world.n8n.publish();

      const { id, label } = await createOrder(world, {
        quantity_pieces: 4,
        customer_name: 'Nathan Smith',
        due_date: '2030-01-31',
      });
      assert.deepEqual(await messages(world, before, 1), [
        { text: `New order: 4 × Wall bracket in PETG for Nathan Smith, due 2030-01-31 (${label})` },
      ]);
      const execution = await succeeds(world.n8n.nextExecution());
      const [event] = execution.output('New order') as Array<{ data: Fields }>;
      assert.equal(event?.data.id, id);

      // a change of status is no new order
      await setStatus(world, id, 'assigned');
      const { label: nobody } = await createOrder(world, { material_name: '', due_date: '2030-01-31' });
      assert.deepEqual((await messages(world, before, 2))[1], {
        text: `New order: 1 × Wall bracket, due 2030-01-31 (${nobody})`,
      });
    },
  },
  {
    file: '6-nightly-reconcile.json',
    credentials: ['farmboardApi'],
    async prove(world) {
      const missedIn = (execution: Execution): string[] =>
        execution
          .output('Missed orders')
          .map(({ order_id, workflow_status, source }) => `${order_id} ${workflow_status} ${source}`);

      // what was there before is noted in the first night
      await succeeds(world.n8n.runByHand('Every night'));
      await world.n8n.publish();
      const { id: seen } = await createOrder(world);
      await succeeds(world.n8n.nextExecution());
      await setStatus(world, seen, 'assigned');
      const execution = await succeeds(world.n8n.nextExecution());
      assert.deepEqual(
        execution
          .output('Your steps')
          .map(({ order_id, workflow_status, source }) => [order_id, workflow_status, source]),
        [[seen, 'assigned', 'event']],
      );
      const { id: moved } = await createOrder(world);
      await succeeds(world.n8n.nextExecution());

      await world.n8n.unpublish();
      await setStatus(world, moved, 'closed');
      const { id: created } = await createOrder(world);

      const night = await succeeds(world.n8n.runByHand('Every night'));
      assert.deepEqual(missedIn(night).sort(), [`${moved} closed nightly`, `${created} negotiation nightly`].sort());
      assert.equal(night.output('Your steps').length, 2);
      assert.deepEqual(missedIn(await succeeds(world.n8n.runByHand('Every night'))), []);
    },
  },
  {
    file: '7-order-from-form.json',
    credentials: ['farmboardApi'],
    async prove(world) {
      await world.n8n.publish();
      const address = world.n8n.url('form/farmboard-order');
      // the form turns away what does not call itself a browser
      const headers = { 'user-agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0' };
      const page = await (await fetch(address, { headers })).text();
      for (const text of ['Order a print', 'What is to be printed', 'PETG']) assert.ok(page.includes(text), text);

      const form = new FormData();
      const model = `Hook ${Date.now()}`;
      for (const [i, value] of [model, '3', 'PETG', '2030-02-28', 'Ada', 'ada@example.com', ''].entries()) {
        form.append(`field-${i}`, value);
      }
      const sent = await fetch(address, { method: 'POST', headers, body: form });
      assert.equal(sent.status, 200);
      const { formWaitingUrl } = (await sent.json()) as { formWaitingUrl: string };

      // the browser is answered at once and waits for the last page
      const query = `/print-jobs?q=${encodeURIComponent(model)}`;
      const orders = await eventually(
        async () => (await world.farmboard.get<{ items: Fields[] }>(query)).body.items,
        (items) => items.length > 0,
      );
      assert.equal(orders.length, 1);
      const { id, quantity_pieces, material_name, due_date, customer_name, customer_contact } = orders[0] as Fields;
      assert.deepEqual(
        [quantity_pieces, material_name, due_date, customer_name, customer_contact],
        [3, 'PETG', '2030-02-28', 'Ada', 'ada@example.com'],
      );
      const lastPage = await eventually(
        async () => (await fetch(formWaitingUrl, { headers })).text(),
        (text) => text.includes('Thank you!'),
      );
      assert.ok(lastPage.includes(`Your order is ORDER-${id}.`));
    },
  },
  {
    file: '8-ask-the-farm.json',
    credentials: ['farmboardApi', 'openAiApi'],
    async prove(world) {
      const customer = `Nathan ${Date.now()}`;
      const { id } = await createOrder(world, { customer_name: customer, workflow_status: 'printing' });
      await createOrder(world, { customer_name: 'Ada' });

      world.model.follow([
        { tool: 'Find_orders', input: { search: customer } },
        { tool: 'Set_order_status', input: { order_id: id, workflow_status: 'packed' } },
        { tool: 'Set_order_status', input: { order_id: id, workflow_status: 'packing' } },
        { tool: 'List_filament', input: {} },
        { say: 'It is being packed.' },
      ]);
      const question = { sessionId: id, action: 'sendMessage', chatInput: `Set the order of ${customer} to packing` };
      const execution = await succeeds(world.n8n.runByHand('Question', question));

      assert.deepEqual(execution.output('Assistant'), [{ output: 'It is being packed.' }]);
      assert.deepEqual(world.model.tools().sort(), ['Find_orders', 'List_filament', 'Set_order_status']);
      const [found, refused, moved, filaments] = world.model.heard();
      assert.equal(found?.match(/"model_name"/g)?.length, 1);
      assert.ok(found.includes(id), found);
      // a made-up status is told to the model, not written
      assert.match(String(refused), /"packed.*is not a workflow status/);
      assert.match(String(moved), /"workflow_status":"packing"/);
      assert.match(String(filaments), /remaining_grams/);
      assert.equal(await statusOf(world, id), 'packing');
    },
  },
];
