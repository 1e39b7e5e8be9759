import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { eventually } from '../kit/eventually.ts';
import { startChatModel } from '../kit/n8n/chat-model.ts';
import { type NewWorkflow, outputOf } from '../kit/n8n/n8n-client.ts';
import { createOrder, openTestSetup, setStatus, type TestSetup } from '../kit/n8n/scene.ts';
import { CREDENTIAL_TYPE } from '../kit/n8n/workflows.ts';
import { forSuite } from '../kit/opened.ts';
import { startReceiver } from '../kit/receiver.ts';

// Imports every example of examples/n8n unchanged, with credentials chosen as its note says, and runs it.

const FOLDER = resolve(__dirname, '../../examples/n8n');
const KEY = { name: 'X-Workshop-Key', value: 'a long value' };
const CHAT_URL = 'https://chat.example.com/hooks/replace-me';

let scene: TestSetup;
/** The chat that messages go to. */
const chat = forSuite(startReceiver);
let credentials: Record<string, { id: string; name: string }>;

beforeAll(async () => {
  scene = await openTestSetup();
  const { id } = await scene.n8n.client.createCredential('Workshop', 'httpHeaderAuth', KEY);
  credentials = { [CREDENTIAL_TYPE]: scene.credential, httpHeaderAuth: { id, name: 'Workshop' } };
});

afterEach(() => scene.clear());

afterAll(async () => {
  await scene?.close();
});

function load(file: string): NewWorkflow {
  const text = readFileSync(join(FOLDER, file), 'utf8').replaceAll(CHAT_URL, chat.url);
  const { name, nodes, connections, settings, pinData } = JSON.parse(text) as NewWorkflow;
  for (const node of nodes) {
    for (const type of Object.keys(node.credentials ?? {})) {
      if (!credentials[type]) throw new Error(`${file}: no credential of type ${type} is prepared`);
      node.credentials![type] = credentials[type];
    }
  }
  return { name, nodes, connections, settings, pinData };
}

async function importAndPublish(file: string): Promise<string> {
  const { id } = await scene.n8n.client.create(load(file));
  await scene.n8n.client.publish(id);
  return id;
}

/** Posts to a published Webhook node, like a scanner or a print server. */
async function post(path: string, body: unknown, headers: Record<string, string> = { [KEY.name]: KEY.value }) {
  const response = await fetch(`${scene.front.origin}/webhook/${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
  const text = await response.text();
  return { status: response.status, body: (text.startsWith('{') ? JSON.parse(text) : text) as Record<string, unknown> };
}

const orderOf = async (id: string) => (await scene.api.get(`/print-jobs/${id}`)).body;

async function createFilament(fields: Record<string, unknown>): Promise<string> {
  const body = { name: 'PETG black', spool_weight_grams: 1000, spool_count: 1, ...fields };
  return (await scene.api.post<{ id: string }>('/filaments', body)).body.id;
}

async function firstPrinter(): Promise<{ id: string; name: string }> {
  const list = () => scene.api.get<{ items: Array<{ id: string; name: string }> }>('/printers');
  if ((await list()).body.items.length === 0) await scene.farmboard('demo', '--email', scene.email);
  return (await list()).body.items[0]!;
}

/** Waits for a message in the chat and gives its text. */
async function nextMessage(cause: () => Promise<unknown>): Promise<string> {
  const before = chat.received.length;
  await cause();
  await chat.until((all) => all.length > before);
  return (chat.received[before]!.body as unknown as { text: string }).text;
}

/** How each example is started, and what must then be true. */
const EXAMPLES: Record<string, (file: string) => Promise<void>> = {
  async '1-label-scan-assigned.json'(file) {
    await importAndPublish(file);
    const order = await createOrder(scene, { model_name: 'Wall bracket' });
    const printer = await firstPrinter();
    const scan = (label: string, headers?: Record<string, string>) =>
      post('farmboard-label-scan', { label, printer: printer.id }, headers);

    expect(await scan(`ORDER-${order}`)).toMatchObject({
      status: 200,
      body: { ok: true, order: `ORDER-${order}`, model: 'Wall bracket', status: 'assigned', printer: printer.name },
    });
    expect(await orderOf(order)).toMatchObject({ workflow_status: 'assigned', printer_id: printer.id });

    await setStatus(scene, order, 'printing');
    expect(await scan(`ORDER-${order}`)).toMatchObject({ status: 409, body: { ok: false, status: 'printing' } });
    expect(await orderOf(order)).toMatchObject({ workflow_status: 'printing' });

    expect(await scan('ORDER-11111111-2222-4333-8444-555555555555')).toMatchObject({
      status: 422,
      body: { ok: false },
    });
    expect(await scan('not a label')).toMatchObject({ status: 422, body: { ok: false } });
    expect((await scan(`ORDER-${order}`, { [KEY.name]: 'wrong' })).status).toBe(403);
  },

  async '2-print-started.json'(file) {
    await importAndPublish(file);
    const order = await createOrder(scene);
    const sent = await post('farmboard-print-started', { filename: `ORDER-${order}_bracket.gcode` });
    expect(sent).toMatchObject({ status: 200, body: { ok: true, status: 'printing' } });
    expect(await orderOf(order)).toMatchObject({ workflow_status: 'printing' });
    expect(await post('farmboard-print-started', { filename: 'benchy.gcode' })).toMatchObject({ status: 422 });
  },

  async '3-print-finished.json'(file) {
    await importAndPublish(file);
    const filament = await createFilament({});
    const order = await createOrder(scene);
    const report = { label: `ORDER-${order}`, result: 'success', filament, grams: 182.5 };
    const usedGrams = async () => (await scene.api.get(`/filaments/${filament}`)).body.used_grams;

    expect(await post('farmboard-print-finished', report)).toMatchObject({
      status: 200,
      body: { ok: true, status: 'done', filament_left_grams: 817.5 },
    });
    expect(await orderOf(order)).toMatchObject({ workflow_status: 'done' });
    expect(await usedGrams()).toBe(182.5);
    const { items } = (await scene.api.get<{ items: unknown[] }>(`/print-jobs/${order}/history`)).body;
    expect(JSON.stringify(items)).toContain('182.5');

    // a print server repeats a request without a response
    expect(await post('farmboard-print-finished', report)).toMatchObject({ status: 200 });
    expect(await usedGrams()).toBe(182.5);

    const failed = await createOrder(scene);
    const failure = { ...report, label: `ORDER-${failed}`, result: 'failed' };
    expect(await post('farmboard-print-finished', failure)).toMatchObject({ status: 200 });
    expect(await orderOf(failed)).toMatchObject({ workflow_status: 'print_error' });
    expect(await usedGrams()).toBe(182.5);

    // a late report does not move an order back
    expect(await post('farmboard-print-finished', { ...report, result: 'failed' })).toMatchObject({
      status: 200,
      body: { ok: true, status: 'done' },
    });
    expect(await orderOf(order)).toMatchObject({ workflow_status: 'done' });
  },

  async '4-low-stock-message.json'(file) {
    await importAndPublish(file);
    const filament = await createFilament({ name: 'ASA grey', low_stock_threshold_grams: 300 });
    const text = await nextMessage(() => scene.api.post(`/filaments/${filament}/consume`, { grams: 750 }));
    expect(text).toBe('ASA grey is running low: 250 g left, the threshold is 300 g.');
  },

  async '5-new-order-chat.json'(file) {
    await importAndPublish(file);
    const order = { quantity_pieces: 3, material_name: 'PLA', customer_name: 'Ada Byron', due_date: '2030-01-31' };
    let id = '';
    const text = await nextMessage(async () => {
      id = await createOrder(scene, { model_name: 'Hook', ...order });
    });
    expect(text).toBe(`New order: 3 × Hook in PLA for Ada Byron, due 2030-01-31 (ORDER-${id})`);
  },

  async '6-nightly-reconcile.json'(file) {
    const { client } = scene.n8n;
    const id = await importAndPublish(file);
    const seen = await createOrder(scene);
    await client.finishedRuns(id, 1);

    await scene.n8n.kill();
    await setStatus(scene, seen, 'delivery');
    const unseen = await createOrder(scene);
    const [subscription] = await scene.subscriptions();
    const deliveries = async () =>
      (
        await scene.api.get<{ items: Array<{ status: string }> }>(
          `/webhook-subscriptions/${subscription!.id}/deliveries`,
        )
      ).body.items;
    await eventually(deliveries, (all) => all.filter(({ status }) => status === 'failed').length === 2);
    await scene.n8n.restart();

    const night = async () => {
      const run = await client.run(id, 'Every night');
      expect(run.data.resultData.error?.message).toBeUndefined();
      return outputOf(run, 'Missed events').map(({ event, data }) => [event, (data as { id: string }).id]);
    };
    expect(await night()).toEqual([
      ['order.status_changed', seen],
      ['order.created', unseen],
    ]);
    const webhookRuns = async () => (await client.runsOf(id)).filter(({ mode }) => mode === 'webhook').length;
    await eventually(webhookRuns, (runs) => runs === 3);
    // what has arrived no longer counts as missed
    expect(await night()).toEqual([]);
  },

  async '7-order-from-form.json'(file) {
    const { client } = scene.n8n;
    const id = await importAndPublish(file);

    const form = new FormData();
    const answers = ['Wall bracket', '2', 'PETG', '2030-02-28', 'Grace Hopper', 'grace@test.example', 'black, please'];
    answers.forEach((answer, i) => {
      form.append(`field-${i}`, answer);
    });
    // n8n's form refuses programs, so the header names a browser
    const headers = { 'user-agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0' };
    const address = `${scene.n8n.origin}/form/farmboard-order`;
    const submitted = await fetch(address, { method: 'POST', body: form, headers });
    expect(submitted.status).toBe(200);
    const { formWaitingUrl } = (await submitted.json()) as { formWaitingUrl: string };

    const order = await eventually(
      async () => {
        const { items } = (await scene.api.get<{ items: Array<Record<string, unknown>> }>('/print-jobs')).body;
        return items.find(({ customer_name }) => customer_name === 'Grace Hopper');
      },
      (found) => found !== undefined,
    );
    expect(await orderOf(String(order?.id))).toMatchObject({
      model_name: 'Wall bracket',
      quantity_pieces: 2,
      material_name: 'PETG',
      due_date: '2030-02-28',
      customer_contact: 'grace@test.example',
      order_notes: 'black, please',
    });
    // like the form's own page: polls until the last page can be shown and only then requests the page, because a request
    // while the order is still being created may wait forever
    const { pathname, search } = new URL(formWaitingUrl);
    const at = scene.n8n.origin + pathname;
    await eventually(
      async () => await (await fetch(`${at}/n8n-execution-status${search}`, { headers })).text(),
      (status) => status === 'form-waiting',
    );
    expect(await (await fetch(at + search, { headers })).text()).toContain(`ORDER-${order?.id}`);
    await client.finishedRuns(id, 1);
  },

  async '8-ask-the-farm.json'(file) {
    const order = await createOrder(scene, { model_name: 'Unmistakable vase', workflow_status: 'printing' });
    const model = await startChatModel([
      () => ({ tool: 'Find_orders', args: { search: 'unmistakable' } }),
      () => ({ tool: 'List_filament', args: {} }),
      () => ({ tool: 'Set_order_status', args: { order_id: order, workflow_status: 'packing' } }),
    ]);
    try {
      const { client } = scene.n8n;
      const { id: modelId } = await client.createCredential('Model', 'openAiApi', { apiKey: 'unused', url: model.url });
      credentials.openAiApi = { id: modelId, name: 'Model' };
      const message = { sessionId: 'test', action: 'sendMessage', chatInput: 'Set the vase to packing' };
      const { id } = await client.create({ ...load(file), pinData: { Question: [{ json: message }] } });

      const run = await client.run(id, 'Question');

      expect(run.data.resultData.error?.message).toBeUndefined();
      expect(outputOf(run, 'Assistant')).toEqual([expect.objectContaining({ output: 'done' })]);
      expect(model.toolAnswers()).toHaveLength(3);
      expect(model.toolAnswers()[0]).toContain(order);
      expect(await orderOf(order)).toMatchObject({ workflow_status: 'packing' });
    } finally {
      await model.stop();
    }
  },
};

test('has a test for every example', () => {
  const files = readdirSync(FOLDER).filter((file) => file.endsWith('.json'));
  expect(files.sort()).toEqual(Object.keys(EXAMPLES).sort());
});

test.each(Object.entries(EXAMPLES))('runs %s', (file, run) => run(file));
