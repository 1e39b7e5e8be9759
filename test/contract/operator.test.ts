import manifest from '../../backend/package.json' with { type: 'json' };
import { type Client, createClient } from '../kit/client.ts';
import { write } from '../kit/database.ts';
import { ENGINE } from '../kit/engine.ts';
import { eventually } from '../kit/eventually.ts';
import { forTest } from '../kit/opened.ts';
import { type Receiver, startReceiver } from '../kit/receiver.ts';
import { createAccountWithToken, createDataFolder, createServiceFolder, type Env } from '../kit/service.ts';

const SECRET = 'the secret of the operator, in full';
const BOARD = '/operator/queues';
const bearer = { Authorization: `Bearer ${Buffer.from(SECRET).toString('base64url')}` };
const env: Env = { OPERATOR_SECRET: bearer.Authorization.slice('Bearer '.length), WEBHOOK_ALLOWED_HOSTS: 'loopback' };
const basic = { Authorization: `Basic ${Buffer.from(`anybody:${env.OPERATOR_SECRET}`).toString('base64')}` };

const folder = forTest(() => createServiceFolder(createDataFolder()));
let receiver: Receiver | undefined;

afterEach(async () => {
  await receiver?.stop();
  receiver = undefined;
});

const start = async (settings: Env = env) => (await folder.start(settings)).origin;

const join = async (origin: string): Promise<Client> =>
  createClient(origin, (await createAccountWithToken(folder.env)).token);

/** The samples of the metrics: `name{labels}` → value. */
async function scrape(origin: string): Promise<Map<string, number>> {
  const response = await fetch(`${origin}/metrics`, { headers: bearer });
  expect(response.status).toBe(200);
  expect(response.headers.get('content-type')).toMatch(/^text\/plain; version=0\.0\.4/);
  const lines = (await response.text()).split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return new Map(
    lines.map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.slice(line.lastIndexOf(' ') + 1))]),
  );
}

const requests = (method: string, route: string, status: number) =>
  `farmboard_http_request_duration_seconds_count{method="${method}",route="${route}",status="${status}"}`;
const ended = (outcome: string) => `farmboard_delivery_attempts_total{outcome="${outcome}"}`;

test('has no operator API without OPERATOR_SECRET', async () => {
  const origin = await start({});
  for (const path of ['/metrics', BOARD]) expect((await fetch(origin + path, { headers: bearer })).status).toBe(404);
});

test('requires the secret, as a bearer token or as the password of a browser', async () => {
  const origin = await start();
  const { token } = await createAccountWithToken(folder.env);
  const wrong: Record<string, string>[] = [
    {},
    { Authorization: `Bearer ${token}` },
    { Authorization: `Bearer ${env.OPERATOR_SECRET}x` },
    { Authorization: `Bearer ${env.OPERATOR_SECRET?.slice(1)}` },
    { Authorization: `Basic ${Buffer.from(`${env.OPERATOR_SECRET}:`).toString('base64')}` },
    { Authorization: 'Basic !' },
    { Authorization: `Digest ${env.OPERATOR_SECRET}` },
  ];
  for (const path of ['/metrics', BOARD, `${BOARD}/api/queues`, '/operator/other']) {
    for (const headers of wrong) {
      const refused = await fetch(origin + path, { headers });
      expect([path, headers, refused.status]).toEqual([path, headers, 401]);
      expect(refused.headers.get('www-authenticate')).toMatch(/^Basic realm=/);
      expect(await refused.json()).toMatchObject({ code: 'unauthorized' });
    }
  }
  for (const headers of [bearer, basic]) expect((await fetch(`${origin}/metrics`, { headers })).status).toBe(200);
  // the secret gives no access to anything else
  expect((await fetch(`${origin}/api/v1/me`, { headers: bearer })).status).toBe(401);
});

test('is read-only', async () => {
  const origin = await start();
  for (const path of ['/metrics', `${BOARD}/api/queues/channels/pause`, `${BOARD}/api/queues/channels/add`]) {
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE']) {
      const refused = await fetch(origin + path, { method, headers: bearer });
      expect([path, method, refused.status, refused.headers.get('allow')]).toEqual([path, method, 405, 'GET, HEAD']);
    }
  }
});

test('measures requests by route and status, never by ID', async () => {
  const origin = await start();
  const client = await join(origin);
  const { body } = await client.post('/print-jobs', { model_name: 'part' });
  for (let i = 0; i < 3; i++) await client.get(`/print-jobs/${body.id}`);
  await client.get('/print-jobs/00000000-0000-4000-8000-000000000000');
  await client.post('/print-jobs', {});
  await client.get('/print-jobs', { token: 'pat_nobody' });
  await fetch(`${origin}/somewhere/else`);
  const seen = await scrape(origin);
  expect(seen.get(requests('GET', '/api/v1/print-jobs/{id}', 200))).toBe(3);
  expect(seen.get(requests('GET', '/api/v1/print-jobs/{id}', 404))).toBe(1);
  expect(seen.get(requests('POST', '/api/v1/print-jobs', 201))).toBe(1);
  expect(seen.get(requests('POST', '/api/v1/print-jobs', 422))).toBe(1);
  expect(seen.get(requests('GET', 'none', 401))).toBe(1);
  expect(seen.get(requests('GET', 'none', 404))).toBe(1);
  expect([...seen.keys()].filter((name) => name.includes(String(body.id)))).toEqual([]);
});

test('counts the outbox, attempts by outcome and resends, which stay 0 unless somebody requests them', async () => {
  const origin = await start();
  const client = await join(origin);
  const { body: me } = await client.get('/me');
  const backlog = `farmboard_outbox_account_deliveries{account="${me.account_id}"}`;
  let answer: 'accept' | 'refuse' | 'hang' = 'accept';
  receiver = await startReceiver((res) => {
    if (answer !== 'hang') res.writeHead(answer === 'accept' ? 204 : 500).end();
  });
  await client.post('/webhook-subscriptions', { url: receiver.url, events: ['order.created'] });
  const order = (name: string) => client.post('/print-jobs', { model_name: name });

  await order('one');
  await order('two');
  await receiver.until((all) => all.length === 2);
  answer = 'refuse';
  await order('three');
  await eventually(
    () => scrape(origin),
    (seen) => seen.get(ended('http_status')) === 1 && seen.get(ended('succeeded')) === 2,
  );

  answer = 'hang';
  for (let i = 0; i < 5; i++) await order(`waits ${i}`);
  // three have ended and four hang
  await receiver.until((all) => all.length === 7);
  const waiting = await eventually(
    () => scrape(origin),
    (seen) => seen.get('farmboard_outbox_deliveries{state="sending"}') === 4,
  );
  expect(waiting.get('farmboard_outbox_deliveries{state="pending"}')).toBe(1);
  expect(waiting.get('farmboard_outbox_lag_seconds')).toBeGreaterThan(0);
  expect(waiting.get(backlog)).toBe(5);
  expect(waiting.get('farmboard_delivery_first_byte_seconds_count')).toBe(7);
  expect(waiting.get('farmboard_deliveries_sent_again_total')).toBe(0);
  expect(waiting.get('farmboard_late_outcomes_total')).toBe(0);

  // written directly to the database: attempted deliveries are pending again
  answer = 'accept';
  await write(folder.file, "UPDATE deliveries SET state = 'pending', sequence = NULL WHERE error = 'http_status'");
  await eventually(
    () => scrape(origin),
    (seen) => seen.get('farmboard_deliveries_sent_again_total') === 1 && !seen.has(backlog),
  );
});

test('exposes the same metrics in a worker', async () => {
  if (ENGINE === 'sqlite') {
    const origin = await start({ ...env, ROLE: 'all' });
    expect((await scrape(origin)).get(`farmboard_info{version="${manifest.version}",role="all"}`)).toBe(1);
  } else {
    const origin = await start({ ...env, ROLE: 'worker' });
    expect((await scrape(origin)).get(`farmboard_info{version="${manifest.version}",role="worker"}`)).toBe(1);
    expect((await fetch(`${origin}/api/v1/me`)).status).toBe(404);
  }
});

test('shows the database connections of the engine', async () => {
  const seen = await scrape(await start());
  const shown = [...seen].filter(([name]) => name.startsWith('farmboard_database_'));
  const pools = ENGINE === 'sqlite' ? ['reader', 'writer'] : ['all'];
  expect(shown.map(([name]) => name)).toEqual([
    ...pools.flatMap((pool) =>
      ['in_use', 'idle'].map((state) => `farmboard_database_connections{pool="${pool}",state="${state}"}`),
    ),
    ...pools.map((pool) => `farmboard_database_waiting{pool="${pool}"}`),
  ]);
});

test('measures each sweep and purge, and counts those that fail', async () => {
  const origin = await start();
  const runs = (task: string, outcome: string) =>
    `farmboard_maintenance_duration_seconds_count{task="${task}",outcome="${outcome}"}`;
  const seen = await eventually(
    () => scrape(origin),
    (all) => (all.get(runs('sweep', 'succeeded')) ?? 0) > 1 && all.get(runs('purge', 'succeeded')) === 1,
  );
  for (const task of ['sweep', 'purge']) expect(seen.get(runs(task, 'failed'))).toBe(0);
  // the sweep reads it, the metrics don't
  await write(folder.file, 'ALTER TABLE deliveries RENAME COLUMN claimed_by TO renamed');
  await eventually(
    () => scrape(origin),
    (all) => (all.get(runs('sweep', 'failed')) ?? 0) > 0,
  );
});

test('shows the queue if there is one', async () => {
  const origin = await start();
  const page = await fetch(origin + BOARD, { headers: basic });
  if (ENGINE === 'sqlite') {
    expect(page.status).toBe(404);
    return;
  }
  expect(page.status).toBe(200);
  const policy = page.headers.get('content-security-policy') ?? '';
  expect(policy).toContain("default-src 'none'");
  expect(policy).not.toMatch(/https?:/);
  const [, script] = /<script defer src="(static\/js\/main[^"]+)"/.exec(await page.text()) ?? [];
  expect((await fetch(`${origin}${BOARD}/${script}`, { headers: basic })).status).toBe(200);
  const { queues } = (await (await fetch(`${origin}${BOARD}/api/queues`, { headers: basic })).json()) as {
    queues: unknown[];
  };
  expect(queues).toMatchObject([{ name: 'channels', readOnlyMode: true, counts: { active: 0, failed: 0 } }]);
});
