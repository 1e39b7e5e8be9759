/**
 * Makes the upgrade fixture of a release, which `npm run release` calls for: a service of this checkout with every kind of
 * row, driven through its APIs, public pages and command line, and an agent that is killed. Jest runs it only by
 * `jest.release.config.cjs`. Nothing is written into the database but by the service, with one exception: the name of this
 * machine is taken out.
 */
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliCompressSync } from 'node:zlib';
import { startMoonraker } from '../../agent/src/simulation/printers/moonraker.ts';
import { spawnAgent } from '../kit/agent-process.ts';
import { type Client, createClient } from '../kit/client.ts';
import { type Browser, openBrowser, PASSWORD } from '../kit/console-client.ts';
import { readRows, write } from '../kit/database.ts';
import { eventually } from '../kit/eventually.ts';
import { STATUS_NAMES, UNKNOWN_ID } from '../kit/farm.ts';
import { findForm, PNG, REQUEST, sendForm, waitUntilAccepted } from '../kit/leads.ts';
import { send, signNotification } from '../kit/payments.ts';
import { postgresPlace, succeed } from '../kit/place.ts';
import { FIXTURES, type Fixture, PATHS, readAll, tablesOf, WEBHOOKS } from '../kit/release-fixture.ts';
import { type Env, type Service, startService } from '../kit/service.ts';

const VERSION = String(process.env.FARMBOARD_RELEASE);
const EXAMPLES = join(__dirname, '../../examples/n8n');
/** A simulated farm ends with the service that shows it. */
const EMPTY = ['simulations'];

interface Access {
  service: Service;
  client: Client;
  owner: Browser;
}

type Body = Record<string, unknown> & { id: string };

/** The body of an answer that must be a success. */
async function made(answer: Promise<{ status: number; text: string; body: unknown }>): Promise<Body> {
  const { status, text, body } = await answer;
  if (status >= 300) throw new Error(`${status} ${text}`);
  return body as Body;
}

async function makePrinters({ owner }: Access) {
  const rack = await made(owner.post('/printer-groups', { name: 'Rack 1', sort_order: 2 }));
  const printers: string[] = [];
  for (const name of ['A-01', 'A-02', 'A-03'])
    printers.push(
      (await made(owner.post('/printers', { name, internal_name: name, model: 'MK4', group_id: rack.id }))).id,
    );
  return { printers, group: rack.id };
}

async function makeOrders({ client }: Access, printers: string[]) {
  const orders: Record<string, string> = {};
  for (const [i, status] of STATUS_NAMES.entries()) {
    const fields = {
      model_name: `Bracket ${status}`,
      quantity_pieces: i + 1,
      material_name: 'PETG',
      color_hex: '#1E90FF',
      material_grams: 12.345 + i,
      print_hours: i + 0.125,
      due_date: `2026-12-${10 + i}`,
      order_notes: i % 2 ? 'Größe 5 µm, 打印, 🖨️\n"quoted" \\ and it\'s' : '',
      customer_name: i % 3 ? null : 'Вера',
      ...(i === 4 ? {} : { price: 4_990 + i, currency: 'EUR' }),
      printer_id: i >= 2 && i <= 4 ? printers[i % 2] : null,
      ...(i === 1 && { source: 'etsy', external_id: '3141592653' }),
    };
    orders[status] = (await made(client.post('/print-jobs', fields))).id;
    await made(client.put(`/print-jobs/${orders[status]}`, { workflow_status: status }));
  }
  const reset = await made(client.post('/print-jobs', { model_name: 'Silently reset', workflow_status: 'assigned' }));
  await made(client.put(`/print-jobs/${reset.id}`, { workflow_status: 'Shipped!' }));
  orders.reset = reset.id;
  return orders;
}

async function makeFilaments({ client, owner }: Access, order: string) {
  const petg = await made(
    client.post('/filaments', {
      name: 'PETG Black',
      type_name: 'PETG',
      colors: ['#000000'],
      spool_count: 1,
      spool_price_rub: 1499.9,
      received_at: '2026-11-01T08:00:00Z',
      low_stock_threshold_grams: 250,
    }),
  );
  await made(client.post(`/filaments/${petg.id}/batches`, { spool_count: 2, spool_price_rub: 1600 }));
  // out of two batches at once
  await made(client.post(`/filaments/${petg.id}/consume`, { grams: 1200.5, order_id: order, note: 'first spool' }));
  await made(client.post(`/filaments/${petg.id}/consume`, { grams: 33.333 }));
  const { items } = (await made(client.get(`/filaments/${petg.id}/ledger`))) as unknown as { items: Body[] };
  await made(owner.post(`/filaments/${petg.id}/ledger/${items[0]?.id}/undo`, { note: 'another spool' }));
  await made(owner.post(`/filaments/${petg.id}/stocktake`, { remaining_grams: 1780, note: 'weighed' }));
  const pla = await made(client.post('/filaments', { name: 'PLA', spool_count: 1, low_stock_threshold_grams: 100 }));
  await made(client.post(`/filaments/${pla.id}/consume`, { grams: 1050, allow_overdraw: true }));
  return { petg: petg.id, pla: pla.id };
}

async function makeSubscriptions({ client }: Access) {
  const add = async (path: string, fields: object) => {
    const { id, secret } = await made(client.post('/webhook-subscriptions', { url: `${WEBHOOKS}${path}`, ...fields }));
    return { id, secret: secret as string };
  };
  const events = ['order.created', 'order.status_changed', 'filament.low_stock', 'lead.created', 'invoice.paid'];
  const signed = await add('/signed?farm=1', {
    events,
    name: 'All events',
    client_key: 'upgrade',
    pause_after_failures: 50,
  });
  await made(
    client.put(`/webhook-subscriptions/${signed.id}`, { header: { name: 'Authorization', value: 'Bearer receiver' } }),
  );
  const { secret } = await made(client.post(`/webhook-subscriptions/${signed.id}/secret`, { overlap_hours: 168 }));
  const slack = await add('/slack/T0/B0/secret', { events: ['order.created'], format: 'slack' });
  const filter = { workflow_status: ['done'] };
  await add('/off', { events: ['order.status_changed'], enabled: false, filter });
  return { signed: { id: signed.id, secret: secret as string, previous: signed.secret }, slack };
}

async function makeInvoices({ service, owner }: Access, order: string) {
  const seller = { name: 'Мастерская «Слой»', address: 'Tverskaya 1\nMoscow', default_currency: 'EUR' };
  await made(owner.put('/invoice-seller', seller));
  const bank = await made(owner.post('/payment-providers', { kind: 'notification', name: 'Bank' }));
  const stripe = { kind: 'stripe', secret_key: 'sk_test_00000000', webhook_secret: 'whsec_00000000', enabled: false };
  await made(owner.post('/payment-providers', stripe));
  const draft = (fields: object) => made(owner.post('/invoices', { customer_name: 'Вера', ...fields }));
  const issue = async (fields: object) => made(owner.post(`/invoices/${(await draft(fields)).id}/issue`, {}));
  const lines = [{ description: 'Bracket', quantity: 2, unit_price: 2495 }];
  const open = await draft({ lines, note: 'draft' });
  const issued = await issue({ lines, due_date: '2026-12-24' });
  const paid = await issue({ lines, language: 'ru' });
  const settled = await issue({ order_ids: [order] });
  await made(owner.post(`/invoices/${settled.id}/payments`, { kind: 'payment', amount: settled.total, note: 'cash' }));
  await made(owner.get(`/invoices/${issued.id}/pdf`));
  for (const [invoice, amount] of [
    [paid.number, 4990],
    ['unknown', 77],
  ]) {
    const id = `notification-${amount}`;
    const paid_at = new Date().toISOString();
    const raw = JSON.stringify({ id, type: 'payment', invoice, amount, currency: 'EUR', paid_at, payer: 'Vera' });
    const url = `${service.origin}/payments/notification/${bank.id}`;
    expect((await send(url, raw, signNotification(bank.secret as string, raw))).status).toBe(200);
  }
  return {
    invoices: { draft: open.id, issued: issued.id, paid: paid.id, settled: settled.id },
    issuedNumber: issued.number as string,
    payPath: new URL(issued.pay_url as string).pathname,
    provider: { id: bank.id, secret: bank.secret as string },
  };
}

async function makeLeads({ service: { origin }, client, owner }: Access) {
  const slug = 'north-farm';
  const profile = {
    slug,
    is_public: true,
    headline: 'We print <anything>',
    materials: ['PLA'],
    contact: '+1 555 0100',
  };
  await made(owner.put('/profile', profile));
  const headers = { 'Content-Type': 'application/octet-stream' };
  await made(owner.ask('POST', '/profile/photos', { raw: PNG, headers }));
  const form = findForm(await (await fetch(`${origin}/masters/${slug}`)).text());
  await waitUntilAccepted(form);
  const file = { name: 'drawing.png', content: PNG, type: 'image/png' };
  expect((await sendForm(origin, form, { fields: REQUEST, file })).status).toBe(303);
  const { items } = (await made(client.get('/leads'))) as unknown as { items: Body[] };
  return { slug, lead: String(items[0]?.id) };
}

async function makeReports({ service: { origin }, client, owner }: Access, printers: string[], filament: string) {
  const rules = { deduct_grams: true, loaded_filament_id: filament, on_finished: 'packing', on_failed: 'print_error' };
  await made(owner.put(`/printers/${printers[0]}/rules`, rules));
  const one = await made(owner.post('/agents', { name: 'Moonraker', printer_id: printers[0] }));
  const former = await made(owner.post('/agents', { name: 'Former', printer_id: printers[1] }));
  await made(owner.delete(`/agents/${former.id}`));
  const fields = { model_name: 'Labelled', workflow_status: 'printing', printer_id: printers[0] };
  const { id } = await made(client.post('/print-jobs', fields));
  const agent = await createClient(origin, one.token as string, '/agent/v1');
  const report = { event_id: 'print-1', filename: `part ORDER-${id}.gcode`, outcome: 'finished', grams: 20.5 };
  await made(agent.post('/reports', report));
  await made(agent.post('/reports', { event_id: 'print-2', filename: 'b.gcode', outcome: 'failed', reason: 'jam' }));
  return { agent: { id: one.id, token: one.token as string }, former: former.token as string, report, labelled: id };
}

/** Lets an agent report, be refused, and see prints end while the service is away; then kills it. */
async function makeJournal(env: Env, token: string, folder: string) {
  const printers = [await startMoonraker(), await startMoonraker()] as const;
  const service = await startService(env);
  const config = {
    server: service.origin,
    token,
    state: 'state',
    timing: { poll_seconds: 0.1, retry_seconds: 0.1, max_retry_seconds: 0.2, heartbeat_seconds: 1, timeout_seconds: 5 },
    printers: [
      { ...printers[0].config, name: 'A-01' },
      // not its own: refused
      { ...printers[1].config, name: 'Elsewhere', printer_id: UNKNOWN_ID },
    ],
  };
  mkdirSync(folder);
  writeFileSync(join(folder, 'agent.json'), JSON.stringify(config));
  const agent = spawnAgent(join(folder, 'agent.json'));
  const print = async (printer: (typeof printers)[number], filename: string, outcome: 'finished' | 'failed') => {
    printer.start(filename);
    printer.end(outcome);
    await agent.logged(`${filename} ${outcome}`);
  };
  await agent.logged('A-01: connected');
  await agent.logged('Elsewhere: connected');
  await print(printers[0], 'settled.gcode', 'finished');
  await agent.logged('reported settled');
  await print(printers[1], 'refused.gcode', 'finished');
  await agent.logged('refused.gcode', 2);
  await service.stop();
  await print(printers[0], 'unsent-1.gcode', 'finished');
  await print(printers[0], 'unsent-2.gcode', 'failed');
  await agent.kill();
  for (const printer of printers) await printer.stop();
  const lock = join(folder, 'state/lock');
  writeFileSync(lock, JSON.stringify({ ...JSON.parse(readFileSync(lock, 'utf8')), host: 'workshop', pid: 4711 }));
  return config;
}

/** An account whose first delivery is under way, with another behind it, when the service is killed. */
async function makeWaiting(env: Env) {
  const service = await startService(env);
  const email = 'owner@killed.example';
  await succeed(['account', 'create', '--email', email, '--name', 'Killed farm', '--password', PASSWORD], env);
  const token = (await succeed(['token', 'create', '--email', email, '--name', 'n8n', '--days', 'never'], env)).trim();
  const client = await createClient(service.origin, token);
  const { id } = await made(
    client.post('/webhook-subscriptions', { url: `${WEBHOOKS}/hangs`, events: ['order.created'] }),
  );
  await made(client.post('/print-jobs', { model_name: 'Under way' }));
  const sending = async () =>
    (await client.get<{ items: unknown[] }>(`/webhook-subscriptions/${id}/events`)).body.items;
  await eventually(sending, (items) => items.length > 0);
  await made(client.post('/print-jobs', { model_name: 'Behind it' }));
  await service.kill();
  return { token, subscription: id };
}

async function startReceiver() {
  const server = createServer((req, res) => {
    if (req.url !== '/hangs') req.resume().on('end', () => res.writeHead(204).end());
  });
  const { hostname: host, port } = new URL(WEBHOOKS);
  server.listen(Number(port), host);
  await once(server, 'listening');
  return server;
}

async function makeFarm(env: Env): Promise<Fixture['farm']> {
  const service = await startService(env);
  const account = { email: 'owner@north.example', password: PASSWORD };
  const byEmail = ['--email', account.email];
  await succeed(['account', 'create', ...byEmail, '--name', 'North farm', '--password', PASSWORD], env);
  const token = async (name: string, ...more: string[]) =>
    (await succeed(['token', 'create', ...byEmail, '--name', name, ...more], env)).trim();
  const tokens = {
    valid: await token('n8n', '--days', 'never'),
    readOnly: await token('board', '--days', 'never', '--read-only'),
    revoked: await token('revoked'),
  };
  await succeed(['token', 'revoke', ...byEmail, '--name', 'revoked'], env);
  await succeed(['demo', ...byEmail], env);
  const owner = await openBrowser(service);
  await owner.signIn(account.email);
  const farm: Access = { service, owner, client: await createClient(service.origin, tokens.valid) };
  const subscriptions = await makeSubscriptions(farm);
  const { printers, group } = await makePrinters(farm);
  const orders = await makeOrders(farm, printers);
  const filaments = await makeFilaments(farm, orders.done as string);
  const invoices = await makeInvoices(farm, orders.done as string);
  const leads = await makeLeads(farm);
  const reports = await makeReports(farm, printers, filaments.petg);
  const repeated = { key: 'upgrade-1', body: { model_name: 'Made once', price: 100, currency: 'EUR' } };
  const { id } = await made(
    farm.client.post('/print-jobs', repeated.body, { headers: { 'Idempotency-Key': repeated.key } }),
  );
  const open = () =>
    readRows<{ n: number }>(
      String(env.DATABASE_URL).replace('sqlite:', ''),
      "SELECT count(*) AS n FROM deliveries WHERE state IN ('pending', 'sending')",
    );
  await eventually(open, ([row]) => row?.n === 0);
  const cookie = owner.cookie();
  await service.stop();
  return {
    account,
    tokens,
    cookie,
    subscriptions,
    printers,
    group,
    orders,
    filaments,
    ...invoices,
    ...leads,
    ...reports,
    repeated: { ...repeated, id },
  } as Fixture['farm'];
}

/** Statements that any client can send: without the settings of a session and the commands of psql. */
function dumpPostgres(url: string): string {
  const options = ['--column-inserts', '--rows-per-insert=100', '--no-owner', '--no-privileges', '--no-comments'];
  const dump = execFileSync('pg_dump', [...options, url], { maxBuffer: 1e9, encoding: 'utf8' });
  return dump.slice(dump.indexOf('\nCREATE ') + 1, dump.lastIndexOf('\n\\unrestrict'));
}

test(`the fixture of ${VERSION} is made`, async () => {
  expect(VERSION).toMatch(/^\d+\.\d+\.\d+/);
  const work = mkdtempSync(join(tmpdir(), 'farmboard-fixture-'));
  const file = join(work, 'farm.sqlite3');
  const settings = {
    PUBLIC_URL: 'http://farm.example',
    RATE_LIMIT_PER_MINUTE: '0',
    WEBHOOK_ALLOWED_HOSTS: 'loopback',
    LOG_LEVEL: 'info',
    SIGN_UP: 'open',
  };
  const env: Env = { ...settings, PORT: '0', REDIS_URL: undefined, DATABASE_URL: `sqlite:${file}` };
  const receiver = await startReceiver();
  const postgres = postgresPlace();
  const target = join(FIXTURES, VERSION);
  try {
    const farm = await makeFarm(env);
    const config = await makeJournal(env, farm.agent.token, join(work, 'agent'));
    const waiting = await makeWaiting(env);
    const readAt = Date.now() + 60_000;
    const key = readFileSync(`${file}.key`, 'utf8').trim();
    await succeed(['move', '--from', `sqlite:${file}`, '--to', postgres.url], { ...env, SECRET_KEY: key });
    for (const database of [file, postgres.url])
      await write(database, `UPDATE deliveries SET claimed_by = replace(claimed_by, '${hostname()}/', 'farm-1/')`);
    await write(file, 'VACUUM');
    await write(file, 'PRAGMA wal_checkpoint(TRUNCATE)');

    const counts = await tablesOf(file);
    const empty = Object.keys(counts).filter((table) => counts[table] === 0);
    expect(empty).toEqual(EMPTY);

    const bytes = readFileSync(file);
    for (const word of [`${hostname()}/`, tmpdir(), __dirname])
      expect([word, bytes.includes(word)]).toEqual([word, false]);
    rmSync(target, { recursive: true, force: true });
    mkdirSync(join(target, 'n8n'), { recursive: true });
    writeFileSync(join(target, 'farm.sqlite3.br'), brotliCompressSync(bytes));
    writeFileSync(join(target, 'farm.sql.br'), brotliCompressSync(dumpPostgres(postgres.url)));
    cpSync(join(work, 'agent/state'), join(target, 'agent'), { recursive: true });
    for (const name of readdirSync(EXAMPLES).filter((name) => name.endsWith('.json')))
      cpSync(join(EXAMPLES, name), join(target, 'n8n', name));

    for (const [engine, settings] of [
      ['sqlite', env],
      ['postgres', { ...env, DATABASE_URL: postgres.url, SECRET_KEY: key }],
    ] as const) {
      const service = await startService(settings);
      const reads = await readAll(service, farm, PATHS(farm));
      await service.kill();
      writeFileSync(join(target, `reads.${engine}.json.br`), brotliCompressSync(JSON.stringify(reads)));
    }
    const fixture: Fixture = { readAt, key, settings, counts, farm, waiting, agent: config };
    writeFileSync(join(target, 'farm.json'), `${JSON.stringify(fixture, null, 2)}\n`);
  } finally {
    receiver.close();
    receiver.closeAllConnections();
    postgres.drop();
    rmSync(work, { recursive: true, force: true });
  }
});
