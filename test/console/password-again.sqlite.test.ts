import type { Answer, OpenApiDocument } from '../kit/checker.ts';
import { createClient } from '../kit/client.ts';
import { type Browser, createFirstOwner, OWNER, openBrowser, PASSWORD } from '../kit/console-client.ts';
import { inspectDatabase, write } from '../kit/database.ts';
import { forSuite } from '../kit/opened.ts';
import { startReceiver } from '../kit/receiver.ts';
import { createEmptyDataFolder, farmboard, startService } from '../kit/service.ts';
import { bodyForAny, listOperations, makeOneOfEach, readEverything } from '../kit/state-changing.ts';

// In the console, what gives access, sends events to a new place or decides where money goes needs the password again,
// whichever route leads to it. The setup, the command line and /api/v1 may do it without.

type Row = [effect: string, method: 'POST' | 'PUT' | 'DELETE', path: string, body?: object];
type Send = (method: string, path: string, options: object) => Promise<Pick<Answer, 'status' | 'headers' | 'body'>>;

const folder = forSuite(createEmptyDataFolder);
const receiver = forSuite(startReceiver);
const service = forSuite(() => startService({ ...folder.env, WEBHOOK_ALLOWED_HOSTS: 'loopback' }));
const inspector = forSuite(() => inspectDatabase(folder.file));
let owner: Browser;
let ids: Map<string, string>;
let rows: Row[];
/** what is not asked for it, because it does nothing of the kind */
let others: Row[];

const CHANNELS = '/webhook-subscriptions';
const CLIENT_KEY = 'n8n/workflow/node';
const NEW = { url: 'http://127.0.0.1:9/new', events: ['order.created'] };
const SLACK = { ...NEW, url: 'http://127.0.0.1:9/services/T/B/secret', format: 'slack' };
const HEADER = { name: 'Authorization', value: 'Bearer 1' };

const forgetPassword = () => write(folder.file, 'UPDATE sessions SET password_checked_at = 0');

/** Deletes the channel with the client key, so that it can be continued. */
async function deleteKeyed(): Promise<void> {
  const { items } = (await owner.get<{ items: { id: string; client_key?: string }[] }>(CHANNELS)).body;
  for (const { id, client_key } of items) if (client_key === CLIENT_KEY) await owner.delete(`${CHANNELS}/${id}`);
}

beforeAll(async () => {
  owner = await createFirstOwner(service);
  // the setup counts as entered: these answer 201
  ids = await makeOneOfEach(owner, receiver.url);
  const makeChannel = async (body: object) =>
    `${CHANNELS}/${(await owner.post<{ id: string }>(CHANNELS, body)).body.id}`;
  await makeChannel({ ...NEW, client_key: CLIENT_KEY });
  const [plain, kept] = [await makeChannel(SLACK), await makeChannel({ ...NEW, header: HEADER })];
  for (const _ of [1, 2]) await (await openBrowser(service)).signIn();
  const sessions = (await owner.get<{ items: { id: string; is_this_one: boolean }[] }>('/sessions')).body.items;
  const elsewhere = sessions.find(({ is_this_one }) => !is_this_one)?.id;
  const provider = `/payment-providers/${ids.get('payment-providers')}`;
  const printer = { printer_id: ids.get('printers') };
  rows = [
    ...[1, 30, 31, 3650, null, undefined].map(
      (days): Row => [`a token for ${days} days`, 'POST', '/tokens', { name: `for ${days}`, days }],
    ),
    ['a token that says it can write', 'POST', '/tokens', { name: 'writes', days: 1, read_only: false }],
    ['an agent', 'POST', '/agents', { name: 'Agent', ...printer }],
    ['an agent that signs', 'POST', '/agents', { name: 'Signs', signed_only: true, ...printer }],
    ['a channel', 'POST', CHANNELS, NEW],
    ['a channel that is off', 'POST', CHANNELS, { ...NEW, enabled: false }],
    ['a deleted channel, continued', 'POST', CHANNELS, { ...NEW, client_key: CLIENT_KEY }],
    ['an address', 'PUT', kept, { url: 'http://127.0.0.1:9/other' }],
    ['an address in a whole record', 'PUT', plain, { ...NEW, name: 'whole', header: null, enabled: true }],
    ['a first header', 'PUT', plain, { header: HEADER }],
    ['the value of a header', 'PUT', kept, { header: { ...HEADER, value: 'Bearer 2' } }],
    ['the name of a header', 'PUT', kept, { header: { ...HEADER, name: 'X-Key' } }],
    ['no header any more', 'PUT', kept, { header: null, name: 'without' }],
    ['a signing secret', 'POST', `${kept}/secret`],
    ['a signing secret beside the old one', 'POST', `${kept}/secret`, { overlap_hours: 1 }],
    ['business details', 'PUT', '/invoice-seller', { bank_details: 'another account' }],
    ['a provider', 'POST', '/payment-providers', { kind: 'notification', name: 'Bank' }],
    ['a provider off', 'PUT', provider, { enabled: false }],
    ['a provider on', 'PUT', provider, { enabled: true }],
    ['the secret of a provider', 'POST', `${provider}/secret`],
    ['no provider any more', 'DELETE', provider],
    ['the end of a session', 'DELETE', `/sessions/${elsewhere}`],
    ['the end of all others', 'DELETE', '/sessions'],
  ];
  const [asShown, withHeader] = [(await owner.get(plain)).body, (await owner.get(kept)).body];
  others = [
    ['a read-only token for ever', 'POST', '/tokens', { name: 'display', days: null, read_only: true }],
    ['a whole record as it is shown', 'PUT', plain, asShown],
    ['one with its header', 'PUT', kept, withHeader],
    ['no header where none is', 'PUT', plain, { header: null }],
    [
      'the name, the events and a pause',
      'PUT',
      plain,
      { name: 'n8n', events: ['lead.created'], pause_after_failures: 5 },
    ],
    ['the filter', 'PUT', plain, { filter: { workflow_status: ['done'] } }],
    ['a channel off', 'PUT', plain, { enabled: false }],
    ['a channel on', 'PUT', plain, { enabled: true }],
    ['a test', 'POST', `${CHANNELS}/${ids.get('webhook-subscriptions')}/test`],
    ['the end of a token', 'DELETE', `/tokens/${ids.get('tokens')}`],
    ['the end of an agent', 'DELETE', `/agents/${ids.get('agents')}`],
  ];
});

const creations = () => rows.filter(([, method]) => method === 'POST');

/** Sends each row with an idempotency key. @returns what was answered otherwise than expected */
async function ask(send: Send, expected: string, asked: Row[], way = 'console'): Promise<string[]> {
  const unexpected: string[] = [];
  for (const [effect, method, path, body] of asked) {
    const answer = await send(method, path, { body, headers: { 'Idempotency-Key': `${way}: ${effect}` } });
    const replayed = answer.headers.get('idempotency-replayed') ? ', replayed' : '';
    const outcome = `${answer.status < 300 ? 'done' : answer.body.code}${replayed}`;
    if (outcome !== expected) unexpected.push(`${effect}: ${outcome}`);
  }
  return unexpected;
}

test('the console refuses each without the password, which uses up nothing, and does it with the password', async () => {
  await deleteKeyed();
  await forgetPassword();
  const before = await readEverything(inspector);
  expect(await ask(owner.ask, 'password_required', rows)).toEqual([]);
  expect(await readEverything(inspector)).toBe(before);
  expect(await ask(owner.ask, 'done', others)).toEqual([]);

  expect((await owner.post('/password-check', { password: 'wrong' })).status).toBe(422);
  expect(await ask(owner.ask, 'password_required', rows)).toEqual([]);
  expect((await owner.post('/password-check', { password: PASSWORD })).status).toBe(204);
  expect(await ask(owner.ask, 'done', rows)).toEqual([]);
  await forgetPassword();
  // an answer is not repeated either
  expect(await ask(owner.ask, 'password_required', creations())).toEqual([]);
});

test('the document of the console says which operations can ask for it, that of /api/v1 none', async () => {
  const askingIn = ({ paths }: OpenApiDocument) =>
    Object.entries(paths).flatMap(([path, methods]) =>
      Object.entries(methods)
        .filter(([, { responses }]) => JSON.stringify(responses[403])?.includes('password_required'))
        .map(([method]) => `${method.toUpperCase()} ${path}`),
    );
  const tried = rows.map(([, method, path]) => `${method} ${path.replace(/[0-9a-f-]{36}/, '{id}')}`);
  expect(askingIn(owner.document).sort()).toEqual([...new Set(tried)].sort());
  const automation = await fetch(`${service.baseUrl}/openapi.json`);
  expect(askingIn((await automation.json()) as OpenApiDocument)).toEqual([]);
});

test('/api/v1 does each with a token of the command line, and none with a read-only one', async () => {
  const create = async (...more: string[]) => {
    const named = ['--email', OWNER.email, '--name', more.join() || 'n8n of the command line'];
    const { stdout } = await farmboard(['token', 'create', ...named, ...more], folder.env);
    return createClient(service.origin, stdout.trim());
  };
  await deleteKeyed();
  const channels = rows.filter(([, , path]) => path.startsWith(CHANNELS));
  expect(await ask((await create('--read-only')).call, 'read_only_token', channels, 'read-only')).toEqual([]);
  expect(await ask((await create()).call, 'done', channels, 'api')).toEqual([]);
});

test('an owner who has just entered the password does none to another account', async () => {
  const stranger = 'stranger@farm.example';
  const account = ['account', 'create', '--email', stranger, '--name', 'Other', '--password', PASSWORD];
  expect((await farmboard(account, folder.env)).code).toBe(0);
  const browser = await openBrowser(service);
  await browser.signIn(stranger);
  const ofRecords = [...rows, ...others].filter(([, , path]) => path.split('/').length > 2);
  expect(ofRecords.length).toBeGreaterThan(10);
  expect(await ask(browser.ask, 'not_found', ofRecords, 'stranger')).toEqual([]);
});

/** What those changes change, of the owner's account. What a condition marks as `kept` must not be removed either. */
const GUARDED = {
  accounts: { columns: 'email, name, password_hash', where: 'id = ?', kept: true },
  sessions: { columns: 'id', where: 'account_id = ?', kept: true },
  invoice_sellers: { columns: '*', where: 'account_id = ?', kept: true },
  payment_providers: { columns: '*', where: 'account_id = ?', kept: true },
  tokens: { columns: 'id, hash, expires_at', where: 'account_id = ? AND read_only = 0', kept: false },
  agents: { columns: 'id, hash, signed_only, printer_id, printer_group_id', where: 'account_id = ?', kept: false },
  subscriptions: {
    columns:
      'id, format, url_encrypted, secret_encrypted, previous_secret_encrypted, header_name, header_value_encrypted',
    where: 'account_id = ? AND deleted_at IS NULL',
    kept: false,
  },
};

test('no operation of the console leads to one of them by another way', async () => {
  const [account] = await inspector.rows<{ id: string }>(`SELECT id FROM accounts WHERE email = '${OWNER.email}'`);
  const read = async () => {
    const of = new Map<string, { table: string; kept: boolean }>();
    for (const [table, { columns, where, kept }] of Object.entries(GUARDED))
      for (const row of await inspector.rows(`SELECT ${columns} FROM ${table} WHERE ${where}`, [account?.id]))
        of.set(JSON.stringify(row), { table, kept });
    return of;
  };
  let last = await read();
  const around: string[] = [];
  async function compare(way: string): Promise<void> {
    const before = last;
    const now = await read();
    last = now;
    for (const [row, { table }] of now) if (!before.has(row)) around.push(`${way}: ${table}`);
    for (const [row, { table, kept }] of before) if (kept && !now.has(row)) around.push(`${way}: ${table}`);
  }

  // what deletes comes after what changes, and what leaves the session not at all
  const table = listOperations(owner.document, ids)
    .filter(({ path }) => path !== '/session' && path !== '/simulation')
    .sort((one, other) => Number(one.method === 'DELETE') - Number(other.method === 'DELETE'));
  const body = { ...bodyForAny('http://127.0.0.1:9/stolen'), password: 'wrong', current_password: 'wrong', days: 1 };
  for (const { method, path } of table) {
    await owner.ask(method, path, { body: { ...body, printer_id: ids.get('printers') } });
    await owner.ask(method, path, { body: { ...body, kind: 'notification' } });
    await compare(`${method} ${path}`);
  }
  expect(table.length).toBeGreaterThan(60);
  // the owner's and the stranger's: sign-up is closed
  expect(await inspector.rows('SELECT id FROM accounts')).toHaveLength(2);

  // a simulated farm has a session of its own, and its password counts as entered
  expect((await owner.post('/simulation')).status).toBe(204);
  expect((await owner.post('/tokens', { name: 'of the simulation' })).status).toBe(201);
  expect((await owner.delete('/simulation')).status).toBe(204);
  await compare('a simulated farm');
  expect(around).toEqual([]);
  expect(await ask(owner.ask, 'password_required', creations(), 'afterwards')).toEqual([]);
});
