import { join } from 'node:path';
import { query } from '../../backend/src/storage/dialect.ts';
import { MIGRATIONS, migrate } from '../../backend/src/storage/migrate.ts';
import { createIndexOnline, lockBriefly } from '../../backend/src/storage/online.ts';
import { openStorage } from '../../backend/src/storage/open.ts';
import { spawnAgent } from '../kit/agent-process.ts';
import { type Client, createClient } from '../kit/client.ts';
import { type Browser, openBrowser } from '../kit/console-client.ts';
import { write } from '../kit/database.ts';
import { ENGINE } from '../kit/engine.ts';
import { eventually } from '../kit/eventually.ts';
import { send, signNotification } from '../kit/payments.ts';
import { refused, succeed } from '../kit/place.ts';
import { isGenuine, startReceiver } from '../kit/receiver.ts';
import { differencesOf, type OpenFixture, openFixture, readAll, releases, tablesOf } from '../kit/release-fixture.ts';
import { farmboard, type Service, startService } from '../kit/service.ts';

/** What a read of its own changes, or the moment in which it is made. */
const CHANGING = new Set(['last_used_at', 'server_time']);

describe.each(releases())('the database of %s', (release) => {
  let old: OpenFixture;
  let service: Service;
  let client: Client;
  let owner: Browser;

  beforeAll(async () => {
    old = await openFixture(release);
    service = await startService(old.env);
    client = await createClient(service.origin, old.farm.tokens.valid);
    owner = await openBrowser(service);
    owner.setCookie(old.farm.cookie);
  });

  afterAll(async () => {
    await service?.kill();
    old?.remove();
  });

  test('keeps every row, and holds every stored invariant', async () => {
    const { schema_migrations: migrations = 0, ...rows } = old.counts;
    const after = await tablesOf(old.database);
    expect(after).toMatchObject(rows);
    expect(after.schema_migrations).toBeGreaterThanOrEqual(migrations);
    expect(await succeed(['check'], old.env)).toBe('No problems found.\n');
  });

  test('is read as the release read it', async () => {
    const pathsOf = (api: string) => old.reads.filter((read) => read.api === api).map(({ path }) => path);
    const paths = { automation: pathsOf('automation'), console: pathsOf('console'), agent: pathsOf('agent') };
    const now = await readAll(service, old.farm, paths);
    const differences = old.reads.flatMap(({ api, path, body }, i) =>
      differencesOf(body, now[i]?.body, CHANGING, `${api} ${path} `),
    );
    expect(differences).toEqual([]);
    expect(now.length).toBeGreaterThan(40);
  });

  test('accepts its tokens, session and password, and no revoked ones', async () => {
    const { tokens, account, former } = old.farm;
    const statusOf = async (token: string) => (await client.get('/me', { token })).status;
    expect(await Promise.all([tokens.valid, tokens.readOnly, tokens.revoked].map(statusOf))).toEqual([200, 200, 401]);
    expect((await (await createClient(service.origin, former, '/agent/v1')).get('/me')).status).toBe(401);
    expect(await owner.who()).toBe(account.email);
    const again = await openBrowser(service);
    expect((await again.signIn(account.email, `${account.password}.`)).status).toBe(401);
    expect((await again.signIn(account.email, account.password)).status).toBe(200);
  });

  test('sends what waited when the release was killed, and nothing twice', async () => {
    const { subscription, token } = old.waiting;
    interface Attempt {
      status: string;
      error: string | null;
    }
    const path = `/webhook-subscriptions/${subscription}/deliveries`;
    const attempts = await eventually(
      async () => (await client.get<{ items: Attempt[] }>(path, { token })).body.items,
      (items) => items.length === 2,
    );
    // nobody listens at its address, which is encrypted
    expect(attempts.map(({ status, error }) => [status, error])).toEqual([
      ['failed', 'connection_refused'],
      ['failed', 'interrupted'],
    ]);
  });

  test('signs with its secrets, also one that was replaced', async () => {
    const { id, secret, previous } = old.farm.subscriptions.signed;
    const receiver = await startReceiver();
    try {
      const header = { name: 'Authorization', value: 'Bearer receiver' };
      expect((await client.put(`/webhook-subscriptions/${id}`, { url: receiver.url, header })).status).toBe(200);
      await client.post('/print-jobs', { model_name: 'After the upgrade' });
      const received = await eventually(
        () => receiver.received,
        (all) => all.length > 0,
      );
      const event = received[0] as (typeof received)[number];
      expect([isGenuine(previous, event), isGenuine(secret, event)]).toEqual([true, false]);
      // one by each of them
      expect(String(event.headers['webhook-signature']).split(' ')).toHaveLength(2);
    } finally {
      await receiver.stop();
    }
  });

  test('takes a payment with its provider’s secret, and opens its payment links', async () => {
    const { provider, issuedNumber, invoices, payPath } = old.farm;
    const page = await fetch(`${service.origin}${payPath}`);
    expect([page.status, (await page.text()).includes(issuedNumber)]).toEqual([200, true]);
    const payment = { id: 'after-upgrade', type: 'payment', invoice: issuedNumber, amount: 4990, currency: 'EUR' };
    const raw = JSON.stringify({ ...payment, paid_at: new Date(Date.now()).toISOString() });
    const url = `${service.origin}/payments/notification/${provider.id}`;
    expect((await send(url, raw, signNotification(`${provider.secret}.`, raw))).status).toBe(400);
    expect((await send(url, raw, signNotification(provider.secret, raw))).status).toBe(200);
    expect((await client.get(`/invoices/${invoices.issued}`)).body).toMatchObject({ status: 'paid' });
  });

  test('shows its public profile, its photo and the file of a request', async () => {
    const page = await (await fetch(`${service.origin}/masters/${old.farm.slug}`)).text();
    expect(page).toContain('We print &lt;anything&gt;');
    const [photo] = /\/masters\/[\w-]+\/photos\/[\w-]+/.exec(page) ?? [];
    expect((await fetch(`${service.origin}${photo}`)).headers.get('content-type')).toBe('image/png');
    expect((await owner.get(`/leads/${old.farm.lead}/file`)).text).toContain('PNG');
  });

  test('answers a repeated request with its stored result', async () => {
    const { key, body, id } = old.farm.repeated;
    const headers = { 'Idempotency-Key': key };
    const again = await client.post('/print-jobs', body, { headers });
    expect([again.headers.get('idempotency-replayed'), again.body.id]).toEqual(['true', id]);
    expect((await client.post('/print-jobs', { ...body, order_notes: 'other' }, { headers })).status).toBe(409);
  });

  test('takes each unsent report of its agent once, and recognizes earlier ones', async () => {
    const { agent, report, printers } = old.farm;
    interface Reported {
      items: { filename: string; outcome: string }[];
      total: number;
    }
    const list = async () => (await owner.get<Reported>(`/printers/${printers[0]}/reports?per_page=200`)).body;
    const before = (await list()).total;
    const { CLOCK_SHIFT_MS = '', NODE_OPTIONS = '' } = old.env;
    const running = spawnAgent(old.placeAgent(service.origin), { CLOCK_SHIFT_MS, NODE_OPTIONS });
    try {
      await eventually(list, ({ total }) => total >= before + 2);
      await running.logged('reported unsent', 2);
    } finally {
      await running.kill();
    }
    const { items, total } = await list();
    expect(items.slice(0, 2).map(({ filename, outcome }) => [filename, outcome])).toEqual([
      ['unsent-2.gcode', 'failed'],
      ['unsent-1.gcode', 'finished'],
    ]);
    expect([total, running.count('reported')]).toEqual([before + 2, 2]);
    const api = await createClient(service.origin, agent.token, '/agent/v1');
    const again = await api.post('/reports', report);
    expect([again.status, again.headers.get('idempotency-replayed')]).toEqual([200, 'true']);
    expect((await list()).total).toBe(total);
  });

  test('can be backed up', async () => {
    expect(await succeed(['backup', join(old.folder, 'backup')], old.env)).toMatch(
      /^Backed up \d+ orders and \d+ files/,
    );
  });

  test('fails the check after one gram is changed in its ledger', async () => {
    expect(await service.stop()).toBe(0);
    await write(
      old.database,
      "UPDATE filament_ledger SET grams_mg = grams_mg - 1000 WHERE seq = (SELECT max(seq) FROM filament_ledger WHERE kind = 'consumption')",
    );
    const { code, stdout } = await farmboard(['check'], old.env);
    expect([code, stdout]).toEqual([1, expect.stringContaining('its ledger says')]);
  });
});

describe('the next release', () => {
  const [release] = releases() as [string];
  const shipped = MIGRATIONS.length;
  let old: OpenFixture;
  let service: Service;

  beforeAll(async () => {
    old = await openFixture(release);
    service = await startService(old.env);
  });

  afterAll(async () => {
    MIGRATIONS.length = shipped;
    await service?.kill();
    old?.remove();
  });

  const openHere = () =>
    openStorage(
      ENGINE === 'sqlite' ? { engine: 'sqlite', file: old.database } : { engine: 'postgres', url: old.database },
    );

  test('that fails leaves everything as it was', async () => {
    const before = await tablesOf(old.database);
    const storage = await openHere();
    MIGRATIONS.push({
      name: '99990101000000_fail',
      async up(db) {
        await query(db, 'CREATE TABLE half (id TEXT)');
        await query(db, 'INSERT INTO nowhere VALUES (1)');
      },
    });
    try {
      await expect(migrate(storage)).rejects.toThrow(/nowhere/);
    } finally {
      MIGRATIONS.length = shipped;
      await storage.close();
    }
    expect(Object.keys(await tablesOf(old.database))).toEqual(Object.keys(before));
    expect(await succeed(['check'], old.env)).toBe('No problems found.\n');
  });

  test('adds a column, an index and a table while this one goes on writing', async () => {
    const table = 'CREATE TABLE notes (id TEXT PRIMARY KEY, text TEXT NOT NULL)';
    const index = ['orders_by_shelf', 'orders (shelf)'] as const;
    const column = 'ALTER TABLE orders ADD COLUMN';
    MIGRATIONS.push(
      {
        name: '99990101000000_add_shelf',
        up: async (db) => void (await query(db, `${column} shelf TEXT`)),
        online: (db) => lockBriefly(db, async (trx) => void (await query(trx, `${column} IF NOT EXISTS shelf TEXT`))),
      },
      {
        name: '99990102000000_index_shelf',
        up: async (db) => void (await query(db, `CREATE INDEX ${index[0]} ON ${index[1]}`)),
        online: (db) => createIndexOnline(db, ...index),
      },
      { name: '99990103000000_add_notes', up: async (db) => void (await query(db, table)) },
    );
    const client = await createClient(service.origin, old.farm.tokens.valid);
    let isUpgraded = false;
    const statuses: number[] = [];
    const writing = (async () => {
      while (!isUpgraded || statuses.length < 20)
        statuses.push((await client.post('/print-jobs', { model_name: `Beside ${statuses.length}` })).status);
    })();
    await eventually(
      () => statuses,
      ({ length }) => length > 5,
    );
    const storage = await openHere();
    try {
      expect(await migrate(storage)).toEqual(MIGRATIONS.slice(shipped).map(({ name }) => name));
      isUpgraded = true;
      await writing;
      expect(statuses.filter((status) => status !== 201)).toEqual([]);
      const [made] = await query(
        storage.read,
        'SELECT count(*) AS n FROM orders WHERE shelf IS NULL AND model_name LIKE ?',
        ['Beside %'],
      );
      expect(Number(made?.n)).toBe(statuses.length);
      await query(storage.writer, "INSERT INTO notes (id, text) VALUES ('1', 'of the next release')");
    } finally {
      isUpgraded = true;
      await writing;
      await storage.close();
    }
    // what this release still does beside the next one
    const { items } = (await client.get<{ items: { id: string }[] }>('/print-jobs?per_page=1')).body;
    expect((await client.put(`/print-jobs/${items[0]?.id}`, { workflow_status: 'confirmed' })).status).toBe(200);
    expect(await service.stop()).toBe(0);
    expect(await refused(['serve'], old.env)).toContain('newer version of Farmboard (99990101000000_add_shelf)');
  });
});
