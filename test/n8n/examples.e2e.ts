import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { eventually, expectSoon } from '../kit/eventually.ts';
import { startChatModel } from '../kit/n8n/chat-model.ts';
import { startFakeServer } from '../kit/n8n/fake-server.ts';
import { type Execution, type NewWorkflow, ON_NEW_CONNECTION, outputOf } from '../kit/n8n/n8n-client.ts';
import { createOrder, openTestSetup, setStatus, type TestSetup } from '../kit/n8n/scene.ts';
import { CREDENTIAL_TYPE } from '../kit/n8n/workflows.ts';
import { forSuite } from '../kit/opened.ts';
import { startReceiver } from '../kit/receiver.ts';
import { etsyReceipt, shopifyOrder, signatureOf, wooCommerceOrder } from './shop-payloads.ts';

// Imports every example of examples/n8n unchanged, with credentials chosen as its note says, and runs it.

const FOLDER = resolve(__dirname, '../../examples/n8n');
const KEY = { name: 'X-Workshop-Key', value: 'a long value' };
const SHOP_SECRET = 'what the shop signs with';
const ETSY = 'https://api.etsy.com';
const CHAT_URL = 'https://chat.example.com/hooks/replace-me';

let scene: TestSetup;
/** The chat that messages go to. */
const chat = forSuite(startReceiver);
/** Etsy's API. */
const etsy = forSuite(startFakeServer);
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
  const text = readFileSync(join(FOLDER, file), 'utf8').replaceAll(CHAT_URL, chat.url).replaceAll(ETSY, etsy.origin);
  const { name, nodes, connections, settings, pinData } = JSON.parse(text) as NewWorkflow;
  for (const node of nodes) {
    if (node.type.endsWith('.crypto')) node.parameters.secret = SHOP_SECRET;
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

/** Sends what a shop sends, signed in a header of its own. */
async function deliver(path: string, body: Buffer, headers: Record<string, string>): Promise<number> {
  const response = await fetch(`${scene.front.origin}/webhook/${path}`, { method: 'POST', headers, body });
  await response.text();
  return response.status;
}

/** The orders of a shop by their IDs there. */
async function ordersFrom(source: string): Promise<Record<string, Record<string, unknown>>> {
  const { items } = (await scene.api.get<{ items: Record<string, unknown>[] }>(`/print-jobs?source=${source}`)).body;
  return Object.fromEntries(items.map((order) => [String(order.external_id), order]));
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
    const [subscription] = await scene.subscriptions();
    const deliveries = async () =>
      (
        await scene.api.get<{ items: Array<{ status: string }> }>(
          `/webhook-subscriptions/${subscription!.id}/deliveries`,
        )
      ).body.items;
    // until then, the order's next event waits
    await eventually(deliveries, (all) => all.length === 1);

    await scene.n8n.kill();
    await setStatus(scene, seen, 'delivery');
    const unseen = await createOrder(scene);
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
    const browser = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0';
    const headers = { 'user-agent': browser, ...ON_NEW_CONNECTION };
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
    await expectSoon(
      async () => await (await fetch(`${at}/n8n-execution-status${search}`, { headers })).text(),
      'form-waiting',
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

  async '9-shopify-orders.json'(file) {
    await importAndPublish(file);
    const send = (topic: string, body: Buffer, signature = signatureOf(SHOP_SECRET, body)) =>
      deliver('farmboard-shopify', body, {
        'content-type': 'application/json',
        'x-shopify-topic': topic,
        'x-shopify-hmac-sha256': signature,
      });
    const [first, second] = ['820982911946154508-866550311766439020', '820982911946154508-141249953214522974'];
    const orders = () => ordersFrom('shopify');

    const created = shopifyOrder();
    expect(await send('orders/create', created, signatureOf('another secret', created))).toBe(401);
    expect(await send('orders/create', created, '')).toBe(401);
    expect(await orders()).toEqual({});

    // the change arrives before the order itself, and the shop repeats both
    const updated = shopifyOrder(
      ['"updated_at": "2021-12-31T19:00:00-05:00"', '"updated_at": "2022-01-01T09:30:00-05:00"'],
      ['"current_quantity": 1', '"current_quantity": 3'],
    );
    for (const body of [updated, created, created, updated]) expect(await send('orders/create', body)).toBe(200);
    const both = await orders();
    expect(Object.keys(both).sort()).toEqual([second, first].sort());
    expect(both[first as string]).toMatchObject({
      model_name: 'IPod Nano - 8GB',
      quantity_pieces: 3,
      price: 59_700,
      currency: 'USD',
      customer_name: 'John Smith',
      customer_contact: 'jon@example.com',
      workflow_status: 'negotiation',
      external_updated_at: '2022-01-01T14:30:00.000Z',
    });
    expect(both[second as string]).toMatchObject({ quantity_pieces: 1, price: 19_900 });

    // the workshop has begun; a later edit in the shop changes the pieces, not the status
    await setStatus(scene, String(both[first as string]?.id), 'printing');
    const edited = shopifyOrder(
      ['"updated_at": "2021-12-31T19:00:00-05:00"', '"updated_at": "2022-01-02T09:30:00-05:00"'],
      ['"current_quantity": 1', '"current_quantity": 0'],
    );
    expect(await send('orders/updated', edited)).toBe(200);
    expect((await orders())[first as string]).toMatchObject({ quantity_pieces: 0, workflow_status: 'printing' });
  },

  async '10-woocommerce-orders.json'(file) {
    await importAndPublish(file);
    const send = (body: Buffer, signature = signatureOf(SHOP_SECRET, body)) =>
      deliver('farmboard-woocommerce', body, {
        'content-type': 'application/json',
        'x-wc-webhook-topic': 'order.updated',
        'x-wc-webhook-signature': signature,
      });
    // WooCommerce pings the address when a webhook is saved, and keeps the webhook only if it is answered with 200
    const ping = { 'content-type': 'application/x-www-form-urlencoded' };
    expect(await deliver('farmboard-woocommerce', Buffer.from('webhook_id=3'), ping)).toBe(200);

    const created = wooCommerceOrder();
    const updated = wooCommerceOrder(
      ['"date_modified_gmt": "2017-03-22T19:28:08"', '"date_modified_gmt": "2017-03-22T20:00:00"'],
      ['"quantity": 2, "total": "6.00"', '"quantity": 5, "total": "15.00"'],
    );
    expect(await send(created, signatureOf('another secret', created))).toBe(401);
    expect(await ordersFrom('woocommerce')).toEqual({});
    for (const body of [updated, created, updated, created]) expect(await send(body)).toBe(200);

    const orders = await ordersFrom('woocommerce');
    expect(Object.keys(orders).sort()).toEqual(['727-315', '727-316']);
    expect(orders['727-315']).toMatchObject({
      model_name: 'Woo Single #1',
      quantity_pieces: 5,
      price: 1500,
      currency: 'USD',
      customer_name: 'John Doe',
      customer_contact: 'john.doe@example.com',
      external_updated_at: '2017-03-22T20:00:00.000Z',
    });
    expect(orders['727-316']).toMatchObject({ quantity_pieces: 1, price: 1200 });
  },

  async '11-etsy-orders.json'(file) {
    const { client } = scene.n8n;
    const pages: unknown[][] = [];
    etsy.answerWith(({ path, query }) => {
      if (path.endsWith('/token')) return { body: { access_token: 'of-etsy', token_type: 'Bearer', expires_in: 3600 } };
      const results = pages[Number(query.get('offset') ?? 0) / 100] ?? [];
      return { body: { count: results.length, results } };
    });
    const { id: credential } = await client.createCredential('Etsy', 'oAuth2Api', {
      grantType: 'clientCredentials',
      accessTokenUrl: `${etsy.origin}/v3/public/oauth/token`,
      clientId: 'keystring',
      clientSecret: 'unused',
      scope: 'transactions_r',
      authentication: 'body',
    });
    credentials.oAuth2Api = { id: credential, name: 'Etsy' };
    const id = await importAndPublish(file);
    const run = async (...receipts: unknown[][]) => {
      pages.splice(0, pages.length, ...receipts);
      const { resultData } = (await client.run(id, 'Every 10 minutes')).data;
      expect(resultData.error?.message).toBeUndefined();
    };

    await run([etsyReceipt(1_767_000_600, 3)]);
    // an older state, the same again, and more receipts than fit on a page
    await run([etsyReceipt(1_767_000_000)], []);
    await run([etsyReceipt(1_767_000_600, 3)]);
    const orders = await ordersFrom('etsy');
    expect(Object.keys(orders).sort()).toEqual(['3456789012-4001', '3456789012-4002']);
    expect(orders['3456789012-4001']).toMatchObject({
      model_name: 'Planter with saucer',
      quantity_pieces: 3,
      price: 5850,
      currency: 'EUR',
      customer_name: 'Grace Hopper',
      customer_contact: 'grace@shop.example',
      external_updated_at: '2025-12-29T09:30:00.000Z',
    });
    const others = Array.from({ length: 100 }, (_, i) => ({
      ...etsyReceipt(1_767_000_000),
      receipt_id: i + 1,
      transactions: [],
    }));
    const late = { ...etsyReceipt(1_767_000_000), receipt_id: 101 };
    await run(others, [late]);
    expect(Object.keys(await ordersFrom('etsy'))).toHaveLength(4);

    const asked = etsy.seen.filter(({ path }) => path.endsWith('/receipts'));
    expect(asked.at(-1)?.query.get('offset')).toBe('100');
    expect(asked[0]?.headers).toMatchObject({ authorization: 'Bearer of-etsy' });
    expect(Object.fromEntries(asked[0]?.query ?? [])).toMatchObject({ was_paid: 'true', sort_on: 'updated' });
    expect(Number(asked[0]?.query.get('min_last_modified'))).toBeGreaterThan(Date.now() / 1000 - 90_000);
  },

  async '12-wait-for-status.json'(file) {
    const { client } = scene.n8n;
    const start = async (giveUpAfterHours: number) => {
      const workflow = load(file);
      const settings = workflow.nodes.find(({ name }) => name === 'Settings')?.parameters as {
        assignments: { assignments: { name: string; value: unknown }[] };
      };
      for (const one of settings.assignments.assignments) {
        if (one.name === 'look_every_seconds') one.value = 1;
        if (one.name === 'give_up_after_hours') one.value = giveUpAfterHours;
      }
      const { id } = await client.create(workflow);
      await client.publish(id);
      const order = await createOrder(scene);
      await setStatus(scene, order, 'assigned');
      await setStatus(scene, order, 'printing');
      return { id, order };
    };
    // a waiting run has a time at which it stopped, too
    const finished = async (id: string) => {
      const [run] = await eventually(
        () => client.runsOf(id),
        ([first]) => first?.status === 'success',
      );
      return await client.execution(run!.id);
    };
    const nodesOf = (run: Execution) => Object.keys(run.data.resultData.runData);

    const { id, order } = await start(48);
    const reads = () =>
      scene.gateway.seen.filter(({ method, path }) => method === 'GET' && path.endsWith(order)).length;
    await eventually(
      async () => reads(),
      (looks) => looks >= 2,
    );
    await setStatus(scene, order, 'done');
    const waited = await finished(id);
    expect(nodesOf(waited)).toContain('Your steps');
    expect(outputOf(waited, 'Your steps')).toMatchObject([{ id: order, workflow_status: 'done' }]);
    await client.unpublish(id);

    const late = await start(0);
    const gaveUp = await finished(late.id);
    expect(nodesOf(gaveUp)).toContain('Too late');
    expect(nodesOf(gaveUp)).not.toContain('Your steps');
  },
};

test('has a test for every example', () => {
  const files = readdirSync(FOLDER).filter((file) => file.endsWith('.json'));
  expect(files.sort()).toEqual(Object.keys(EXAMPLES).sort());
});

test.each(Object.entries(EXAMPLES))('runs %s', (file, run) => run(file));
