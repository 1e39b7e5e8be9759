import { closeSync, openSync, writeSync } from 'node:fs';
import { inspectDatabase } from '../kit/database.ts';
import { refused } from '../kit/place.ts';
import { createDataFolder, type DataFolder, farmboard } from '../kit/service.ts';

const PAGE_BYTES = 4096;

let data: DataFolder;

beforeEach(() => {
  data = createDataFolder('sqlite');
});
afterEach(() => data.remove());

/** Overwrites the first page of these tables with zeros. */
async function damage(tables: string[]): Promise<void> {
  const { rows, close } = await inspectDatabase(data.file);
  const names = tables.map((name) => `'${name}'`).join(', ');
  const pages = await rows<{ rootpage: number }>(`SELECT rootpage FROM sqlite_master WHERE name IN (${names})`);
  await close();
  const file = openSync(data.file, 'r+');
  for (const { rootpage } of pages)
    writeSync(file, Buffer.alloc(PAGE_BYTES), 0, PAGE_BYTES, (rootpage - 1) * PAGE_BYTES);
  closeSync(file);
}

test('every command says in one line that the file is damaged, and check what of it', async () => {
  await damage(['accounts', 'orders', 'subscriptions']);
  const email = ['--email', 'a@b.example'];
  for (const args of [
    ['account', 'create', ...email, '--name', 'A', '--password', 'correct horse battery'],
    ['account', 'reset-password', ...email, '--password', 'correct horse battery'],
    ['token', 'create', ...email, '--name', 'n'],
    ['token', 'list', ...email],
    ['token', 'revoke', ...email, '--name', 'n'],
    ['demo', ...email],
    ['backup', `${data.file}.copy`],
    ['move', '--from', `sqlite:${data.file}`, '--to', `sqlite:${data.file}.moved`],
  ]) {
    const said = await refused(args, data.env);
    expect([args, said]).toEqual([
      args,
      expect.stringMatching(/ damaged.* restore the last backup|^The copy is damaged/),
    ]);
    expect(said).toContain(args[0] === 'backup' ? '' : data.file);
  }
  const checked = await farmboard(['check'], data.env);
  expect(checked).toMatchObject({ code: 1, stderr: '' });
  expect(checked.stdout).toMatch(/page/);
});
