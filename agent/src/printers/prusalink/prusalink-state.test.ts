import { needsJob, type Observation, reduce, type State } from './prusalink-state.ts';

const NOW = 1_790_000_000_000;
const JOB = { id: 1, progress: 50, time_remaining: 600, time_printing: 600 };
const FILE = { name: 'PART~1.BGC', display_name: 'part.bgcode', meta: { 'filament used [g]': 20 } };

function observation(
  state: string,
  job: Partial<typeof JOB> | null = {},
  more: Partial<Observation> = {},
): Observation {
  const id = job?.id ?? JOB.id;
  return {
    status: { printer: { state }, ...(job ? { job: { ...JOB, ...job } } : {}) },
    job: { id, state, file: FILE },
    now: NOW,
    isRepeated: true,
    connectedAt: NOW,
    filament: {},
    ...more,
  };
}

const idle: State = { open: null, settled: null };
const printing: State = reduce(idle, observation('PRINTING')).state;
const settled: State = reduce(printing, observation('FINISHED')).state;

test('a print starts once, and its end is reported once while the display shows it', () => {
  expect(reduce(idle, observation('PRINTING')).started).toBe('part.bgcode');
  expect(reduce(printing, observation('PRINTING')).started).toBeUndefined();
  expect(reduce(settled, observation('FINISHED'))).toEqual({ state: settled, ended: [] });
});

test.each<[string, State | undefined, Observation, unknown[]]>([
  ['a finished print', printing, observation('FINISHED'), [{ outcome: 'finished', grams: 20 }]],
  ['the share of a stopped print', printing, observation('STOPPED'), [{ outcome: 'cancelled', grams: 10 }]],
  ['an error', printing, observation('ERROR'), [{ outcome: 'failed', reason: 'the printer reports an error' }]],
  ['nothing in other states', printing, observation('ATTENTION'), []],
  ['nothing from before the first connection', undefined, observation('FINISHED'), []],
  ['a print that ran between two polls', settled, observation('FINISHED', { id: 2 }), [{ outcome: 'finished' }]],
  ['a print that was replaced', printing, observation('PRINTING', { id: 2 }), [{ outcome: 'failed', grams: 10 }]],
  ['nothing if the display was cleared just now', printing, observation('IDLE', null, { isRepeated: false }), []],
  ['a print that was cleared early', printing, observation('IDLE', null), [{ outcome: 'failed' }]],
  [
    'a print that was cleared after its estimated time',
    printing,
    observation('IDLE', null, { now: NOW + 600_000 }),
    [{ outcome: 'finished', reason: expect.stringContaining('inferred') }],
  ],
])('reports %s', (_what, known, seen, ended) => {
  expect(reduce(known, seen).ended).toMatchObject(ended);
});

test('a processed job that is printing again has restarted, one that goes on has not', () => {
  expect(reduce(settled, observation('PRINTING', { time_printing: 700 })).state.open).toBeNull();
  expect(reduce(settled, observation('PRINTING', { time_printing: 5 })).started).toBe('part.bgcode');
});

test.each<[string, State | undefined, Observation, boolean]>([
  ['at a start', idle, observation('PRINTING'), true],
  ['not while it goes on', printing, observation('PRINTING'), false],
  ['for another job', printing, observation('PRINTING', { id: 2 }), true],
  ['not for a processed end', settled, observation('FINISHED'), false],
  ['not without a print', idle, observation('IDLE', null), false],
])('asks for the details of a job %s', (_when, known, { status }, isNeeded) => {
  expect(needsJob(known, status)).toBe(isNeeded);
});
