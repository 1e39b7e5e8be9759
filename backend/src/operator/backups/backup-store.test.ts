import { forTest } from '../../../../test/kit/opened.ts';
import { openTestStorage } from '../../../../test/kit/storage.ts';
import { databaseTime, query } from '../../storage/dialect.ts';
import { claimBackup, endClaim, findLastBackup, renewClaim } from './backup-store.ts';

const WEEK_MS = 7 * 24 * 60 * 60_000;
const MINUTE_MS = 60_000;

const storage = forTest(openTestStorage);

const claim = (name: string, everyMs = WEEK_MS) => claimBackup(storage, name, everyMs);

/** Moves a time of the schedule into the past, as if it had passed. */
const age = (column: 'claimed_until' | 'made_at' | 'failed_at', byMs: number) =>
  query(storage.writer, `UPDATE backup_schedule SET ${column} = ${column} - ${byMs}`);

test('gives one of several processes the claim, until its outcome is recorded', async () => {
  const claims = await Promise.all(['a', 'b', 'c'].map((name) => claim(name)));
  expect(claims.filter((startedAt) => startedAt !== undefined)).toHaveLength(1);
  const winner = ['a', 'b', 'c'][claims.findIndex((startedAt) => startedAt !== undefined)] as string;
  expect(await claim('d')).toBeUndefined();
  expect(await findLastBackup(storage.read)).toBeUndefined();
  await endClaim(storage, winner, { bytes: 4096 });
  expect(await findLastBackup(storage.read)).toEqual({ ageMs: expect.any(Number), bytes: 4096 });
  expect(await claim('d')).toBeUndefined();
});

test('makes up for a backup that was missed, also after the clock was set back', async () => {
  await claim('a');
  await endClaim(storage, 'a', { bytes: 1 });
  for (const ms of [2 * WEEK_MS, -4 * WEEK_MS]) {
    await age('made_at', ms);
    expect(await claim('b')).toEqual(expect.any(Number));
    await endClaim(storage, 'b', 'interrupted');
  }
});

test('counts intervals from midnight UTC', async () => {
  const [row] = await query<{ now: number }>(storage.read, `SELECT ${databaseTime(storage.read)} AS now`);
  const startedAt = Math.floor(Number(row?.now) / WEEK_MS) * WEEK_MS;
  await query(storage.writer, `UPDATE backup_schedule SET made_at = ${startedAt}, bytes = 1`);
  expect(await claim('a')).toBeUndefined();
  await query(storage.writer, `UPDATE backup_schedule SET made_at = ${startedAt - 1}`);
  expect(await claim('a')).toEqual(expect.any(Number));
});

test('takes over a claim that is not renewed, and its process finds out', async () => {
  await claim('a');
  await age('claimed_until', MINUTE_MS);
  expect(await renewClaim(storage, 'a')).toBe(true);
  expect(await claim('b')).toBeUndefined();
  await age('claimed_until', MINUTE_MS);
  expect(await claim('b')).toEqual(expect.any(Number));
  expect(await renewClaim(storage, 'a')).toBe(false);
  await endClaim(storage, 'a', { bytes: 1 });
  expect(await findLastBackup(storage.read)).toBeUndefined();
  expect(await renewClaim(storage, 'b')).toBe(true);
});

test('tries a failed backup again after 15 minutes, and an interrupted one at once', async () => {
  await claim('a');
  await endClaim(storage, 'a', 'interrupted');
  expect(await claim('b')).toEqual(expect.any(Number));
  await endClaim(storage, 'b', 'failed');
  expect(await claim('c')).toBeUndefined();
  await age('failed_at', 14 * MINUTE_MS);
  expect(await claim('c')).toBeUndefined();
  await age('failed_at', MINUTE_MS);
  expect(await claim('c')).toEqual(expect.any(Number));
  await endClaim(storage, 'c', { bytes: 1 });
  expect(await findLastBackup(storage.read)).toMatchObject({ bytes: 1 });
});
