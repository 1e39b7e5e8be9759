import { type Observation, type Print, reduce, type State } from './bambu-state.ts';

const NOW = 1_790_000_000_000;
const TASK = { task_id: '7', subtask_id: '8', subtask_name: 'part' };
const RUNNING: Print = { ...TASK, gcode_state: 'RUNNING', print_error: 0, mc_percent: 40, mc_remaining_time: 10 };

const observation = (print: Print, more: Partial<Observation> = {}): Observation => ({
  ...{ print: { ...RUNNING, ...print }, now: NOW, isFirst: false },
  ...more,
});

/** The state of a printer that prints, and of one that is idle. */
const printing: State = reduce({ open: null, lastTask: null }, observation({})).state;
const idle: State = { open: null, lastTask: null };
const outcomesOf = (known: State | undefined, print: Print, more?: Partial<Observation>) =>
  reduce(known, observation(print, more)).ended.map(({ outcome, reason }) => reason ?? outcome);

test('a print starts once, and its end is reported once', () => {
  expect(reduce(idle, observation({})).started).toBe('part');
  expect(reduce(printing, observation({ mc_percent: 50 }))).toMatchObject({
    state: { open: { percent: 50, startedAt: NOW } },
    ended: [],
    started: undefined,
  });
  const { state, ended } = reduce(printing, observation({ gcode_state: 'FINISH' }, { now: NOW + 5 }));
  expect(ended).toMatchObject([{ filename: 'part', outcome: 'finished', at: NOW + 5 }]);
  expect(reduce(state, observation({ gcode_state: 'FINISH' }))).toEqual({ state, ended: [] });
});

test.each<[string, State, Print, string]>([
  ['finished', printing, { gcode_state: 'FINISH' }, 'finished'],
  ['failed without an error', printing, { gcode_state: 'FAILED' }, 'cancelled'],
  ['cancelled on the display', printing, { gcode_state: 'FAILED', print_error: 50348044 }, 'cancelled'],
  ['failed with an error', printing, { gcode_state: 'FAILED', print_error: 0x0300_8003 }, 'print_error 0300 8003'],
  [
    'failed with the error of an earlier print',
    reduce(idle, observation({ print_error: 0x0300_8003 })).state,
    { gcode_state: 'FAILED', print_error: 0x0300_8003 },
    'cancelled',
  ],
])('%s', (_what, known, print, outcome) => {
  expect(outcomesOf(known, print)).toEqual([outcome]);
});

test.each<[string, State | undefined, Print, string[]]>([
  ['nothing from before the first connection', undefined, { gcode_state: 'FINISH' }, []],
  ['a print that ran unseen', idle, { gcode_state: 'FINISH' }, ['finished']],
  [
    'nothing if the print was processed',
    { ...idle, lastTask: printing.open?.task ?? '' },
    { gcode_state: 'FINISH' },
    [],
  ],
  ['nothing while the same print goes on', printing, {}, []],
  ['a print that was replaced', printing, { task_id: '9' }, ['before']],
  ['a print that was started again', printing, { mc_percent: 3 }, ['before']],
  ['both, if the next one has ended, too', printing, { task_id: '9', gcode_state: 'FINISH' }, ['before', 'finished']],
  ['a print that was cleared', printing, { gcode_state: 'IDLE' }, ['before']],
])('after a gap, reports %s', (_what, known, print, outcomes) => {
  const found = outcomesOf(known, print, { isFirst: true });
  expect(found).toEqual(
    outcomes.map((one) => (one === 'before' ? expect.stringContaining('before its estimated') : one)),
  );
});

test('a print that is gone is inferred to be finished once its remaining time has passed', () => {
  expect(outcomesOf(printing, { gcode_state: 'IDLE' }, { now: NOW + 11 * 60_000 })).toEqual([
    expect.stringContaining('after its estimated time'),
  ]);
});
