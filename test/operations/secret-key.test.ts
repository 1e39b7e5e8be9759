import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ENCRYPTED } from '../../backend/src/composition/secret-values.ts';
import { createSecretBox } from '../../common/src/crypto.ts';
import { type Client, createClient } from '../kit/client.ts';
import { inspectDatabase, write } from '../kit/database.ts';
import { ENGINE } from '../kit/engine.ts';
import { eventually } from '../kit/eventually.ts';
import type { Listed, Subscription } from '../kit/farm.ts';
import { send, signNotification } from '../kit/payments.ts';
import { killAt, refused, succeed } from '../kit/place.ts';
import { isGenuine, startReceiver } from '../kit/receiver.ts';
import { type OpenFixture, openFixture, releases } from '../kit/release-fixture.ts';
import { type Env, startService } from '../kit/service.ts';

const NEW_KEY = 'f6'.repeat(32);
const HEADER = { name: 'Authorization', value: 'Bearer of the receiver' };

let farm: OpenFixture;
let oldKey: string;
let newKeyFile: string;

// it has subscriptions, invoices with payment links and a payment provider
beforeEach(async () => {
  farm = await openFixture(releases()[0] as string);
  await succeed(['migrate'], farm.env);
  oldKey = farm.key;
  newKeyFile = join(farm.folder, 'new.key');
  writeFileSync(newKeyFile, `${NEW_KEY}\n`);
});
afterEach(() => farm?.remove());

const replace = (...more: string[]) => ['secret-key', 'replace', newKeyFile, ...more];

/** All encrypted values as stored, by context. */
async function readStored(): Promise<Map<string, string>> {
  const { rows, close } = await inspectDatabase(farm.database);
  const stored = new Map<string, string>();
  try {
    for (const { table, columns } of ENCRYPTED)
      for (const row of await rows<Record<string, string | null>>(`SELECT * FROM ${table}`))
        for (const [column, contextOf] of Object.entries(columns))
          if (typeof row[column] === 'string') stored.set(contextOf(row.id as string), row[column]);
    return stored;
  } finally {
    await close();
  }
}

/** @throws Error if one can't be read with this key */
async function readPlain(key: string): Promise<Map<string, string>> {
  const box = createSecretBox(key);
  return new Map([...(await readStored())].map(([context, value]) => [context, box.decrypt(value, context)]));
}

/** Enough that a command can be killed while it works on them. */
async function addProviders(count: number): Promise<void> {
  const box = createSecretBox(oldKey);
  const rows = Array.from({ length: count }, (_, i) => {
    const id = `many-${i}`;
    const secret = box.encrypt(`secret ${i}`, `payment-provider:${id}:secret`);
    return `('${id}', (SELECT min(id) FROM accounts), 'notification', 'Many', 0, 0, '${secret}', 0, 0)`;
  });
  const columns = 'id, account_id, kind, name, enabled, is_test, secret_encrypted, created_at, updated_at';
  for (let at = 0; at < count; at += 500)
    await write(
      farm.database,
      `INSERT INTO payment_providers (${columns}) VALUES ${rows.slice(at, at + 500).join(', ')}`,
    );
}

const expectUnchanged = async (stored: Map<string, string>) => expect(await readStored()).toEqual(stored);

/** The environment of the service with the new key where it was told to put it. */
function withNewKey(said: string): Env {
  if (ENGINE === 'sqlite') {
    expect(said).toContain(`move the new key to ${farm.database}.key`);
    writeFileSync(`${farm.database}.key`, NEW_KEY);
    return farm.env;
  }
  expect(said).toContain('set SECRET_KEY of every process to the new key');
  return { ...farm.env, SECRET_KEY: NEW_KEY };
}

test('encrypts every secret with the new key, and the service goes on with it', async () => {
  const before = await readPlain(oldKey);
  expect(before.size).toBeGreaterThan(5);
  const said = await succeed(replace(), farm.env);
  expect(said).toContain(`Encrypted ${before.size} values with the new key and verified them.\n`);
  expect(await readPlain(NEW_KEY)).toEqual(before);
  await expect(readPlain(oldKey)).rejects.toThrow();

  const { subscriptions, tokens, provider, payPath, issuedNumber } = farm.farm;
  const receiver = await startReceiver();
  const service = await startService(withNewKey(said));
  try {
    const client = await createClient(service.origin, tokens.valid);
    await client.put(`/webhook-subscriptions/${subscriptions.signed.id}`, { url: receiver.url, header: HEADER });
    await client.post('/print-jobs', { model_name: 'With the new key' });
    const [event] = await eventually(
      () => receiver.received,
      (all) => all.length === 1,
    );
    expect(isGenuine(subscriptions.signed.previous, event as NonNullable<typeof event>)).toBe(true);
    expect((await fetch(`${service.origin}${payPath}`)).status).toBe(200);
    const raw = JSON.stringify({
      id: 'with-the-new-key',
      type: 'payment',
      invoice: issuedNumber,
      amount: 4990,
      currency: 'EUR',
      paid_at: new Date(Date.now()).toISOString(),
    });
    const signature = signNotification(provider.secret, raw, Math.floor(Date.now() / 1000));
    expect((await send(`${service.origin}/payments/notification/${provider.id}`, raw, signature)).status).toBe(200);
  } finally {
    await service.kill();
    await receiver.stop();
  }
});

/** The subscriptions, as their owner sees them. */
async function subscriptionsOf(client: Client) {
  const { items } = (await client.get<Listed<Subscription>>('/webhook-subscriptions')).body;
  return items.map(({ id, enabled, health, last_error }) => ({ id, enabled, health, last_error }));
}

test('the way out of a lost key: the start refuses, a reset clears what is lost, everything else goes on', async () => {
  const { subscriptions, tokens, provider, payPath, issuedNumber } = farm.farm;
  const before = await startService(farm.env);
  const orders = '/print-jobs?per_page=100';
  const seen = await createClient(before.origin, tokens.valid);
  const kept = { orders: (await seen.get(orders)).body, events: (await seen.get('/events')).body };
  expect(await before.stop()).toBe(0);

  const stored = await readStored();
  const lost = { ...farm.env, SECRET_KEY: ENGINE === 'sqlite' ? undefined : NEW_KEY };
  if (ENGINE === 'sqlite') rmSync(`${farm.database}.key`, { force: true });
  const wayOut =
    /^Farmboard can't start: SECRET_KEY: \d+ stored secrets .*Put the key back.*farmboard secret-key reset/;
  expect(await refused(['serve'], lost)).toMatch(wayOut);
  expect(await refused(['serve'], { ...lost, SECRET_KEY: NEW_KEY })).toMatch(wayOut);
  // other commands go on without it, and write none
  await succeed(['check'], lost);
  expect(existsSync(`${farm.database}.key`)).toBe(false);
  await expectUnchanged(stored);

  const said = await succeed(['secret-key', 'reset'], lost);
  expect(said).toMatch(/^ {2}\S+@\S+: the signing secret of the webhook channel "All events", which is turned off$/m);
  expect(said).toMatch(/^ {2}\S+@\S+: the slack address of the webhook channel "[^"]+", which is turned off$/m);
  expect(said).toMatch(/^ {2}\S+@\S+: the keys of the payment provider/m);
  expect(said).toMatch(
    /^ {2}5 payment links of invoices: customers can still open them, but the console no longer shows them$/m,
  );
  if (ENGINE === 'sqlite') expect(said).toContain(`A new key is in ${farm.database}.key.`);
  expect(await succeed(['secret-key', 'reset'], lost)).toContain('No stored secret was lost.');

  const receiver = await startReceiver();
  const service = await startService(lost);
  try {
    expect(service.log.join('\n')).not.toContain('secret-key reset');
    const client = await createClient(service.origin, tokens.valid);
    expect((await client.get(orders)).body).toEqual(kept.orders);
    expect((await client.get('/events')).body).toEqual(kept.events);
    const { id } = subscriptions.signed;
    for (const subscription of await subscriptionsOf(client))
      expect(subscription).toEqual({
        id: subscription.id,
        enabled: false,
        health: 'failing',
        last_error: 'secret_lost',
      });
    // the links of customers go on working; notifications can't be verified
    expect((await fetch(`${service.origin}${payPath}`)).status).toBe(200);
    const notification = { id: 'any', type: 'payment', invoice: issuedNumber, amount: 1, currency: 'EUR' };
    const raw = JSON.stringify({ ...notification, paid_at: new Date().toISOString() });
    const signature = signNotification(provider.secret, raw, Math.floor(Date.now() / 1000));
    expect((await send(`${service.origin}/payments/notification/${provider.id}`, raw, signature)).status).toBe(400);

    const path = `/webhook-subscriptions/${id}`;
    expect((await client.get<Subscription>(path)).body.header).toBeNull();
    expect((await client.put(path, { enabled: true })).body.detail).toMatch(
      /signing secret .* was lost .* Create a new one/,
    );
    expect((await client.post(`${path}/test`)).body).toMatchObject({ status: 'failed', error: 'secret_lost' });
    const { secret } = (await client.post(`${path}/secret`)).body as { secret: string };
    expect((await client.put(path, { enabled: true, url: receiver.url })).body).toMatchObject({
      enabled: true,
      health: 'ok',
      last_error: null,
    });
    await client.post(`${path}/test`);
    expect(receiver.received.map((event) => isGenuine(secret, event))).toEqual([true]);
    const slack = `/webhook-subscriptions/${subscriptions.slack.id}`;
    expect((await client.put(slack, { enabled: true })).body.detail).toMatch(/address .* was lost .* Enter it again/);
    expect((await client.put(slack, { enabled: true, url: `${receiver.url}/slack` })).body).toMatchObject({
      enabled: true,
      health: 'ok',
    });
  } finally {
    await service.kill();
    await receiver.stop();
  }
});

test('changes nothing with a wrong old key, or without one', async () => {
  const stored = await readStored();
  const wrong = { ...farm.env, SECRET_KEY: 'not the key of this database, but long enough' };
  const all = `${stored.size} of ${stored.size} encrypted values can't be read with SECRET_KEY; nothing was changed.`;
  expect(await refused(replace(), wrong)).toContain(all);
  expect(await refused(replace('--unreadable', 'keep'), wrong)).toContain(all);
  const missing = { ...farm.env, SECRET_KEY: undefined };
  if (ENGINE === 'sqlite') writeFileSync(`${farm.database}.key`, 'short');
  expect(await refused(replace(), missing)).toContain('SECRET_KEY');
  await expectUnchanged(stored);
});

test('refuses a new key that is short, missing or the same', async () => {
  const stored = await readStored();
  for (const [key, fault] of [
    ['short', /at least 32 characters/],
    [oldKey, /is the one that .* already has/],
  ] as const) {
    writeFileSync(newKeyFile, key);
    expect(await refused(replace(), farm.env)).toMatch(fault);
  }
  expect(await refused(['secret-key', 'replace', join(farm.folder, 'none')], farm.env)).toMatch(/cannot be read/);
  expect(await refused(['secret-key', 'replace'], farm.env)).toContain('farmboard secret-key replace FILE');
  await expectUnchanged(stored);
});

test('refuses to run beside the service', async () => {
  const service = await startService(farm.env);
  try {
    const stored = await readStored();
    expect(await refused(replace(), farm.env)).toMatch(/in use.*Stop the service first/);
    await expectUnchanged(stored);
  } finally {
    await service.kill();
  }
});

test('killed before its end, changes nothing; repeated after its end, changes nothing more', async () => {
  await addProviders(3_000);
  const before = await readPlain(oldKey);
  for (const progress of ['encrypting payment_providers', 'verifying payment_providers']) {
    const stored = await readStored();
    await killAt(progress, replace(), farm.env);
    await expectUnchanged(stored);
  }
  await succeed(replace(), farm.env);
  const stored = await readStored();
  // as after it was killed before it could say that it had succeeded
  const again = await succeed(replace(), farm.env);
  expect(again).toContain(
    `Encrypted 0 values with the new key and verified them.\n${before.size} values had already been encrypted`,
  );
  await expectUnchanged(stored);
});

test('keeps values of a key that is lost, only if told to', async () => {
  const { id } = farm.farm.subscriptions.slack;
  const lost = createSecretBox('lost'.repeat(8)).encrypt('https://hooks.slack.example/x', `subscription:${id}:url`);
  await write(farm.database, `UPDATE subscriptions SET url_encrypted = '${lost}' WHERE id = '${id}'`);
  const stored = await readStored();
  expect(await refused(replace(), farm.env)).toMatch(/^1 of \d+ encrypted values can't be read .*--unreadable keep/);
  await expectUnchanged(stored);
  const said = await succeed(replace('--unreadable', 'keep'), farm.env);
  expect(said).toContain("1 values can't be read with either key and were left as they are.\n");
  const after = await readStored();
  expect([...after].filter(([context, value]) => stored.get(context) === value)).toEqual([
    [`subscription:${id}:url`, lost],
  ]);

  // the service starts, and says that some are lost
  const env = { ...withNewKey(said), OPERATOR_SECRET: NEW_KEY };
  const service = await startService(env);
  const page = await fetch(`${service.origin}/metrics`, { headers: { Authorization: `Bearer ${NEW_KEY}` } });
  expect(await page.text()).toContain('\nfarmboard_unreadable_secrets 1\n');
  expect(service.log.some((line) => line.includes('"unreadable":1'))).toBe(true);
  expect(await service.stop()).toBe(0);
  const lostOnes = (await succeed(['secret-key', 'reset'], env)).split('\n').filter((line) => line.startsWith('  '));
  expect(lostOnes).toEqual([expect.stringContaining('the slack address of the webhook channel')]);
});
