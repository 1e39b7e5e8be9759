import { rmSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import sqlite3 from 'sqlite3';
import { EXAMPLE_IDS as ID } from '../../backend/src/http/examples.ts';
import { secretContext, urlContext } from '../../backend/src/webhooks/subscriptions/subscription.ts';
import { createSecretBox } from '../../common/src/crypto.ts';
import { scrub } from '../../common/src/logger.ts';
import { createClient } from '../kit/client.ts';
import { type Browser, openBrowser } from '../kit/console-client.ts';
import { PATIENCE_MS } from '../kit/eventually.ts';
import { type Farm, startFarm } from '../kit/farm.ts';
import { openForm, PNG, sendForm, waitUntilAccepted } from '../kit/leads.ts';

const SECRET_KEY = 'for tests only, and with enough characters';

interface Media {
  schema: unknown;
  example?: unknown;
}
interface Parameter extends Media {
  name: string;
  in: 'path' | 'query' | 'header';
  required: boolean;
  style?: string;
  explode?: boolean;
  schema: { type?: string; minimum?: number; maximum?: number; enum?: unknown[]; items?: { enum?: unknown[] } };
}
interface Operation {
  operationId: string;
  description?: string;
  parameters?: Parameter[];
  requestBody?: { required: boolean; content: Record<string, Media> };
  responses: Record<string, { content?: Record<string, Media> }>;
}
interface Document {
  servers: { url: string }[];
  components: { schemas: Record<string, unknown> };
  tags: { name: string; description?: string }[];
  paths: Record<string, Record<string, Operation>>;
  webhooks: Record<string, { post: Operation }>;
}

/** The database file of the service. */
function openFile(file: string) {
  const db = new sqlite3.Database(file);
  db.configure('busyTimeout', PATIENCE_MS);
  const all = <R>(sql: string, values: unknown[] = []) =>
    new Promise<R[]>((resolve, reject) => {
      db.all<R>(sql, values, (error, rows) => (error ? reject(error) : resolve(rows)));
    });
  const exec = (sql: string) =>
    new Promise<void>((resolve, reject) => {
      db.exec(sql, (error) => (error ? reject(error) : resolve()));
    });
  /** But those of the search, which triggers fill. */
  const tables = async () =>
    (
      await all<{ name: string }>(
        `SELECT name FROM sqlite_master
         WHERE type = 'table' AND name NOT LIKE 'sqlite_%' AND name NOT LIKE 'order_search%'`,
      )
    ).map(({ name }) => name);
  return { all, exec, tables, close: () => new Promise<void>((resolve) => db.close(() => resolve())) };
}

let farm: Farm;
let browser: Browser;
let cookie: string | undefined;
let agentToken: string;
let file: ReturnType<typeof openFile>;
/** The OpenAPI documents of the APIs. */
let documents: Record<'automation' | 'console' | 'agent', Document>;
/** Restores every row as the examples expect it. */
let restore: () => Promise<void>;

type Made = { id: string };
const post = async (path: string, body: unknown) => (await browser.post<Made>(path, body)).body.id;
const firstOf = async (path: string) => (await browser.get<{ items: Made[] }>(path)).body.items[0]?.id as string;

/** Creates a record of each kind. */
async function makeRecords(): Promise<Record<string, string>> {
  const profile = { slug: 'layer-workshop', is_public: true, headline: 'Layer Workshop' };
  expect((await browser.put('/profile', profile)).status).toBe(200);
  const form = await openForm(farm.service.origin, profile.slug);
  const group = await post('/printer-groups', { name: 'Workshop' });
  const printer = await post('/printers', { name: 'Prusa 1', model: 'Prusa MK4S', group_id: group });
  const external = { source: 'shopify', external_id: '5001' };
  const order = await post('/print-jobs', { model_name: 'Wall bracket', price: 4990, currency: 'EUR', ...external });
  const filament = await post('/filaments', { name: 'PETG black', spool_count: 2 });
  await post(`/filaments/${filament}/consume`, { grams: 10 });
  const subscription = await post('/webhook-subscriptions', { url: 'http://127.0.0.1:9/', events: ['order.created'] });
  const agent = await browser.post<Made & { token: string }>('/agents', { name: 'Agent', printer_id: printer });
  agentToken = agent.body.token;
  const toAgents = await createClient(farm.service.origin, agentToken, '/agent/v1');
  const ahead = { event_id: 'ahead', filename: 'a.gcode', outcome: 'finished', at: '2099-01-01T00:00:00Z' };
  expect((await toAgents.post('/reports', ahead)).status).toBe(422);
  await browser.post('/tokens', { name: 'n8n' });
  const upload = {
    raw: PNG,
    headers: { 'Content-Type': 'application/octet-stream', 'Content-Length': `${PNG.length}` },
  };
  const { photos } = (await browser.ask<{ photos: string[] }>('POST', '/profile/photos', upload)).body;
  const lines = [{ description: 'Wall bracket', quantity: 1, unit_price: 4990 }];
  const invoice = await post('/invoices', { customer_name: 'Vera', currency: 'EUR', due_date: '2099-12-31', lines });
  expect((await browser.put('/invoice-seller', { name: 'Layer Workshop', address: 'Berlin' })).status).toBe(200);
  const provider = await post('/payment-providers', { kind: 'notification', name: 'Bank' });
  const delivery = await post(`/webhook-subscriptions/${subscription}/test`, undefined);
  await waitUntilAccepted(form);
  const request = await sendForm(farm.service.origin, form, { file: { name: 'bracket.png', content: PNG } });
  expect(request.status).toBe(303);
  expect(photos).toHaveLength(1);
  const tokens = (await browser.get<{ items: (Made & { name: string })[] }>('/tokens')).body.items;
  await (await openBrowser(farm.service)).signIn('you@example.org');
  const sessions = (await browser.get<{ items: (Made & { is_this_one: boolean })[] }>('/sessions')).body.items;
  return {
    group,
    printer,
    order,
    filament,
    subscription,
    delivery,
    invoice,
    provider,
    agent: agent.body.id,
    refusedReport: await firstOf(`/printers/${printer}/refused-reports`),
    photo: photos[0] as string,
    token: tokens.find(({ name }) => name === 'n8n')?.id as string,
    session: sessions.find(({ is_this_one: isThisOne }) => !isThisOne)?.id as string,
    lead: await firstOf('/leads'),
    event: await firstOf('/events'),
    batch: await firstOf(`/filaments/${filament}/batches`),
    entry: await firstOf(`/filaments/${filament}/ledger`),
  };
}

/** Gives the records the ids of the examples, wherever they are referred to. */
async function rename(made: Record<string, string>): Promise<void> {
  for (const table of await file.tables()) {
    const columns = await file.all<{ name: string; type: string }>(
      `SELECT name, type FROM pragma_table_info('${table}')`,
    );
    for (const { name } of columns.filter(({ type }) => type === 'TEXT'))
      for (const [kind, id] of Object.entries(made)) {
        const wanted = ID[kind as keyof typeof ID];
        await file.all(`UPDATE ${table} SET ${name} = replace(${name}, ?, ?) WHERE instr(${name}, ?)`, [
          id,
          wanted,
          id,
        ]);
      }
  }
  // an encrypted secret is bound to the id of its record
  const box = createSecretBox(SECRET_KEY);
  await file.all('UPDATE subscriptions SET url_encrypted = ?, secret_encrypted = ?', [
    box.encrypt('http://127.0.0.1:9/', urlContext(ID.subscription)),
    box.encrypt('whsec_test', secretContext(ID.subscription)),
  ]);
  await file.all(
    `INSERT INTO invoice_payments (id, account_id, source, kind, amount_minor, currency, counts, needs_review, reason, at, recorded_at)
     SELECT ?, id, 'notification', 'payment', 4990, 'EUR', 0, 1, 'unknown_invoice', 0, 0 FROM accounts WHERE email = 'you@example.org'`,
    [ID.payment],
  );
}

async function keep(): Promise<() => Promise<void>> {
  const copy = `${farm.file}.kept`;
  await file.exec(`VACUUM INTO '${copy}'; ATTACH '${copy}' AS kept`);
  const names = await file.tables();
  const back = names.map((name) => `DELETE FROM main.${name}; INSERT INTO main.${name} SELECT * FROM kept.${name};`);
  return () => file.exec(`BEGIN IMMEDIATE; ${back.join(' ')} COMMIT;`);
}

beforeAll(async () => {
  farm = await startFarm({ SECRET_KEY, SIGN_UP: 'open', SIMULATIONS: '1', WEBHOOK_ALLOWED_HOSTS: 'loopback' });
  file = openFile(farm.file);
  await file.all('UPDATE accounts SET email = ? WHERE email = ?', ['you@example.org', farm.email]);
  browser = await openBrowser(farm.service);
  await browser.signIn('you@example.org');
  cookie = browser.cookie();
  await rename(await makeRecords());
  documents = await readDocuments();
  restore = await keep();
});

afterAll(async () => {
  await file?.close();
  if (farm) rmSync(`${farm.file}.kept`, { force: true });
  await farm?.close();
});

/** Prepares what an example needs beyond the records, such as an issued invoice instead of a draft. */
const issue = () => browser.post(`/invoices/${ID.invoice}/issue`, {});
const empty = () =>
  file.exec('DELETE FROM orders; DELETE FROM filaments; DELETE FROM printers; DELETE FROM printer_groups');
const BEFORE: Record<string, () => Promise<unknown>> = {
  voidInvoice: issue,
  getInvoicePdf: issue,
  recordPayment: issue,
  fillWithSampleData: empty,
};

/** Values that can't be known in advance: current signatures and codes of one-time links. */
const UNKNOWN_HEADERS = new Set(['X-Agent-Signature']);
const UNKNOWN_BODIES = new Set(['createFirstOwner', 'openSimulation']);

const operationsOf = (document: Document) =>
  Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })),
  );

type Send = (
  method: string,
  path: string,
  request: { headers: Record<string, string>; raw: string | undefined; upload: boolean },
) => Promise<{ status: number; text: string }>;

const byToken =
  (client: Awaited<ReturnType<typeof createClient>>): Send =>
  (method, path, { headers, raw }) =>
    client.call(method, path, { headers, ...(raw === undefined ? {} : { raw }) });

const toConsole: Send = (method, path, { headers, raw, upload }) =>
  browser.ask(method, path, {
    headers: upload ? { ...headers, 'Content-Type': 'application/octet-stream' } : headers,
    ...(upload ? { raw: PNG } : raw === undefined ? {} : { raw }),
  });

/** Texts of a parameter that the service must take, and those that it must refuse. */
function textsOf({ example, schema }: Parameter): { right: string[][]; wrong: string[] } {
  const { type, minimum = 0, maximum = 0, enum: values, items } = schema;
  if (items?.enum)
    return { right: [items.enum.map(String), [String(items.enum[0])]], wrong: ['', 'nothing', 'done,closed'] };
  if (values) return { right: values.map((value) => [String(value)]), wrong: ['', 'nothing', '31'] };
  if (type === 'boolean') return { right: [['true'], ['false']], wrong: ['', 'TRUE', '1'] };
  if (type === 'integer')
    return {
      right: [[`${minimum}`], [`${maximum}`]],
      wrong: ['', `${minimum - 1}`, `${maximum + 1}`, '1.5', '1e2', 'x'],
    };
  return { right: [[String(example)]], wrong: [] };
}

/** Requests whose query has a text of one parameter, and what is wrong with their responses. */
async function queryFaults(document: Document, send: Send): Promise<{ sent: number; faults: string[] }> {
  const faults: string[] = [];
  let sent = 0;
  const one = async (name: string, path: string, isRight: boolean) => {
    const { status, text } = await send('GET', path, { headers: {}, raw: undefined, upload: false });
    sent += 1;
    const isRefused = status === 422 && text.includes(`"pointer":"query/${name}"`);
    if (isRight ? status !== 200 : !isRefused) faults.push(`${path} → ${status}: ${text.slice(0, 200)}`);
  };
  const reads = operationsOf(document).filter(({ method }) => method === 'GET');
  for (const { path, operation } of reads) {
    const parameters = operation.parameters ?? [];
    const filled = parameters
      .filter((of) => of.in === 'path')
      .reduce((text, { name, example }) => text.replace(`{${name}}`, String(example)), path);
    // a cursor is of one list of one farm
    const queries = parameters.filter((of) => of.in === 'query' && of.name !== 'cursor');
    for (const parameter of queries) {
      const { right, wrong } = textsOf(parameter);
      const { name } = parameter;
      const withTexts = (texts: string[]) =>
        `${filled}?${new URLSearchParams(texts.map((text): [string, string] => [name, text]))}`;
      for (const texts of right) await one(name, withTexts(texts), true);
      for (const text of wrong) await one(name, withTexts([text]), false);
      // only a list may be repeated
      if (parameter.schema.type !== 'array')
        await one(name, withTexts([...(right[0] ?? []), ...(right[0] ?? [])]), false);
    }
  }
  return { sent, faults };
}

/** Sends the example of every operation that has one. @returns how many were sent, and which failed */
async function sendAll(document: Document, send: Send): Promise<{ sent: number; failed: string[] }> {
  let sent = 0;
  const failed: string[] = [];
  for (const { path, method, operation } of operationsOf(document)) {
    const { operationId, parameters = [], requestBody } = operation;
    if ((parameters.length === 0 && !requestBody) || UNKNOWN_BODIES.has(operationId)) continue;
    const of = (place: string) => parameters.filter((one) => one.in === place);
    const filled = of('path').reduce((text, { name, example }) => text.replace(`{${name}}`, String(example)), path);
    const query = new URLSearchParams(
      // a cursor is of one list of one farm, and replaces the page
      of('query')
        .filter(({ name }) => name !== 'cursor')
        .map(({ name, example }): [string, string] => [name, String(example)]),
    ).toString();
    const headers = Object.fromEntries(
      of('header')
        .filter(({ name }) => !UNKNOWN_HEADERS.has(name))
        // the time of the last change is the one of this run
        .filter(({ name }) => name !== 'If-Match' || path.startsWith('/print-jobs'))
        .map(({ name, example }) => [name, String(example)]),
    );
    const body = requestBody?.content['application/json'];
    await restore();
    browser.setCookie(cookie);
    await BEFORE[operationId]?.();
    const answer = await send(method, query ? `${filled}?${query}` : filled, {
      headers,
      raw: body ? JSON.stringify(body.example) : undefined,
      upload: requestBody !== undefined && !body,
    });
    sent += 1;
    const isUnchanged = answer.status === 304 && headers['If-None-Match'] !== undefined;
    if (answer.status >= 300 && !isUnchanged) failed.push(`${operationId} → ${answer.status}: ${answer.text}`);
    const [key] = await file.all<{ result: string }>('SELECT result FROM idempotency_keys');
    if (key && scrub(key.result) !== key.result) failed.push(`${operationId} stores a secret for replays`);
  }
  return { sent, failed };
}

/** Everything that should have an example: parameters, bodies, responses. */
function mediaOf(document: Document): { where: string; media: Media }[] {
  const content = (where: string, of: Record<string, Media> | undefined) =>
    Object.entries(of ?? {})
      .filter(([type]) => type.includes('json') || type === 'text/event-stream')
      .map(([type, media]) => ({ where: `${where} ${type}`, media }));
  const operations = [
    ...operationsOf(document).map(({ operation }) => operation),
    ...Object.values(document.webhooks).map(({ post }) => post),
  ];
  return operations.flatMap(({ operationId, parameters = [], requestBody, responses }) => [
    ...parameters.map((media) => ({ where: `${operationId} ${media.in} ${media.name}`, media })),
    ...content(`${operationId} body`, requestBody?.content),
    ...Object.entries(responses).flatMap(([status, answer]) => content(`${operationId} ${status}`, answer.content)),
  ]);
}

async function readDocuments(): Promise<typeof documents> {
  const read = async (path: string) =>
    (await (await fetch(`${farm.service.origin}${path}/openapi.json`)).json()) as Document;
  return { automation: await read('/api/v1'), console: await read('/console/api'), agent: await read('/agent/v1') };
}

test('describes every operation and every group', async () => {
  for (const document of Object.values(documents)) {
    const undescribed = operationsOf(document).filter(({ operation }) => !operation.description);
    expect([undescribed, document.tags.filter(({ description }) => !description)]).toEqual([[], []]);
  }
});

test('has a valid example for every parameter, body and response', async () => {
  for (const [name, document] of Object.entries(documents)) {
    const ajv = new Ajv2020({ strict: false, allErrors: true });
    addFormats.default(ajv);
    ajv.addSchema({ $id: name, ...document });
    const faults: string[] = [];
    const found = mediaOf(document);
    for (const { where, media } of found) {
      if (media.example === undefined) faults.push(`${where}: none`);
      const schema = JSON.parse(JSON.stringify(media.schema).replaceAll('"#/', `"${name}#/`));
      if (!ajv.validate(schema, media.example))
        faults.push(`${where}: ${ajv.errorsText()} ${JSON.stringify(media.example)}`);
    }
    expect(faults).toEqual([]);
    process.stdout.write(`examples.test: ${name}: ${found.length} examples fit\n`);
  }
});

test('runs every request example successfully', async () => {
  const { automation, console, agent } = documents;
  const toAgents = await createClient(farm.service.origin, agentToken, '/agent/v1');
  const results = {
    automation: await sendAll(automation, byToken(farm.client)),
    console: await sendAll(console, toConsole),
    agent: await sendAll(agent, byToken(toAgents)),
  };
  for (const [name, { sent, failed }] of Object.entries(results)) {
    process.stdout.write(`examples.test: ${name}: ${sent} requests sent, ${sent - failed.length} succeeded\n`);
    expect([name, failed]).toEqual([name, []]);
  }
});

test('takes in a query what the documents say, and nothing else', async () => {
  const { automation, console } = documents;
  const ofApi = await queryFaults(automation, byToken(farm.client));
  const ofConsole = await queryFaults(console, toConsole);
  process.stdout.write(`examples.test: ${ofApi.sent} and ${ofConsole.sent} queries sent\n`);
  expect([ofApi.faults, ofConsole.faults]).toEqual([[], []]);
  expect([ofApi.sent, ofConsole.sent].map((sent) => sent > 100)).toEqual([true, true]);
});

test('suits generators of clients: types, lists, bodies and the address', async () => {
  for (const [name, document] of Object.entries(documents)) {
    const faults: string[] = [];
    for (const { method, operation } of operationsOf(document)) {
      const { operationId, parameters = [], requestBody } = operation;
      for (const { name, in: place, schema, style, explode } of parameters) {
        const types = place === 'query' ? ['integer', 'boolean', 'string', 'array'] : ['string'];
        if (!types.includes(schema.type ?? '')) faults.push(`${operationId} ${name} has the type ${schema.type}`);
        // a text with a pattern of digits, or of true and false, is another type
        const { pattern, enum: values } = schema as { pattern?: string; enum?: unknown[] };
        if (schema.type === 'string' && (/^\^\\d/.test(pattern ?? '') || values?.includes('true')))
          faults.push(`${operationId} ${name} is a number or a boolean`);
        // orval repeats a parameter only with both
        if (schema.type === 'array' && (style !== 'form' || !explode))
          faults.push(`${operationId} ${name} isn't exploded`);
      }
      // programs send an empty object with every POST
      const needsBody = method === 'POST' || method === 'PUT';
      if (needsBody && !requestBody) faults.push(`${operationId} has no body`);
      if (!needsBody && requestBody) faults.push(`${operationId} has a body`);
    }
    // openapi-typescript makes a field with a default required
    for (const [id, schema] of Object.entries(document.components.schemas))
      if (id.endsWith('Input') && JSON.stringify(schema).includes('"default":')) faults.push(`${id} has a default`);
    // as linters do, which don't read extensions
    const text = JSON.stringify(document, (key, value) => (key.startsWith('x-') ? undefined : value));
    for (const id of Object.keys(document.components.schemas))
      if (!text.includes(`"#/components/schemas/${id}"`)) faults.push(`${id} is used nowhere`);
    const base = { automation: '/api/v1', console: '/console/api', agent: '/agent/v1' }[name];
    expect([name, faults, document.servers]).toEqual([name, [], [{ url: `${farm.service.origin}${base}` }]]);
  }
});
