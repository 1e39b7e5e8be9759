import { readdirSync, writeFileSync } from 'node:fs';
import { createTestFolder } from '../../../../test/kit/storage.ts';
import { backupNames, deleteOld, deleteParts } from './backup-files.ts';

const names = backupNames('01939d7a-0000-7000-8000-0123456789ab');
const folder = createTestFolder();
const at = (day: string) => names.nameAt(Date.parse(`2026-11-${day}T03:00:00.123Z`));

/** Files that the schedule of this database did not make. */
const OTHERS = [
  backupNames('01939d7a-0000-7000-8000-00000000ffff').nameAt(0),
  `${at('01')}.copy`,
  `copy of ${at('01')}`,
  `${at('01')}.part-x`,
  'farmboard-456789ab-before-upgrade.sqlite3',
  'farmboard.sqlite3',
];

afterAll(() => folder.remove());

test('deletes the oldest of its own files and nothing else', async () => {
  const made = ['05', '01', '04', '02', '03'].map(at);
  const parts = [`${at('06')}.part-17`, `${at('06')}.part-17-journal`];
  for (const name of [...made, ...parts, ...OTHERS]) writeFileSync(folder.path(name), '');
  expect(at('01')).toBe('farmboard-456789ab-20261101T030000Z.sqlite3');
  expect(await deleteOld(folder.path(''), names, 3, at('05'))).toEqual([at('01'), at('02')]);
  expect(await deleteOld(folder.path(''), names, 3, at('05'))).toEqual([]);
  await deleteParts(folder.path(''), names);
  expect(readdirSync(folder.path('')).sort()).toEqual([at('03'), at('04'), at('05'), ...OTHERS].sort());
  // the clock was set back: the newest file has the oldest name
  expect(await deleteOld(folder.path(''), names, 1, at('03'))).toEqual([at('04'), at('05')]);
  expect(readdirSync(folder.path('')).sort()).toEqual([at('03'), ...OTHERS].sort());
});
