import { DAY_MS } from '../../../common/src/clock.ts';
import { forTest } from '../../../test/kit/opened.ts';
import { insertTestAccount, openTestStorage } from '../../../test/kit/storage.ts';
import { createSubscriptions } from '../../../test/kit/subscriptions.ts';
import { query, type Value } from '../storage/dialect.ts';
import { keepSecret } from '../webhooks/subscriptions/subscription-store.ts';
import { createPurge } from './purge.ts';

const NOW = Date.UTC(2026, 10, 21);
const YEAR_MS = 365 * DAY_MS;

const storage = forTest(openTestStorage);
let account: string;

beforeEach(async () => {
  account = await insertTestAccount(storage, NOW);
});

const insert = (table: string, row: Record<string, Value>) =>
  storage.inTransaction(({ db }) =>
    query(
      db,
      `INSERT INTO ${table} (${Object.keys(row).join(', ')}) VALUES (${Object.keys(row)
        .map(() => '?')
        .join(', ')})`,
      Object.values(row),
    ),
  );

const idsIn = async (table: string) =>
  (await query<{ id: string }>(storage.read, `SELECT id FROM ${table} ORDER BY id`)).map(({ id }) => id);

const purge = () => createPurge({ storage, clock: () => NOW })(() => false);

test('deletes tokens a month after their revocation and a year after they expired', async () => {
  const token = (id: string, more: Record<string, Value>) =>
    insert('tokens', { id, account_id: account, name: id, hash: id, hint: '', created_at: 0, ...more });
  await token('expired', { expires_at: NOW - 1 });
  await token('expired a year ago', { expires_at: NOW - YEAR_MS - 1 });
  await token('revoked', { revoked_at: NOW - 30 * DAY_MS });
  await token('revoked a month ago', { revoked_at: NOW - 30 * DAY_MS - 1 });
  await token('valid', { expires_at: NOW + 1 });
  await token('valid forever', {});
  await purge();
  expect(await idsIn('tokens')).toEqual(['expired', 'revoked', 'valid', 'valid forever']);
});

async function insertPrinter(id: string): Promise<void> {
  await insert('printers', {
    id,
    account_id: account,
    name: id,
    internal_name: '',
    model: '',
    technology: '',
    created_at: 0,
    updated_at: 0,
  });
}

test('deletes print reports after two years, except the last 50 of a printer and those that are held', async () => {
  await insertPrinter('busy');
  await insertPrinter('idle');
  const report = (id: string, printer: string, receivedAt: number, heldUntil: number | null = null) =>
    insert('print_reports', {
      id,
      account_id: account,
      printer_id: printer,
      event_id: id,
      content_hash: '',
      source: 'report',
      agent_name: '',
      filename: '',
      outcome: 'finished',
      at: 0,
      notes: '[]',
      held_until: heldUntil,
      received_at: receivedAt,
    });
  await report('old', 'busy', NOW - 2 * YEAR_MS - 1);
  await report('old and held', 'busy', NOW - 2 * YEAR_MS - 1, NOW);
  await report('two years', 'busy', NOW - 2 * YEAR_MS);
  for (let i = 0; i < 50; i++) await report(`new ${i}`, 'busy', NOW);
  await report('only', 'idle', NOW - 2 * YEAR_MS - 1);
  await purge();
  expect((await idsIn('print_reports')).filter((id) => !id.startsWith('new'))).toEqual([
    'old and held',
    'only',
    'two years',
  ]);
  expect(await idsIn('print_reports')).toHaveLength(53);
});

test('deletes refused reports a month after they were last received', async () => {
  await insertPrinter('printer');
  const refused = (id: string, at: number) =>
    insert('refused_reports', {
      id,
      account_id: account,
      printer_id: 'printer',
      content_hash: id,
      source: 'report',
      agent_name: '',
      code: 'validation_error',
      reason: '',
      received_count: 2,
      received_at: 0,
      last_received_at: at,
    });
  await refused('a month', NOW - 30 * DAY_MS);
  await refused('longer', NOW - 30 * DAY_MS - 1);
  await purge();
  expect(await idsIn('refused_reports')).toEqual(['a month']);
});

test('deletes revoked agents after a month', async () => {
  await insertPrinter('printer');
  const agent = (id: string, revokedAt: number | null) =>
    insert('agents', {
      id,
      account_id: account,
      printer_id: 'printer',
      name: id,
      hash: id,
      hint: '',
      created_at: 0,
      revoked_at: revokedAt,
    });
  await agent('live', null);
  await agent('revoked', NOW);
  await agent('revoked long ago', NOW - 30 * DAY_MS - 1);
  await purge();
  expect(await idsIn('agents')).toEqual(['live', 'revoked']);
});

test('deletes files of requests that were archived a year ago, unless their order is open', async () => {
  const order = (id: string, status: string) =>
    insert('orders', {
      id,
      account_id: account,
      model_name: id,
      quantity_pieces: 1,
      material_name: '',
      color_hex: '',
      material_mg: 0,
      print_mh: 0,
      due_date: '2026-12-01',
      order_notes: '',
      workflow_status: status,
      search_text: '',
      version: 1,
      created_at: 0,
      updated_at: 0,
    });
  await order('open order', 'printing');
  await order('closed order', 'closed');
  const lead = async (id: string, state: string, updatedAt: number, orderId: string | null = null) => {
    await insert('files', {
      id,
      account_id: account,
      purpose: 'lead',
      name: id,
      kind: 'stl',
      bytes: 1,
      created_at: 0,
    });
    await insert('file_chunks', { file_id: id, number: 0, data: '' });
    await insert('leads', {
      id,
      account_id: account,
      state,
      description: '',
      contact: '',
      client_email: '',
      budget: '',
      deadline: '',
      file_id: id,
      order_id: orderId,
      fingerprint: id,
      search_text: '',
      created_at: 0,
      updated_at: updatedAt,
    });
  };
  await insert('files', {
    id: 'photo',
    account_id: account,
    purpose: 'photo',
    name: '',
    kind: 'png',
    bytes: 1,
    created_at: 0,
  });
  const longAgo = NOW - YEAR_MS - 1;
  await lead('answered', 'answered', longAgo);
  await lead('archived', 'archived', NOW - YEAR_MS);
  await lead('archived long ago', 'archived', longAgo);
  await lead('its order is closed', 'archived', longAgo, 'closed order');
  await lead('its order is open', 'archived', longAgo, 'open order');
  await purge();
  expect(await idsIn('files')).toEqual(['answered', 'archived', 'its order is open', 'photo']);
  expect(await query(storage.read, 'SELECT file_id FROM file_chunks')).toHaveLength(3);
  // the requests themselves stay
  expect(await idsIn('leads')).toHaveLength(5);
});

test('erases a replaced secret whose time is over', async () => {
  const subscriptions = createSubscriptions(storage, account, () => NOW);
  const [over, valid, none] = [
    await subscriptions.create(),
    await subscriptions.create(),
    await subscriptions.create(),
  ];
  await storage.inTransaction(async ({ db }) => {
    await keepSecret(db, over, { encrypted: 'encrypted', until: NOW });
    await keepSecret(db, valid, { encrypted: 'encrypted', until: NOW + 1 });
  });
  await purge();
  const rows = await query<{ id: string }>(
    storage.read,
    'SELECT id, previous_secret_encrypted AS secret, previous_secret_until AS until FROM subscriptions',
  );
  expect(new Map(rows.map(({ id, ...row }) => [id, row]))).toEqual(
    new Map([
      [over, { secret: null, until: null }],
      [valid, { secret: 'encrypted', until: NOW + 1 }],
      [none, { secret: null, until: null }],
    ]),
  );
});
