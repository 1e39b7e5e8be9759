import { type Job, reduce, type State } from './moonraker-state.ts';

const filament = { density: 1.24 };

const job = (id: number, status: string, more: Partial<Job> = {}): Job => ({
  job_id: id.toString(16).padStart(6, '0'),
  filename: `part-${id}`,
  status,
  start_time: 1_790_000_000 + id,
  end_time: null,
  total_duration: 60,
  filament_used: 1000,
  ...more,
});

const NOW = 1_790_001_000_000;
const apply = (known: State | undefined, jobs: Job[], isFirst = false, offset = 0) =>
  reduce(known, { jobs, isFirst, filament, now: NOW, offset });
const namesOf = ({ ended }: ReturnType<typeof apply>) => ended.map(({ filename }) => filename);

const first = apply(undefined, [job(1, 'completed')], true).state;
const printing = apply(first, [job(2, 'in_progress')]).state;

test('the first connection reports nothing, but watches what prints', () => {
  expect(namesOf(apply(undefined, [job(1, 'completed')], true))).toEqual([]);
  expect(apply(undefined, [], true).state).toEqual({
    newest: { key: '', id: 0, start: 0 },
    open: [],
    seenAt: NOW,
  });
  const { state } = apply(undefined, [job(1, 'in_progress')], true);
  expect(namesOf(apply(state, [job(1, 'completed')]))).toEqual(['part-1']);
});

test('a print starts once, and its end is reported once', () => {
  expect(apply(first, [job(2, 'in_progress')]).started).toBe('part-2');
  expect(apply(printing, [job(2, 'in_progress')])).toEqual({ state: printing, ended: [], started: undefined });
  const { state } = apply(printing, [job(2, 'completed')]);
  expect(namesOf(apply(state, [job(2, 'completed')]))).toEqual([]);
});

test.each([
  ['completed', 'finished', undefined],
  ['cancelled', 'cancelled', undefined],
  ['error', 'failed', 'the print ended with an error'],
  ['klippy_shutdown', 'failed', 'Klipper shut down'],
  ['something new', 'failed', 'something new'],
  ['constructor', 'failed', 'constructor'],
])('%s is %s', (status, outcome, reason) => {
  expect(apply(printing, [job(2, status)]).ended).toMatchObject([{ outcome, reason }]);
});

test.each<[string, Partial<Job>, number]>([
  ['the share of the weight in the file', { metadata: { filament_weight_total: 30, filament_total: 4000 } }, 7.5],
  ['the extruded length without one', {}, 2.983],
])('calculates grams from %s', (_what, more, grams) => {
  expect(apply(printing, [job(2, 'completed', more)]).ended[0]?.grams).toBeCloseTo(grams, 3);
});

test.each<[string, Partial<Job>, number, number]>([
  ['when its history says', { end_time: 1_790_000_500 }, 0, NOW - 500_000],
  ['after its duration without an end', {}, 0, NOW - 938_000],
  ['by our clock if the host is ahead', { end_time: 1_790_000_500 }, 100_000, NOW - 600_000],
  ['not later than now', { end_time: 1_790_086_400 }, 0, NOW],
  ['not before it was last seen', { end_time: 5 }, 0, NOW - 990_000],
])('a print whose end was not seen ended %s', (_when, more, offset, at) => {
  const known = { ...printing, seenAt: NOW - 990_000 };
  expect(apply(known, [job(2, 'interrupted', more)], true, offset).ended[0]?.at).toBe(at);
});

test('a print that ends before our eyes ends now, whatever its host says', () => {
  expect(apply(printing, [job(2, 'completed', { end_time: 5 })]).ended[0]?.at).toBe(NOW);
});

test.each<[string, Job[], string[]]>([
  ['all prints of a gap, in order', [job(2, 'completed'), job(3, 'error')], ['part-2', 'part-3']],
  [
    'a print that was deleted from the history, once another one has begun',
    [job(3, 'completed')],
    ['part-2', 'part-3'],
  ],
  [
    'prints after the history was cleared',
    [job(1, 'completed', { filename: 'next', start_time: 1_790_000_900 })],
    ['part-2', 'next'],
  ],
  ['prints after the clock was set back', [job(3, 'completed', { start_time: 5 })], ['part-2', 'part-3']],
])('after a gap, reports %s', (_what, jobs, names) => {
  const result = apply(printing, jobs, true);
  expect(namesOf(result)).toEqual(names);
  expect(result.state.open).toEqual([]);
});

test('a print that was deleted from the history is waited for until another one begins', () => {
  const { state, ended } = apply(printing, [], true);
  expect(ended).toEqual([]);
  expect(namesOf(apply(state, [job(2, 'completed')]))).toEqual(['part-2']);
});
