import { appendFileSync, readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { open as openFile } from 'node:fs/promises';
import { createTestFolder, type TestFolder } from '../../../test/kit/storage.ts';
import type { Report } from '../report.ts';
import { type Journal, MAX_QUEUED, MAX_QUEUED_OF_PRINTER, openJournal } from './journal.ts';
import { MAX_OVERFLOW_BYTES } from './overflow.ts';

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
  await journal.markSettled('a');
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
  await journal.markSettled('a');
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
    await journal.markSettled(`r${i}`);
  }
  expect(statSync(file()).size).toBeLessThan(1_500_000);
  await reopen();
  expect(statSync(file()).size).toBeLessThan(50_000);
  expect([journal.nextOf('One')?.event_id, journal.countQueued()]).toEqual(['first', 2]);
  expect(await journal.record('Two', {}, [report('r0'), report('r119')])).toEqual([]);
});

test('reports beyond the limit wait until there is room, oldest first, also over a restart', async () => {
  const fill = (printer: string) =>
    journal.record(
      printer,
      'full',
      Array.from({ length: MAX_QUEUED_OF_PRINTER }, (_, i) => report(`${printer}${i}`)),
    );
  await fill('One');
  expect(idsOf(await journal.record('One', 'over', [report('late')]))).toEqual(['late']);
  expect(warnings).toEqual([expect.stringContaining('more than 100000 reports are queued, or 10000 of this printer')]);
  for (let i = 2; i <= MAX_QUEUED / MAX_QUEUED_OF_PRINTER; i++) {
    expect(await fill(`Other ${i}`)).toHaveLength(MAX_QUEUED_OF_PRINTER);
  }
  await journal.record('Last', 'over', [report('later')]);
  expect([await journal.refill('Last'), journal.countQueued()]).toEqual([false, MAX_QUEUED]);
  await journal.markSettled('One0');
  await journal.record('One', 'over', [report('latest')]);
  appendFileSync(folder.path('state/overflow.jsonl'), '\n{"printer":"One","report":{"event');
  await reopen();
  await journal.record('Last', 'over', [report('last')]);
  expect(['One', 'Last', 'Other 2'].map(journal.isOverflowing)).toEqual([true, true, false]);
  expect([await journal.refill('One'), await journal.refill('One')]).toEqual([true, false]);
  await journal.markSettled('One1');
  expect([await journal.refill('One'), journal.isOverflowing('One'), journal.nextOf('One')?.event_id]).toEqual([
    true,
    false,
    'One2',
  ]);
  // as `markSettled` for each of them
  await journal.close();
  const settled = Array.from({ length: MAX_QUEUED_OF_PRINTER }, (_, i) => ({ kind: 'settled', event_id: `One${i}` }));
  appendFileSync(file(), settled.map((line) => `${JSON.stringify(line)}\n`).join(''));
  journal = await open();
  const sent: (string | undefined)[] = [];
  await journal.refill('Last');
  for (const printer of ['One', 'One', 'Last', 'Last']) {
    const next = journal.nextOf(printer)?.event_id;
    sent.push(next);
    await journal.markSettled(next ?? '');
  }
  expect([sent, warnings.length]).toEqual([['late', 'latest', 'later', 'last'], 2]);
});

test('a report that waits for room has room on the disk, or is logged whole', async () => {
  const many = Array.from({ length: MAX_QUEUED_OF_PRINTER }, (_, i) => report(`r${i}`));
  await journal.record('One', 'full', many);
  writeFileSync(folder.path('state/overflow.jsonl'), '');
  truncateSync(folder.path('state/overflow.jsonl'), MAX_OVERFLOW_BYTES - 200);
  await journal.record('One', 'full', [report('fits'), report('lost')]);
  const { size } = statSync(folder.path('state/overflow.jsonl'));
  expect([size > MAX_OVERFLOW_BYTES - 200, size <= MAX_OVERFLOW_BYTES]).toEqual([true, true]);
  expect(warnings[0]).toContain(`overflow.jsonl is full, and doesn't keep ${JSON.stringify(report('lost'))}`);
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
