import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { spawnAgent } from '../kit/agent-process.ts';
import { type Client, createClient } from '../kit/client.ts';
import { type Browser, openBrowser } from '../kit/console-client.ts';
import { inspectDatabase, write } from '../kit/database.ts';
import { eventually } from '../kit/eventually.ts';
import { send, signNotification } from '../kit/payments.ts';
import { isGenuine } from '../kit/receiver.ts';
import { differencesOf, type OpenFixture, openFixture, RELEASES, receiveAt } from '../kit/release-fixture.ts';
import { farmboard, type Service, startService } from '../kit/service.ts';

/** What a read of its own changes, or the moment in which it is made. */
const CHANGING = new Set(['last_used_at', 'server_time']);

/** Paths of the console API that have another name since: it is no promise to anybody but the console. */
const MOVED: Record<string, string> = { '/figures': '/stats', '/figures/printers': '/stats/printers' };

/** Fields of the console API that have another name now. */
const RENAMED: Record<string, string> = {
  book_grams: 'deduct_grams',
  notice_url: 'notification_url',
  needs_set_up: 'needs_setup',
  channel_id: 'subscription_id',
  channel_name: 'subscription_name',
  failing_channels: 'failing_subscriptions',
};
const asNow = (body: unknown): unknown =>
  JSON.parse(
    JSON.stringify(body).replace(/"(\w+)":/g, (field, name) => (RENAMED[name] ? `"${RENAMED[name]}":` : field)),
  );

describe.each(RELEASES)('the database of %s', (release) => {
  let old: OpenFixture;
  let receiver: Awaited<ReturnType<typeof receiveAt>>;
  let service: Service;
  let client: Client;
  let owner: Browser;
  let countsAfterStart: Record<string, number>;

  beforeAll(async () => {
    old = await openFixture(release);
    receiver = await receiveAt(old.farm.subscriptions.signed.url);
    service = await startService(old.env);
    countsAfterStart = await countRows();
    client = await createClient(service.origin, old.farm.tokens.valid);
    owner = await openBrowser(service);
    owner.setCookie(old.farm.cookie.split('=')[1]);
  });

  afterAll(async () => {
    await service?.kill();
    await receiver?.stop();
    old?.remove();
  });

  async function countRows(): Promise<Record<string, number>> {
    const inspector = await inspectDatabase(old.database);
    try {
      const columns = Object.keys(old.counts).map((table) => `(SELECT count(*) FROM ${table}) AS ${table}`);
      return (await inspector.rows<Record<string, number>>(`SELECT ${columns.join(', ')}`))[0] as Record<
        string,
        number
      >;
    } finally {
      await inspector.close();
    }
  }

  const asOld = ({ subscriptions }: OpenFixture['farm'], name: 'signed' | 'slack') => {
    const { pathname, search } = new URL(subscriptions[name].url);
    return receiver.to(pathname + search);
  };

  test('keeps every row', () => {
    const { schema_migrations: migrations, ...rows } = old.counts;
    expect(countsAfterStart).toMatchObject(rows);
    expect(countsAfterStart.schema_migrations).toBeGreaterThanOrEqual(migrations as number);
  });

  test('holds every stored invariant', async () => {
    expect(await farmboard(['check'], old.env)).toMatchObject({ code: 0, stdout: 'No problems found.\n' });
  });

  test('is read like the old release did', async () => {
    const agent = await createClient(service.origin, old.farm.agents.one.token, '/agent/v1');
    const readers = { automation: client, console: owner, agent };
    const differences: string[] = [];
    for (const { api, path, body } of old.reads) {
      const answer = await readers[api].get(MOVED[path] ?? path);
      if (answer.status === 200)
        differences.push(...differencesOf(asNow(body), answer.body, CHANGING, `${api} ${path} `));
      else differences.push(`${api} ${path} answers ${answer.status}`);
    }
    expect(differences).toEqual([]);
    expect(old.reads.length).toBeGreaterThan(50);
  });

  test('keeps the sample farm of its other account', async () => {
    const { token, orders, filaments } = old.sample;
    const listed = await client.get<{ total: number }>('/print-jobs?include_closed=true', { token });
    expect(listed.body.total).toBe(orders);
    const stock = await client.get<{ items: object[] }>('/filaments', { token });
    expect(stock.body.items).toEqual(filaments.map((one) => expect.objectContaining(one)));
  });

  test('accepts its tokens, session and passwords, and no revoked ones', async () => {
    const { tokens, account, agents } = old.farm;
    const statusOf = async (token: string) => (await client.get('/me', { token })).status;
    expect([await statusOf(tokens.valid), await statusOf(tokens.expiring)]).toEqual([200, 200]);
    expect(await statusOf(tokens.revoked)).toBe(401);
    const api = await createClient(service.origin, agents.former.token, '/agent/v1');
    expect((await api.get('/me')).status).toBe(401);
    expect(await owner.who()).toBe(account.email);
    const again = await openBrowser(service);
    for (const { email, password } of [account, old.sample]) {
      expect((await again.signIn(email, `${password}.`)).status).toBe(401);
      expect((await again.signIn(email, password)).status).toBe(200);
    }
  });

  test('sends deliveries pending when the old release was killed, once', async () => {
    const { subscription, token, order } = old.waiting;
    interface Attempt {
      status: string;
      error: string | null;
      event: string;
    }
    const attempts = await eventually(
      async () =>
        (await client.get<{ items: Attempt[] }>(`/webhook-subscriptions/${subscription.id}/deliveries`, { token })).body
          .items,
      (items) => items.length === 3,
    );
    expect(attempts.map(({ event, status, error }) => [event, status, error])).toEqual([
      ['order.status_changed', 'succeeded', null],
      ['order.status_changed', 'succeeded', null],
      ['order.created', 'failed', 'interrupted'],
    ]);
    const arrived = receiver.to('/hangs');
    expect(arrived.map(({ body }) => [body.data.id, body.data.workflow_status])).toEqual([
      [order, 'confirmed'],
      [order, 'printing'],
    ]);
    expect(arrived.every((one) => isGenuine(subscription.secret, one))).toBe(true);
  });

  test('decrypts URLs and secrets, so signed deliveries continue', async () => {
    const made = await client.post('/print-jobs', { model_name: 'After the upgrade' });
    const { farm } = old;
    const isNew = ({ raw }: { raw: Buffer }) => raw.includes('After the upgrade');
    const arrived = () => [...asOld(farm, 'signed').filter(isNew), ...asOld(farm, 'slack').filter(isNew)];
    const [signed] = await eventually(arrived, (all) => all.length === 2);
    expect(signed?.body).toMatchObject({ event: 'order.created', data: { id: made.body.id } });
    expect(isGenuine(farm.subscriptions.signed.secret as string, signed as NonNullable<typeof signed>)).toBe(true);
    expect(receiver.to('/hangs/off')).toEqual([]);
  });

  test('decrypts its payment provider’s secret and payment links', async () => {
    const { provider, issuedNumber, invoices, payUrl } = old.farm;
    const page = await fetch(payUrl.replace(old.publicUrl, service.origin));
    expect([page.status, (await page.text()).includes(issuedNumber)]).toEqual([200, true]);
    const raw = JSON.stringify({
      id: 'after-upgrade',
      type: 'payment',
      invoice: issuedNumber,
      amount: 4990,
      currency: 'EUR',
      paid_at: new Date(Date.now()).toISOString(),
    });
    const at = Math.floor(Date.now() / 1000);
    const url = `${service.origin}/payments/notice/${provider.id}`;
    expect((await send(url, raw, signNotification(`${provider.secret}.`, raw, at))).status).toBe(400);
    expect((await send(url, raw, signNotification(provider.secret, raw, at))).status).toBe(200);
    expect((await client.get(`/invoices/${invoices.issued}`)).body).toMatchObject({ status: 'paid' });
  });

  test('shows its public profile, its photo and the file of a request', async () => {
    const page = await (await fetch(`${service.origin}/masters/${old.farm.slug}`)).text();
    expect(page).toContain('We print &lt;anything&gt;');
    const [photo] = /\/masters\/[\w-]+\/photos\/[\w-]+/.exec(page) ?? [];
    expect((await fetch(`${service.origin}${photo}`)).headers.get('content-type')).toBe('image/png');
    expect((await owner.get(`/leads/${old.farm.leads.bracket}/file`)).text).toContain('PNG');
  });

  test('answers a repeated request with its stored result', async () => {
    for (const { path, key, body, id } of old.farm.repeated) {
      // not by the client, which holds every answer against today's document: this one was given by 0.1.0
      const again = await fetch(`${service.baseUrl}${path}`, {
        method: 'POST',
        headers: {
          Authorization: `Bearer ${old.farm.tokens.valid}`,
          'Content-Type': 'application/json',
          'Idempotency-Key': key,
        },
        body: JSON.stringify(body),
      });
      expect(again.headers.get('idempotency-replayed')).toBe('true');
      expect(((await again.json()) as { id: string }).id).toBe(id);
      const other = await client.post(path, { ...body, note: 'other' }, { headers: { 'Idempotency-Key': key } });
      expect(other.status).toBe(409);
    }
  });

  test('accepts each unsent agent report once and recognizes earlier ones', async () => {
    const { agents, report, printers } = old.farm;
    interface Reported {
      items: { filename: string; outcome: string }[];
      total: number;
    }
    const list = async () => (await owner.get<Reported>(`/printers/${printers[0]}/reports?per_page=200`)).body;
    const before = (await list()).total;
    const agent = spawnAgent(old.placeAgent(service.origin), old.clockEnv);
    try {
      await eventually(list, ({ total }) => total >= before + 3);
      await agent.logged('reported unsent', 3);
      await agent.logged('the server rejected rejected.gcode');
    } finally {
      await agent.kill();
    }
    const { items, total } = await list();
    expect(items.slice(0, 3).map(({ filename, outcome }) => [filename, outcome])).toEqual([
      ['unsent-3.gcode', 'cancelled'],
      ['unsent-2.gcode', 'failed'],
      ['unsent-1.gcode', 'finished'],
    ]);
    expect(total).toBe(before + 3);
    expect(agent.count('reported')).toBe(3);
    // what the old release refused is queued once more, and the server keeps it
    expect(agent.count("try it again on the printer's page")).toBe(1);
    const { body } = await owner.get<Reported>(`/printers/${printers[0]}/refused-reports`);
    expect(body.items.map(({ filename }) => filename)).toEqual(['rejected.gcode']);
    expect(readdirSync(join(old.folder, 'state')).filter((name) => name.startsWith('rejected'))).toEqual([
      'rejected.sent.jsonl',
    ]);

    const api = await createClient(service.origin, agents.one.token, '/agent/v1');
    const again = await api.post('/reports', report);
    expect([again.status, again.headers.get('idempotency-replayed')]).toEqual([200, 'true']);
    expect((await list()).total).toBe(total);
  });

  test('can be backed up', async () => {
    const file = join(old.folder, 'backup');
    expect(await farmboard(['backup', file], old.env)).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^Backed up \d+ orders and \d+ files \(\d+\.\d MB\) to /),
    });
    expect(statSync(file).size).toBeGreaterThan(0);
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
