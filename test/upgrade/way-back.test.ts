import { copyFileSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import { write } from '../kit/database.ts';
import { ENGINE } from '../kit/engine.ts';
import { type Place, postgresPlace, refused, sqlitePlace, succeed, tallies } from '../kit/place.ts';
import { type OpenFixture, openFixture, releases } from '../kit/release-fixture.ts';
import type { Env } from '../kit/service.ts';

const CONSISTENT = 'No problems found.\n';

describe('a release that has to be left again', () => {
  const [release] = releases() as [string];
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
  });

  test('is not left with a backup that it made itself', async () => {
    await upgradeAndWrite();
    const backup = join(old.folder, 'after-upgrade.sqlite3');
    expect(await refused(['backup', backup], old.env)).toContain('newer version of Farmboard');
    expect(existsSync(backup)).toBe(false);
  });
});
