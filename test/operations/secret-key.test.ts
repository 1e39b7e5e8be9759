import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ENCRYPTED } from '../../backend/src/cli/commands/secret-key.ts';
import { createSecretBox } from '../../backend/src/shared/crypto.ts';
import { createClient } from '../kit/client.ts';
import { inspectDatabase, write } from '../kit/database.ts';
import { ENGINE } from '../kit/engine.ts';
import { eventually } from '../kit/eventually.ts';
import { send, signNotice } from '../kit/payments.ts';
import { killAt, refused, succeed } from '../kit/place.ts';
import { isGenuine } from '../kit/receiver.ts';
import { type Env, startService } from '../kit/service.ts';
import { type OpenFixture, openFixture, RELEASES, receiveAt } from '../upgrade/fixture.ts';

const NEW_KEY = 'f6'.repeat(32);

let farm: OpenFixture;
let oldKey: string;
let newKeyFile: string;

// it has channels, invoices with payment links and a payment provider
beforeEach(async () => {
  farm = await openFixture(RELEASES[0] as string);
  await succeed(['migrate'], farm.env);
  oldKey = farm.env.SECRET_KEY ?? readFileSync(`${farm.database}.key`, 'utf8').trim();
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
    return `('${id}', (SELECT min(id) FROM accounts), 'notice', 'Many', 0, 0, '${secret}', 0, 0)`;
  });
  const columns = 'id, account_id, kind, name, enabled, is_test, secret_sealed, created_at, updated_at';
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

  const { subscriptions, tokens, provider, payUrl, issuedNumber } = farm.farm;
  const receiver = await receiveAt(subscriptions.signed.url);
  const service = await startService(withNewKey(said));
  try {
    const client = await createClient(service.origin, tokens.valid);
    await client.post('/print-jobs', { model_name: 'With the new key' });
    const isNew = ({ raw }: { raw: Buffer }) => raw.includes('With the new key');
    const { pathname, search } = new URL(subscriptions.signed.url);
    const [event] = await eventually(
      () => receiver.to(pathname + search).filter(isNew),
      (all) => all.length === 1,
      60_000,
    );
    expect(isGenuine(subscriptions.signed.secret as string, event as NonNullable<typeof event>)).toBe(true);
    expect((await fetch(payUrl.replace(farm.publicUrl, service.origin))).status).toBe(200);
    const raw = JSON.stringify({
      ...{ id: 'with-the-new-key', type: 'payment', invoice: issuedNumber, amount: 4990, currency: 'EUR' },
      paid_at: new Date(Date.now()).toISOString(),
    });
    const signature = signNotice(provider.secret, raw, Math.floor(Date.now() / 1000));
    expect((await send(`${service.origin}/payments/notice/${provider.id}`, raw, signature)).status).toBe(200);
  } finally {
    await service.kill();
    await receiver.stop();
  }
});

test('a service with a wrong key says so when it starts, and refuses what it cannot verify', async () => {
  const { provider, payUrl, issuedNumber } = farm.farm;
  const warning = 'The secret key (SECRET_KEY or the key file) is not the one of this database.';
  for (const [key, isWrong] of [
    [oldKey, false],
    [NEW_KEY, true],
  ] as const) {
    const service = await startService({ ...farm.env, SECRET_KEY: key });
    try {
      expect(service.log.some((line) => line.includes(warning))).toBe(isWrong);
      const notice = { id: 'any', type: 'payment', invoice: issuedNumber, amount: 1, currency: 'EUR' };
      const raw = JSON.stringify({ ...notice, paid_at: new Date().toISOString() });
      const signature = signNotice(provider.secret, raw, Math.floor(Date.now() / 1000));
      const answer = await send(`${service.origin}/payments/notice/${provider.id}`, raw, signature);
      expect(answer.status).toBe(isWrong ? 400 : 200);
      expect((await fetch(payUrl.replace(farm.publicUrl, service.origin))).status).toBe(200);
    } finally {
      await service.kill();
    }
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
  for (const progress of ['encrypting payment_providers', 'verifying subscriptions']) {
    const stored = await readStored();
    await killAt(progress, replace(), farm.env);
    await expectUnchanged(stored);
  }
  await succeed(replace(), farm.env);
  const stored = await readStored();
  // as after it was killed before it could say that it had succeeded
  const again = await succeed(replace(), farm.env);
  expect(again).toContain(`Encrypted 0 values with the new key and verified them.\n${before.size} values already were`);
  await expectUnchanged(stored);
});

test('keeps values of a key that is lost, only if told to', async () => {
  const { id } = farm.farm.subscriptions.slack;
  const lost = createSecretBox('lost'.repeat(8)).encrypt('https://hooks.slack.example/x', `subscription:${id}:url`);
  await write(farm.database, `UPDATE subscriptions SET url_sealed = '${lost}' WHERE id = '${id}'`);
  const stored = await readStored();
  expect(await refused(replace(), farm.env)).toMatch(/^1 of \d+ encrypted values can't be read .*--unreadable keep/);
  await expectUnchanged(stored);
  const said = await succeed(replace('--unreadable', 'keep'), farm.env);
  expect(said).toContain("1 values can't be read with either key and were left.\n");
  const after = await readStored();
  expect([...after].filter(([context, value]) => stored.get(context) === value)).toEqual([
    [`subscription:${id}:url`, lost],
  ]);
});
