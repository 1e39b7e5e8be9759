import { closeSync, openSync, writeSync } from 'node:fs';
import { inspectDatabase } from '../kit/database.ts';
import { refused } from '../kit/place.ts';
import { createAccountWithToken, createDataFolder, type DataFolder } from '../kit/service.ts';

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

test('every command says in one line that the file is damaged', async () => {
  const { email: known } = await createAccountWithToken(data.env);
  await damage(['accounts', 'orders', 'subscriptions']);
  const email = ['--email', known];
  for (const args of [
    ['account', 'create', '--email', 'a@b.example', '--name', 'A', '--password', 'correct horse battery'],
    ['account', 'reset-password', ...email, '--password', 'correct horse battery'],
    ['token', 'create', ...email, '--name', 'n'],
    ['token', 'list', ...email],
    ['token', 'revoke', ...email, '--name', 'n'],
    ['demo', ...email],
    ['check'],
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
});
