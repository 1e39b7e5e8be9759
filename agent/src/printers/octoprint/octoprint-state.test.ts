import type { PrintOutcome } from '../../report.ts';
import { type Current, fileToCheck, type Happening, type LastPrint, reduce, type State } from './octoprint-state.ts';

const NOW = 1_790_000_000_000;
/** OctoPrint's clock is a day ahead. */
const OFFSET = 86_400_000;
const FILE = { origin: 'local', path: 'folder/part.gcode', name: 'part.gcode' };
const OTHER = { ...FILE, path: 'other.gcode', name: 'other.gcode' };

/** What OctoPrint shows while it prints, and after it. */
const shows = (flags: Record<string, boolean>, progress: Current['progress'] = {}, file = FILE): Current => ({
  state: { flags },
  job: { file, filament: { tool0: { length: 4000 } } },
  progress,
});
const PRINTING = shows({ printing: true }, { completion: 40, printTime: 60 });
const READY = shows({ ready: true });

const apply = (known: State | undefined, happening: Happening, current = READY, now = NOW) =>
  reduce(known, { happening, current, filament: { density: 1.24 }, now, offset: OFFSET });

const started = (record: LastPrint | null = null): Happening => ({ kind: 'started', file: FILE, record });
const ended = (outcome: PrintOutcome, file = FILE): Happening => ({ kind: 'ended', file, outcome, reason: undefined });
const record = (success: boolean, at = NOW): LastPrint => ({ success, at });

const idle: State = { open: null, lastEnd: null, settledUntil: NOW - 3_600_000 };
const begun: State = apply(idle, started(), READY, NOW - 600_000).state;
const printing: State = apply(begun, { kind: 'state' }, PRINTING).state;
const over: State = apply(printing, ended('cancelled')).state;

test('a print starts once, by its event or by a state that shows it', () => {
  expect(apply(idle, started()).started).toBe('part.gcode');
  const fromState = apply(idle, { kind: 'state' }, PRINTING);
  expect(fromState).toMatchObject({ started: 'part.gcode', state: { open: { startedAt: NOW - 60_000 } } });
  const after = apply(idle, started()).state;
  expect(apply(after, started())).toEqual({ state: after, ended: [] });
  expect(printing.open).toMatchObject({ startedAt: NOW - 600_000, completion: 40 });
});

test.each<[string, Current]>([
  ['without a file', { ...PRINTING, job: {} }],
  ['that is being cancelled', shows({ printing: true, cancelling: true }, { printTime: 60 })],
  ['without a time', shows({ printing: true })],
  ['that has just ended', shows({ printing: true }, { printTime: 60 })],
])('no print starts by a state %s', (_what, current) => {
  expect(apply(over, { kind: 'state' }, current)).toEqual({ state: over, ended: [] });
});

test.each<[string, State | undefined, Happening, Current, unknown[]]>([
  ['a finished print', printing, ended('finished'), READY, [{ outcome: 'finished', at: NOW - OFFSET }]],
  ['one end for the second event of a cancel', over, ended('cancelled'), READY, []],
  ['an end without a start', idle, ended('failed', OTHER), READY, [{ filename: 'other.gcode', outcome: 'failed' }]],
  [
    'the record of a print without an end event',
    printing,
    { kind: 'silence', record: record(true), wasSeen: true },
    READY,
    ['finished'],
  ],
  ['an unsuccessful record', printing, { kind: 'silence', record: record(false), wasSeen: true }, READY, ['failed']],
  ['a failure without a record', printing, { kind: 'silence', record: null, wasSeen: true }, READY, ['failed']],
  [
    'a failure if the record is older',
    printing,
    { kind: 'silence', record: record(true, 5), wasSeen: true },
    READY,
    ['failed'],
  ],
  [
    'a complete print',
    printing,
    { kind: 'silence', record: null, wasSeen: true },
    shows({}, { completion: 100 }),
    ['finished'],
  ],
  [
    'an error before a percentage',
    printing,
    { kind: 'silence', record: null, wasSeen: true },
    shows({ error: true }, { completion: 100 }),
    [{ outcome: 'failed', reason: 'the printer reports an error' }],
  ],
  ['a print that another start has replaced', printing, started(record(true)), READY, ['finished']],
  ['nothing from before the first connection', undefined, { kind: 'connected', record: null }, READY, []],
  ['a print that ended in a gap', printing, { kind: 'connected', record: record(true) }, READY, ['finished']],
  ['nothing if the print goes on after a gap', printing, { kind: 'connected', record: null }, PRINTING, []],
  [
    'a print that was replaced in a gap',
    printing,
    { kind: 'connected', record: null },
    shows({ printing: true }, {}, OTHER),
    ['failed'],
  ],
  ['a print that ran in a gap', idle, { kind: 'connected', record: record(true) }, READY, ['finished']],
  ['nothing if that was processed', over, { kind: 'connected', record: record(false, NOW + 5_000) }, READY, []],
])('reports %s', (_what, known, happening, current, expected) => {
  const found = apply(known, happening, current).ended;
  expect(found).toMatchObject(expected.map((one) => (typeof one === 'string' ? { outcome: one } : one)));
});

test('an unfinished print has used its share of the grams', () => {
  const [whole] = apply(printing, ended('finished')).ended;
  const [share] = apply(printing, ended('cancelled')).ended;
  expect([whole?.grams, share?.grams]).toEqual([expect.closeTo(11.93, 2), expect.closeTo(4.772, 3)]);
});

test.each<[string, State | undefined, Current, unknown]>([
  ['the open print', printing, READY, expect.objectContaining(FILE)],
  ['the selected file', idle, READY, FILE],
  ['no file while something prints', idle, PRINTING, null],
  ['no file at the first connection', undefined, READY, null],
])('after connecting, checks the record of %s', (_what, known, current, file) => {
  expect(fileToCheck(known, current)).toEqual(file);
});
