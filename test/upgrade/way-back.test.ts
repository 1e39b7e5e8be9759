import { copyFileSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import { createClient } from '../kit/client.ts';
import { inspectDatabase, write } from '../kit/database.ts';
import { ENGINE } from '../kit/engine.ts';
import { type Place, postgresPlace, refused, sqlitePlace, succeed, tallies } from '../kit/place.ts';
import { differencesOf, type OpenFixture, openFixture, RELEASES } from '../kit/release-fixture.ts';
import { type Env, farmboard, startService } from '../kit/service.ts';

// The programs of an old release don't run here. It starts exactly if it knows every migration that the database records.

const CONSISTENT = 'No problems found.\n';

/** Everything in a database: its tables, indexes and triggers, and each row. */
async function contentsOf(database: string): Promise<Record<string, unknown[]>> {
  const { rows, close } = await inspectDatabase(database);
  const schema =
    ENGINE === 'sqlite'
      ? 'SELECT type, name, sql FROM sqlite_master ORDER BY type, name'
      : `SELECT table_name, column_name, data_type, column_default, is_nullable FROM information_schema.columns
         WHERE table_schema = 'public' ORDER BY 1, 2`;
  const tables =
    ENGINE === 'sqlite'
      ? "SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name"
      : "SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public' ORDER BY 1";
  try {
    const contents: Record<string, unknown[]> = { schema: await rows(schema) };
    for (const { name } of await rows<{ name: string }>(tables)) {
      const all = await rows(`SELECT * FROM "${name}"`);
      contents[name] = all.map((row) => JSON.stringify(row)).sort();
    }
    return contents;
  } finally {
    await close();
  }
}

async function migrationsOf(database: string): Promise<string[]> {
  const { rows, close } = await inspectDatabase(database);
  try {
    return (await rows<{ name: string }>('SELECT name FROM schema_migrations')).map(({ name }) => name).sort();
  } finally {
    await close();
  }
}

/** What each answer that the old release gave lacks now. */
async function differencesFromOld({ farm, reads }: OpenFixture, env: Env): Promise<string[]> {
  // other suites receive at the addresses of the fixture
  const service = await startService({ ...env, WEBHOOK_ALLOWED_HOSTS: 'external' });
  try {
    const client = await createClient(service.origin, farm.tokens.valid);
    const differences: string[] = [];
    for (const { api, path, body } of reads.filter((read) => read.api === 'automation')) {
      const answer = await client.get(path);
      differences.push(
        ...differencesOf(body, answer.body, new Set(['last_used_at', 'server_time']), `${api} ${path} `),
      );
    }
    return differences;
  } finally {
    await service.kill();
  }
}

describe.each(RELEASES)('an upgrade from %s that fails', (release) => {
  let old: OpenFixture;

  beforeEach(async () => {
    old = await openFixture(release);
  });
  afterEach(() => old?.remove());

  /** A table that is in the way of a migration. */
  async function failAt(table: string): Promise<void> {
    await write(old.database, `CREATE TABLE ${table} (id TEXT)`);
    const { code, stderr } = await farmboard(['migrate'], old.env);
    expect([code, stderr]).toEqual([1, expect.stringMatching(new RegExp(`${table}.* already exists`))]);
  }

  const removeCause = (table: string) => write(old.database, `DROP TABLE ${table}`);

  async function expectUpgraded(): Promise<void> {
    expect(await differencesFromOld(old, old.env)).toEqual([]);
    expect(await succeed(['check'], old.env)).toBe(CONSISTENT);
  }

  test('changes nothing, so that the old release starts again, and succeeds once its cause is gone', async () => {
    const before = await contentsOf(old.database);
    const known = await migrationsOf(old.database);
    await failAt('invoice_pdfs');
    expect(await migrationsOf(old.database)).toEqual(known);
    expect((await farmboard(['serve'], old.env)).code).toBe(1);
    await removeCause('invoice_pdfs');
    expect(await contentsOf(old.database)).toEqual(before);
    await expectUpgraded();
  });

  test('in its last step keeps every row, and goes on from there once its cause is gone', async () => {
    const known = await migrationsOf(old.database);
    await failAt('backup_schedule');
    // on PostgreSQL the steps that create indexes while others write are on their own, and stay
    const stays = ENGINE === 'postgres';
    expect((await migrationsOf(old.database)).length > known.length).toBe(stays);
    await removeCause('backup_schedule');
    await expectUpgraded();
  });
});

describe('a release that has to be left again', () => {
  const [release] = RELEASES as [string];
  const NEWER = '99990101000000_of_the_newer_release';
  let old: OpenFixture;
  let target: Place;

  beforeEach(async () => {
    old = await openFixture(release);
    // the release of today is the old one here
    await succeed(['migrate'], old.env);
  });
  afterEach(() => {
    target?.drop();
    old?.remove();
  });

  /** A migration of a release that doesn't exist yet, and its use. */
  async function upgradeAndWrite(): Promise<void> {
    await write(old.database, 'ALTER TABLE orders ADD COLUMN of_the_newer_release TEXT');
    await write(old.database, `INSERT INTO schema_migrations (name, ran_at) VALUES ('${NEWER}', 1)`);
    await write(old.database, "UPDATE orders SET model_name = 'written after the upgrade', of_the_newer_release = 'x'");
    await write(old.database, 'DELETE FROM filament_ledger');
  }

  /** As `Place` has it, for the fixture: with its clock and its key. */
  function placeTarget(): Env {
    target = ENGINE === 'sqlite' ? sqlitePlace(join(old.folder, 'restored.sqlite3')) : postgresPlace();
    if (ENGINE === 'sqlite') copyFileSync(`${old.database}.key`, join(old.folder, 'restored.sqlite3.key'));
    return { ...old.env, DATABASE_URL: target.url };
  }

  test('is left by restoring the backup from before the upgrade: its data is back, and nothing else', async () => {
    const backup = join(old.folder, 'before-upgrade.sqlite3');
    const held = tallies(await succeed(['backup', backup, '--verbose'], old.env));
    expect(held.length).toBeGreaterThan(20);
    await upgradeAndWrite();

    for (const command of ['serve', 'check', 'migrate'])
      expect(await refused([command], old.env)).toContain(`newer version of Farmboard (${NEWER})`);

    const env = placeTarget();
    expect(tallies(await succeed(['restore', backup, '--verbose'], env))).toEqual(held);
    expect(await succeed(['check'], env)).toBe(CONSISTENT);
    expect(await differencesFromOld(old, env)).toEqual([]);
  });

  test('is not left with a backup that it made itself', async () => {
    await upgradeAndWrite();
    const backup = join(old.folder, 'after-upgrade.sqlite3');
    expect(await refused(['backup', backup], old.env)).toContain('newer version of Farmboard');
    expect(existsSync(backup)).toBe(false);
  });
});
