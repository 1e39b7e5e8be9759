import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createClient } from '../kit/client.ts';
import { inspectDatabase, write } from '../kit/database.ts';
import { ENGINE, HAS_REDIS, REDIS_URL } from '../kit/engine.ts';
import * as kit from '../kit/eventually.ts';
import { createFolder, sqlitePlace, succeed } from '../kit/place.ts';
import { childrenOf } from '../kit/processes.ts';
import { createAccountWithToken, createDataFolder, type Service, startService } from '../kit/service.ts';

// each backup is a process of low priority, which other suites hold up
const eventually: typeof kit.eventually = (look, holds) => kit.eventually(look, holds, 600_000);

const SECRET = 'the-secret-of-the-operator-in-full';

const folder = createFolder();
const data = createDataFolder();
const running: Service[] = [];
let backups: string;

beforeEach(async () => {
  backups = folder.path(`backups ${running.length}`);
  mkdirSync(backups);
  // due again
  await write(data.file, 'UPDATE backup_schedule SET made_at = NULL, failed_at = NULL, claimed_until = NULL');
});

afterEach(async () => {
  for (const service of running) await service.kill();
});

afterAll(() => {
  data.remove();
  folder.remove();
});

async function start(env: Record<string, string>): Promise<Service> {
  const settings = { OPERATOR_SECRET: SECRET, BACKUP_FOLDER: backups, BACKUP_EVERY: '7d', ...env };
  const service = await startService({ ...data.env, ...settings });
  running.push(service);
  return service;
}

interface Line {
  msg: string;
  file: string;
  bytes: number;
  deleted: string[];
  err?: { message: string };
}

/** Its log lines about scheduled backups that contain the text. */
const logged = (service: Service, text: string): Line[] =>
  service.log
    .filter((line) => line.startsWith('{') && line.includes('scheduled backup'))
    .map((line) => JSON.parse(line) as Line)
    .filter(({ msg }) => msg.includes(text));

const made = (service: Service) => logged(service, 'was made and verified');
const failed = (service: Service) => logged(service, 'failed');

async function metric(service: Service, name: string): Promise<number> {
  const page = await fetch(`${service.origin}/metrics`, { headers: { Authorization: `Bearer ${SECRET}` } });
  const line = (await page.text()).split('\n').find((one) => one.startsWith(`${name} `));
  return Number(line?.split(' ')[1]?.replace('+Inf', 'Infinity'));
}

const runs = (outcome: string) => `farmboard_maintenance_duration_seconds_count{task="backup",outcome="${outcome}"}`;

/** Files in the folder that a schedule made. */
const files = () => readdirSync(backups).filter((name) => name.startsWith('farmboard-'));

async function schedule() {
  const inspector = await inspectDatabase(data.file);
  try {
    const [row] = await inspector.rows<{ claimed_by: string | null }>('SELECT claimed_by FROM backup_schedule');
    return row;
  } finally {
    await inspector.close();
  }
}

/** The process of the backup that a service is making, stopped before it has ended. */
async function holdBackup(service: Service): Promise<number> {
  const child = () => childrenOf(service.pid)[0];
  // until then it is a copy of the service, which waits for it
  const isBackup = (id?: number) =>
    id !== undefined && readFileSync(`/proc/${id}/cmdline`, 'utf8').includes('\0backup\0');
  const pid = (await eventually(child, isBackup)) as number;
  process.kill(pid, 'SIGSTOP');
  return pid;
}

const exists = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
};

test('keeps the newest verified backups, which can be restored, and other files', async () => {
  const others = ['farmboard-before-upgrade.sqlite3', 'notes.txt'];
  for (const name of others) writeFileSync(join(backups, name), '');
  const service = await start({ BACKUP_EVERY: '1s', BACKUP_KEEP: '2' });
  const client = await createClient(service.origin, (await createAccountWithToken(data.env)).token);
  const order = String((await client.post('/print-jobs', { model_name: 'in every backup' })).body.id);
  const before = made(service).length;
  const all = await eventually(
    () => made(service),
    (lines) => lines.length >= before + 3,
  );
  await service.stop();
  const last = made(service).at(-1) as Line;
  expect(readdirSync(backups).sort()).toEqual([...others, ...files().filter((name) => !others.includes(name))].sort());
  expect(files()).toHaveLength(others.length + 1);
  expect(all.at(-1)?.deleted).toHaveLength(1);
  expect(failed(service)).toEqual([]);

  const { mode, size } = statSync(last.file);
  expect([(mode & 0o777).toString(8), size]).toEqual(['600', last.bytes]);
  const target = sqlitePlace(folder.path('restored'));
  const key = ENGINE === 'postgres' ? data.env.SECRET_KEY : readFileSync(`${data.file}.key`, 'utf8').trim();
  await succeed(['restore', last.file], { ...target.env, SECRET_KEY: key });
  expect(await succeed(['check'], target.env)).toBe('No problems found.\n');
  expect(await target.rows(`SELECT id FROM orders WHERE id = '${order}'`)).toEqual([{ id: order }]);
});

test('a folder that disappears is an error in the log, and is not created', async () => {
  // not due before it is gone
  await write(data.file, `UPDATE backup_schedule SET made_at = ${Date.now() + 60_000}`);
  const service = await start({});
  rmSync(backups, { recursive: true });
  await write(data.file, 'UPDATE backup_schedule SET made_at = NULL');
  const [line] = await eventually(
    () => failed(service),
    (lines) => lines.length > 0,
  );
  expect(line?.err?.message).toContain(backups);
  expect(() => statSync(backups)).toThrow('ENOENT');
  expect(await metric(service, 'farmboard_backup_age_seconds')).toBe(Number.POSITIVE_INFINITY);
  expect(await metric(service, 'farmboard_backup_interval_seconds')).toBe(7 * 24 * 60 * 60);
  expect((await fetch(`${service.origin}/readyz`)).status).toBe(200);
});

test('a shutdown interrupts the backup, and the next start makes it', async () => {
  const first = await start({});
  const pid = await holdBackup(first);
  writeFileSync(join(backups, 'farmboard.txt'), '');
  expect(await first.stop()).toBe(0);
  expect(logged(first, 'interrupted')).toHaveLength(1);
  expect(exists(pid)).toBe(false);
  expect(await schedule()).toEqual({ claimed_by: null });
  expect(readdirSync(backups)).toEqual(['farmboard.txt']);

  const second = await start({});
  await eventually(
    () => made(second),
    (lines) => lines.length > 0,
  );
  expect(await metric(second, 'farmboard_backup_age_seconds')).toBeLessThan(3600);
});

test('a backup does not outlive a killed service, and its remains are deleted', async () => {
  const first = await start({});
  const pid = await holdBackup(first);
  const { claimed_by } = (await schedule()) as { claimed_by: string };
  expect(claimed_by).not.toBeNull();
  await first.kill();
  process.kill(pid, 'SIGCONT');
  await eventually(
    () => exists(pid),
    (there) => !there,
  );
  const database = (await inspectDatabase(data.file)) as Awaited<ReturnType<typeof inspectDatabase>>;
  const [deployment] = await database.rows<{ id: string }>('SELECT id FROM deployment');
  await database.close();
  const part = `farmboard-${deployment?.id.slice(-8)}-20261101T000000Z.sqlite3.part-1`;
  writeFileSync(join(backups, part), '');
  // as if the claim had not been renewed for a minute
  await write(data.file, 'UPDATE backup_schedule SET claimed_until = 0');
  const second = await start({});
  const [line] = await eventually(
    () => made(second),
    (lines) => lines.length > 0,
  );
  expect(readdirSync(backups)).toEqual([line?.file.split('/').at(-1)]);
});

if (HAS_REDIS)
  test('one of several processes makes each backup', async () => {
    const env = { BACKUP_EVERY: '1s', BACKUP_KEEP: '100', REDIS_URL };
    const services = await Promise.all([start(env), start(env)]);
    const all = () => services.flatMap(made).map(({ file }) => file);
    await eventually(all, (list) => list.length >= 4);
    await Promise.all(services.map((service) => service.stop()));
    expect(new Set(all()).size).toBe(all().length);
    expect(services.flatMap(failed)).toEqual([]);
    expect(files().sort()).toEqual(
      all()
        .map((file) => file.split('/').at(-1))
        .sort(),
    );
  });

// last, because the database stays inconsistent if it fails
test('leaves the good backups as they are when one fails, and retries', async () => {
  const service = await start({ BACKUP_EVERY: '1s', BACKUP_KEEP: '1' });
  const client = await createClient(service.origin, (await createAccountWithToken(data.env)).token);
  await client.post('/filaments', { name: 'PETG', spool_count: 1 });
  await eventually(
    () => made(service),
    (lines) => lines.length > 0,
  );
  await write(data.file, 'UPDATE filaments SET used_mg = used_mg + 1');
  await eventually(
    () => failed(service),
    (lines) => lines.length > 1,
  );
  expect(failed(service)[0]?.err?.message).toContain('The copy is inconsistent');
  const good = made(service).at(-1) as Line;
  expect(readdirSync(backups)).toEqual([good.file.split('/').at(-1)]);
  expect(statSync(good.file).size).toBe(good.bytes);
  expect(await metric(service, runs('failed'))).toBeGreaterThan(0);
  expect(await metric(service, 'farmboard_backup_size_bytes')).toBe(good.bytes);
  const count = made(service).length;

  await write(data.file, 'UPDATE filaments SET used_mg = used_mg - 1');
  await eventually(
    () => made(service),
    (lines) => lines.length > count,
  );
  await service.stop();
});
