import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { MIGRATIONS } from '../../backend/src/storage/migrate.ts';
import { inspectDatabase } from '../kit/database.ts';
import { HAS_REDIS, REDIS_URL } from '../kit/engine.ts';
import { eventually } from '../kit/eventually.ts';
import { forTest } from '../kit/opened.ts';
import { addProviders, issueInvoice, openSeller, STRIPE_SECRET } from '../kit/payments.ts';
import { startReceiver } from '../kit/receiver.ts';
import {
  createAccountWithToken,
  createNewDataFolder,
  createServiceFolder,
  type Env,
  farmboard,
  type Service,
} from '../kit/service.ts';

/** Nothing that the machine of the tests may have set: this is the service with its defaults. */
const UNSET: Env = Object.fromEntries(
  ['REDIS_URL', 'SECRET_KEY', 'PUBLIC_URL', 'SIGN_UP', 'ROLE', 'HOST', 'WEBHOOK_ALLOWED_HOSTS', 'PGHOST', 'PGUSER'].map(
    (name) => [name, undefined],
  ),
);

const modeOf = (file: string) => (statSync(file).mode & 0o777).toString(8);

async function ask(origin: string, path: string, token?: string, init: RequestInit = {}) {
  const response = await fetch(origin + path, {
    ...init,
    headers: {
      ...(token === undefined ? {} : { Authorization: `Bearer ${token}` }),
      ...(init.body ? { 'Content-Type': 'application/json' } : {}),
    },
  });
  return {
    status: response.status,
    headers: response.headers,
    body: (await response.json()) as Record<string, unknown>,
  };
}

const post = (origin: string, path: string, token: string, body: unknown) =>
  ask(origin, path, token, { method: 'POST', body: JSON.stringify(body) });

describe('the service', () => {
  const folder = forTest(() => {
    const made = createNewDataFolder();
    return createServiceFolder({ ...made, env: { ...UNSET, ...made.env } });
  });
  const start = (more?: Env) => folder.start(more);

  test('starts with only a file and accepts valid tokens', async () => {
    const { origin } = await start();
    const refused = await ask(origin, '/api/v1/print-jobs');
    expect(refused.status).toBe(401);
    expect(refused.headers.get('www-authenticate')).toBe('Bearer');
    expect(refused.body).toMatchObject({ code: 'unauthorized', status: 401 });

    const { email, token } = await createAccountWithToken(folder.env);
    expect(await ask(origin, '/api/v1/print-jobs', token)).toMatchObject({
      status: 200,
      body: { items: [], total: 0 },
    });
    expect((await ask(origin, '/api/v1/me', token)).body).toMatchObject({ email, token_name: 'test' });
    expect((await ask(origin, '/readyz')).body).toEqual({ status: 'ready' });
    expect((await ask(origin, '/healthz')).body).toEqual({ status: 'ok' });
  });

  test('exits with 0 on SIGTERM and keeps its data', async () => {
    const first = await start();
    const { token } = await createAccountWithToken(folder.env);
    const made = await post(first.origin, '/api/v1/print-jobs', token, { model_name: 'Bracket' });
    expect(made.status).toBe(201);
    const key = readFileSync(`${folder.file}.key`, 'utf8');
    expect(await first.stop()).toBe(0);
    // a clean end leaves one file, whole in itself
    expect(existsSync(`${folder.file}-wal`)).toBe(false);

    const second = await start();
    expect((await ask(second.origin, `/api/v1/print-jobs/${made.body.id}`, token)).body).toEqual(made.body);
    expect(readFileSync(`${folder.file}.key`, 'utf8')).toBe(key);
    expect(await second.stop()).toBe(0);
  });

  test('stops cleanly when told to while starting', async () => {
    for (let time = 0; time < 4; time++) {
      const service = await start();
      expect(await service.stop()).toBe(0);
    }
  });

  test('answers pending requests before it exits', async () => {
    const service = await start();
    const { token } = await createAccountWithToken(folder.env);
    const receiver = await startReceiver((res) => setTimeout(() => res.writeHead(204).end(), 500));
    const subscription = await post(service.origin, '/api/v1/webhook-subscriptions', token, {
      url: receiver.url,
      events: ['order.created'],
    });
    const test = post(service.origin, `/api/v1/webhook-subscriptions/${subscription.body.id}/test`, token, {});
    await receiver.until((all) => all.length === 1);
    const [code, answer] = await Promise.all([service.stop(), test]);
    await receiver.stop();
    expect(code).toBe(0);
    expect(answer).toMatchObject({ status: 200, body: { status: 'succeeded', response_status: 204 } });
  });

  test('keeps its file in WAL mode and private', async () => {
    for (let time = 0; time < 2; time++) {
      const service = await start();
      if (time === 0) await createAccountWithToken(folder.env);
      const inspector = await inspectDatabase(folder.file);
      try {
        // synchronous, foreign_keys and query_only belong to a connection: storage/open.test.ts asks the service's own
        expect(await inspector.rows('PRAGMA journal_mode')).toEqual([{ journal_mode: 'wal' }]);
        expect(await inspector.rows('PRAGMA integrity_check')).toEqual([{ integrity_check: 'ok' }]);
        for (const file of [
          folder.file,
          `${folder.file}.key`,
          `${folder.file}.lock`,
          `${folder.file}-wal`,
          `${folder.file}-shm`,
        ]) {
          expect(`${file} ${modeOf(file)}`).toBe(`${file} 600`);
        }
      } finally {
        await inspector.close();
      }
      expect(await service.stop()).toBe(0);
    }
  });

  test('writes no secret to its file, its WAL, a backup or its log', async () => {
    const service = await start({ LOG_LEVEL: 'trace' });
    const { email, token } = await createAccountWithToken(folder.env);
    const receiver = await startReceiver();
    const chatPath = '/services/T0FARM/B0BOARD/verysecretpath';
    const secrets = [token, token.slice(4), 'verysecretpath', 'correct horse battery'];
    const subscriptions: string[] = [];
    for (const [format, url] of [
      ['signed', receiver.url],
      ['slack', new URL(chatPath, receiver.url).href],
      ['discord', new URL(chatPath, receiver.url).href],
    ]) {
      const made = await post(service.origin, '/api/v1/webhook-subscriptions', token, {
        url,
        format,
        events: ['order.created'],
      });
      expect(made.status).toBe(201);
      subscriptions.push(String(made.body.id));
      if (typeof made.body.secret === 'string') secrets.push(made.body.secret, made.body.secret.slice(6));
    }
    const renewed = await post(service.origin, `/api/v1/webhook-subscriptions/${subscriptions[0]}/secret`, token, {});
    expect(renewed.body.secret).toMatch(/^whsec_/);
    secrets.push(renewed.body.secret as string, (renewed.body.secret as string).slice(6));
    expect(secrets).toHaveLength(8);
    const owner = await openSeller(service, email);
    secrets.push(owner.cookie() as string, (await addProviders(owner)).bank.secret, STRIPE_SECRET);
    const { id, pay_url } = await issueInvoice(owner);
    secrets.push(String(pay_url).split('/').at(-1) as string);
    const headers = { 'Idempotency-Key': 'once' };
    const paid = await owner.post(`/invoices/${id}/payments`, { kind: 'payment', amount: 990 }, { headers });
    expect(paid.body.pay_url).toBe(pay_url);
    // deliveries that succeed and that fail, and refused requests: whatever is logged about them is logged
    expect((await post(service.origin, '/api/v1/print-jobs', token, { model_name: 'Bracket' })).status).toBe(201);
    for (const id of subscriptions) await post(service.origin, `/api/v1/webhook-subscriptions/${id}/test`, token, {});
    await ask(service.origin, '/api/v1/me', `${token.slice(0, -1)}!`);
    await receiver.stop();
    for (const id of subscriptions) await post(service.origin, `/api/v1/webhook-subscriptions/${id}/test`, token, {});
    expect(service.log.length).toBeGreaterThan(0);

    const backup = `${folder.file}.copy`;
    expect((await farmboard(['backup', backup], folder.env)).code).toBe(0);
    const folderOfData = dirname(folder.file);
    const look = () => {
      const found: string[] = [];
      const places = readdirSync(folderOfData).map((name) => [name, readFileSync(join(folderOfData, name))] as const);
      for (const [name, bytes] of [...places, ['log', Buffer.from(service.log.join('\n'))] as const]) {
        for (const secret of secrets) {
          for (const form of [secret, Buffer.from(secret).toString('base64'), Buffer.from(secret).toString('hex')]) {
            if (bytes.includes(form)) found.push(`${secret} in ${name}`);
          }
        }
      }
      return { found, names: places.map(([name]) => name) };
    };
    const during = look();
    expect(during.found).toEqual([]);
    expect(during.names).toEqual(expect.arrayContaining(['farmboard.sqlite3-wal', 'farmboard.sqlite3.copy']));
    expect(await service.stop()).toBe(0);
    expect(look().found).toEqual([]);
    // the search finds what is there
    expect(readFileSync(folder.file).includes(subscriptions[0] as string)).toBe(true);
  });

  if (HAS_REDIS)
    test('lets two concurrent starts share an empty database', async () => {
      const [first, second] = (await Promise.all([start({ REDIS_URL }), start({ REDIS_URL })])) as [Service, Service];
      const { token } = await createAccountWithToken(folder.env);
      const made = await post(first.origin, '/api/v1/print-jobs', token, { model_name: 'Bracket' });
      expect((await ask(second.origin, `/api/v1/print-jobs/${made.body.id}`, token)).body).toEqual(made.body);
      // a secret encrypted by one is opened by the other
      const receiver = await startReceiver();
      const subscription = await post(second.origin, '/api/v1/webhook-subscriptions', token, {
        url: receiver.url,
        events: ['order.created'],
      });
      await post(first.origin, '/api/v1/print-jobs', token, { model_name: 'Bracket' });
      await receiver.until((all) => all.length === 1);
      await receiver.stop();
      const inspector = await inspectDatabase(folder.file);
      try {
        const deliveries = await eventually(
          () => inspector.rows('SELECT state FROM deliveries WHERE subscription_id = ?', [subscription.body.id]),
          (rows) => rows.every(({ state }) => state === 'succeeded'),
        );
        expect(deliveries).toHaveLength(1);
        expect(await inspector.rows('SELECT count(*) AS n FROM schema_migrations')).toEqual([{ n: MIGRATIONS.length }]);
      } finally {
        await inspector.close();
      }
      const migrated = [first, second].filter(({ log }) => log.some((line) => line.includes('"migrations"')));
      expect(migrated).toHaveLength(1);
      expect(await Promise.all([first.stop(), second.stop()])).toEqual([0, 0]);
    });
});
