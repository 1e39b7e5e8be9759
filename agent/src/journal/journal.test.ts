import { appendFileSync, readFileSync, statSync, truncateSync } from 'node:fs';
import { open as openFile } from 'node:fs/promises';
import { createTestFolder, type TestFolder } from '../../../test/kit/storage.ts';
import type { Report } from '../report.ts';
import { type Journal, MAX_QUEUED, MAX_QUEUED_OF_PRINTER, openJournal } from './journal.ts';

let folder: TestFolder;
let journal: Journal;
let warnings: string[];

const open = () => openJournal(folder.path('state'), { warn: (message) => void warnings.push(message) });
const file = () => folder.path('state/journal.jsonl');
const report = (event_id: string): Report => ({
  event_id,
  filename: `${event_id}.gcode`,
  at: '2026-11-22T10:00:00.000Z',
  outcome: 'finished',
});
const idsOf = (reports: Report[]) => reports.map(({ event_id }) => event_id);

/** Closes and reopens the journal, as a restart of the agent does. */
async function reopen(): Promise<void> {
  await journal.close();
  journal = await open();
}

beforeEach(async () => {
  folder = createTestFolder();
  warnings = [];
  journal = await open();
});
afterEach(async () => {
  await journal.close();
  folder.remove();
});

test('reports are new only once: not while queued, after delivery, or after a restart', async () => {
  expect(idsOf(await journal.record('One', { job: 1 }, [report('a'), report('b')]))).toEqual(['a', 'b']);
  expect(idsOf(await journal.record('One', { job: 2 }, [report('a'), report('c')]))).toEqual(['c']);
  await reopen();
  expect(await journal.record('One', { job: 2 }, [report('b')])).toEqual([]);
  await journal.markDelivered('a');
  expect(await journal.record('One', { job: 2 }, [report('a')])).toEqual([]);
  await reopen();
  expect(await journal.record('One', { job: 2 }, [report('a')])).toEqual([]);
  expect([journal.nextOf('One')?.event_id, journal.countQueued(), journal.stateOf('One')]).toEqual([
    'b',
    2,
    { job: 2 },
  ]);
});

test('recorded and settled reports are on disk before they count', async () => {
  const handle = await openFile(file());
  const synced = jest.spyOn(Object.getPrototypeOf(handle) as typeof handle, 'datasync');
  await handle.close();
  await journal.record('One', { job: 1 }, [report('a')]);
  expect(synced).toHaveBeenCalledTimes(1);
  await journal.markDelivered('a');
  expect(synced).toHaveBeenCalledTimes(2);
  synced.mockRestore();
});

test('an incomplete last line is ignored, and a damaged one is reported and skipped', async () => {
  await journal.record('One', 'first', [report('a')]);
  await journal.record('One', 'second', [report('b')]);
  await journal.close();
  const whole = readFileSync(file(), 'utf8');
  truncateSync(file(), Buffer.byteLength(whole) - 20);
  journal = await open();
  expect([journal.stateOf('One'), journal.countQueued(), warnings]).toEqual(['first', 1, []]);
  // and can be recorded again
  expect(idsOf(await journal.record('One', 'second', [report('b')]))).toEqual(['b']);
  await journal.close();
  appendFileSync(file(), '\0\0\0 no line\n{"kind":"settled","event_id":"a"}\n');
  journal = await open();
  expect(journal.nextOf('One')?.event_id).toBe('b');
  expect(warnings).toEqual([expect.stringContaining('is unreadable and was skipped')]);
});

test('the journal does not grow forever: it is compacted, and queued reports are kept', async () => {
  const long = 'x'.repeat(20_000);
  await journal.record('One', 'state', [report('first'), report('last')]);
  for (let i = 0; i < 120; i++) {
    await journal.record('Two', { i, long }, [report(`r${i}`)]);
    await journal.markDelivered(`r${i}`);
  }
  expect(statSync(file()).size).toBeLessThan(1_500_000);
  await reopen();
  expect(statSync(file()).size).toBeLessThan(50_000);
  expect([journal.nextOf('One')?.event_id, journal.countQueued()]).toEqual(['first', 2]);
  expect(await journal.record('Two', {}, [report('r0'), report('r119')])).toEqual([]);
});

test('reports beyond the limit are moved aside and logged, as are reports the server rejects', async () => {
  const fill = (printer: string) =>
    journal.record(
      printer,
      'full',
      Array.from({ length: MAX_QUEUED_OF_PRINTER }, (_, i) => report(`${printer}${i}`)),
    );
  await fill('One');
  expect(await journal.record('One', 'over', [report('late')])).toEqual([]);
  expect(warnings).toEqual([expect.stringContaining('late.gcode')]);
  for (let i = 2; i <= MAX_QUEUED / MAX_QUEUED_OF_PRINTER; i++) {
    expect(await fill(`Other ${i}`)).toHaveLength(MAX_QUEUED_OF_PRINTER);
  }
  expect(await journal.record('Last', 'over', [report('later')])).toEqual([]);
  await journal.reject('One', report('One0'), 'no such printer');
  const temporaryFile = readFileSync(journal.rejectedFile, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { reason: string; report: Report });
  expect(temporaryFile.map(({ reason, report: { event_id } }) => [event_id, reason])).toEqual([
    ['late', 'more than 100000 reports are queued, or 10000 of this printer'],
    ['later', 'more than 100000 reports are queued, or 10000 of this printer'],
    ['One0', 'no such printer'],
  ]);
  expect([journal.nextOf('One')?.event_id, journal.countQueued()]).toEqual(['One1', MAX_QUEUED - 1]);
});

test('a journal of a newer version is not modified', async () => {
  await journal.close();
  const newer = '{"kind":"snapshot","version":2}\n';
  truncateSync(file(), 0);
  appendFileSync(file(), newer);
  await expect(open()).rejects.toThrow('newer version of Farmboard');
  expect(readFileSync(file(), 'utf8')).toBe(newer);
  truncateSync(file(), 0);
  journal = await open();
});
