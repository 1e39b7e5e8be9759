import { type Print, readPrint } from './bambu-print.ts';
import { type Observation, reduce, type State } from './bambu-state.ts';

const NOW = 1_790_000_000_000;
const MINUTE = 60_000;
const TASK = { task_id: '7', subtask_id: '8', subtask_name: 'part' };
const IDLE: Print = { gcode_state: 'IDLE', print_error: 0, mc_percent: 100 };
const RUNNING: Print = { ...TASK, gcode_state: 'RUNNING', print_error: 0, mc_percent: 40, mc_remaining_time: 10 };
const CANCEL = 0x0300_400c;
const FAULT = 0x0300_8003;

const observation = (print: Print, more: Partial<Observation> = {}): Observation => ({
  print,
  now: NOW,
  isFirst: false,
  ...more,
});

/** Applies reports one after the other; each has the fields of the one before that it does not change. */
function play(known: State | undefined, changes: Print[], more?: Partial<Observation>) {
  let state = known;
  let print: Print = {};
  const ended: string[] = [];
  for (const [i, change] of changes.entries()) {
    print = { ...print, ...change };
    const reduced = reduce(state, observation(print, { ...(i === 0 ? more : {}), now: more?.now ?? NOW + i * MINUTE }));
    state = reduced.state;
    ended.push(...reduced.ended.map(({ filename, outcome, reason }) => `${filename} ${reason ?? outcome}`));
  }
  return { state: state as State, ended };
}

const idle = play({ open: null, lastTask: null }, [IDLE]).state;
const printing = play(idle, [{ ...RUNNING, mc_percent: 0 }, { ...RUNNING, mc_percent: 30 }, RUNNING]).state;
const CANCELLED = ['part cancelled'];
const FAILED = ['part print_error 0300 8003'];
const WITHDRAWN = ['part inferred: cancelled before it started'];

test('a print starts once, and its end is reported once', () => {
  expect(reduce(idle, observation(RUNNING)).started).toBe('part');
  expect(reduce(printing, observation({ ...RUNNING, mc_percent: 50 }))).toMatchObject({
    state: { open: { percent: 50 } },
    ended: [],
    started: undefined,
  });
  const finish = observation({ ...RUNNING, gcode_state: 'FINISH' }, { now: NOW + 5 });
  const { state, ended } = reduce(printing, finish);
  expect(ended).toMatchObject([{ filename: 'part', outcome: 'finished', at: NOW + 5 }]);
  expect(reduce(state, finish)).toEqual({ state, ended: [] });
});

test('a name is cut before its ending is searched for', () => {
  expect(readPrint({ ...RUNNING, subtask_name: ` ${'.3mf'.repeat(10_000)}x` }).name).toBe('.3mf'.repeat(250));
});

describe('an end is reported as', () => {
  test.each<[string, Print[], string[]]>([
    ['finished', [{ gcode_state: 'FINISH' }], ['part finished']],
    ['cancelled without an error', [{ gcode_state: 'FAILED' }], CANCELLED],
    ['cancelled by 0300 400C', [{ gcode_state: 'FAILED', print_error: CANCEL }], CANCELLED],
    ['cancelled by 0500 400E', [{ gcode_state: 'FAILED', print_error: 0x0500_400e }], CANCELLED],
    ['cancelled by a code as text', [{ gcode_state: 'FAILED', print_error: '50348044' }], CANCELLED],
    ['cancelled by a hexadecimal code', [{ gcode_state: 'FAILED', print_error: '0300-400C' }], CANCELLED],
    ['cancelled by its reason', [{ gcode_state: 'FAILED', fail_reason: '50348044' }], CANCELLED],
    ['cancelled by the lower half of a code', [{ gcode_state: 'FAILED', fail_reason: '16396' }], CANCELLED],
    [
      'cancelled by a health message',
      [{ gcode_state: 'FAILED', hms: [{ attr: 0x0500_0000, code: 0x400e }] }],
      CANCELLED,
    ],
    [
      'cancelled before the state says so',
      [{ print_error: CANCEL }, { gcode_state: 'FAILED', print_error: 0 }],
      CANCELLED,
    ],
    ['cancelled without a failure', [{ print_error: CANCEL }, { gcode_state: 'IDLE', print_error: 0 }], CANCELLED],
    ['cancelled, with FINISH', [{ print_error: CANCEL }, { gcode_state: 'FINISH', print_error: 0 }], CANCELLED],
    ['cancelled after an error', [{ print_error: FAULT }, { gcode_state: 'FAILED', print_error: CANCEL }], CANCELLED],
    [
      'cancelled on an H2 printer',
      [{ gcode_state: 'FAILED', hms: [{ attr: 0x0c00_0300, code: 0x0001_001b }] }],
      CANCELLED,
    ],
    ['failed with an error', [{ gcode_state: 'FAILED', print_error: FAULT }], FAILED],
    ['failed with an error as text', [{ gcode_state: 'FAILED', print_error: `${FAULT}` }], FAILED],
    [
      'failed with an error that was cleared',
      [{ print_error: FAULT }, { gcode_state: 'FAILED', print_error: 0 }],
      FAILED,
    ],
    ['failed for a reason', [{ gcode_state: 'FAILED', fail_reason: `${FAULT}` }], FAILED],
    [
      'failed with a code above the int32s',
      [{ gcode_state: 'FAILED', print_error: -1 }],
      ['part print_error FFFF FFFF'],
    ],
    [
      'failed with a health message',
      [{ gcode_state: 'FAILED', hms: [{ attr: 0x0300_0100, code: 0x0001_0007 }] }],
      ['part HMS 0300 0100 0001 0007'],
    ],
    [
      'stopped by an open door, not by a person',
      [{ gcode_state: 'FAILED', print_error: 0x0300_404b }],
      ['part print_error 0300 404B'],
    ],
  ])('%s', (_what, changes, ended) => {
    expect(play(printing, [RUNNING, ...changes]).ended).toEqual(ended);
  });

  const stale = { print_error: FAULT, fail_reason: `${FAULT}`, hms: [{ attr: 0x0300_0100, code: 0x0001_0007 }] };
  test.each<[string, Print[], string[]]>([
    [
      'failed with what an earlier print left, as nobody says that it was cancelled',
      [{ gcode_state: 'FAILED' }],
      FAILED,
    ],
    ['cancelled with what an earlier print left', [{ gcode_state: 'FAILED', fail_reason: CANCEL }], CANCELLED],
    ['finished with what an earlier print left', [{ gcode_state: 'FINISH' }], ['part finished']],
    [
      'failed with an error that came again',
      [{ print_error: 0 }, { gcode_state: 'FAILED', print_error: FAULT }],
      FAILED,
    ],
    ['failed with another error', [{ gcode_state: 'FAILED', print_error: FAULT + 1 }], ['part print_error 0300 8004']],
  ])('%s', (_what, changes, ended) => {
    expect(play(idle, [{ ...IDLE, ...stale }, { ...RUNNING, ...stale }, ...changes]).ended).toEqual(ended);
  });
});

describe('before it runs, a print', () => {
  const PREPARE: Print = { ...TASK, gcode_state: 'PREPARE', print_error: 0, mc_percent: 0 };
  test.each<[string, Print[], string[]]>([
    ['fails', [PREPARE, { gcode_state: 'FAILED', print_error: FAULT }], FAILED],
    [
      'is cancelled',
      [
        { ...PREPARE, gcode_state: 'SLICING' },
        { gcode_state: 'FAILED', print_error: CANCEL },
      ],
      CANCELLED,
    ],
    ['is withdrawn', [PREPARE, { gcode_state: 'IDLE' }], WITHDRAWN],
    [
      'is replaced',
      [PREPARE, { subtask_name: 'next', task_id: '9' }, { gcode_state: 'FINISH' }],
      [...WITHDRAWN, 'next finished'],
    ],
    [
      'gets its name',
      [{ gcode_state: 'PREPARE' }, { subtask_name: 'part' }, { gcode_state: 'FINISH' }],
      ['part finished'],
    ],
    ['runs for a moment', [PREPARE, { gcode_state: 'RUNNING' }, PREPARE, { gcode_state: 'FINISH' }], ['part finished']],
    [
      'is calibrated',
      [
        PREPARE,
        { gcode_state: 'RUNNING', subtask_name: 'auto_pa_line_calib_mode' },
        { gcode_state: 'FINISH' },
        RUNNING,
        { gcode_state: 'FINISH' },
      ],
      ['part finished'],
    ],
    [
      'is in a state of newer firmware',
      [
        { ...PREPARE, gcode_state: 'HEATING' },
        { gcode_state: 'FAILED', print_error: FAULT },
      ],
      FAILED,
    ],
  ])('%s', (_what, changes, ended) => {
    expect(play(idle, changes, { now: NOW }).ended).toEqual(ended);
  });
});

test.each<[string, Print]>([
  ['a file of the firmware', { gcode_file: '/usr/etc/print/O1S/calibrate.gcode', subtask_name: '' }],
  ['a job of the system', { print_type: 'system', subtask_name: 'anything' }],
  ['a calibration without its folder', { subtask_name: 'auto_cali_for_user_param.gcode' }],
  ['a calibration of the slicer', { gcode_file: '/data/Flow_Rate_Fine_Calib_Mode.gcode.3mf', subtask_name: '' }],
])('%s isn’t a print, however it ends', (_what, job) => {
  for (const gcode_state of ['FINISH', 'FAILED', 'IDLE']) {
    const { ended } = play(idle, [
      { ...job, gcode_state: 'RUNNING' },
      { gcode_state, print_error: FAULT },
    ]);
    expect(ended).toEqual([]);
  }
});

test.each(['auto_calibration_cube.3mf', 'calibration_cube', 'pa_line_calib_mode_v2', 'usr/part'])(
  '%s is a print',
  (name) => {
    expect(play(idle, [{ ...RUNNING, subtask_name: name }, { gcode_state: 'FINISH' }]).ended).toEqual([
      `${name} finished`,
    ]);
  },
);

describe('without a gap', () => {
  const REPLACED =
    'part inferred: the printer moved on to another print without saying how the print ended (last seen at 40 %)';
  test.each<[string, Print[], string[]]>([
    ['a print that is prepared has replaced the last one', [{ gcode_state: 'PREPARE', mc_percent: 0 }], [REPLACED]],
    [
      'another name is another print',
      [{ subtask_name: 'next' }, { gcode_state: 'FINISH' }],
      [REPLACED, 'next finished'],
    ],
    ['another task is another print', [{ task_id: '9' }], [REPLACED]],
    ['a calibration has replaced the print', [{ subtask_name: 'auto_cali_for_user' }], [REPLACED]],
    ['a print that begins again is another one', [{ mc_percent: 0 }, { mc_percent: 3 }], [REPLACED]],
    ['a percentage that falls at the end is not', [{ mc_percent: 0 }, { gcode_state: 'FAILED' }], CANCELLED],
    ['the same name in other words is not', [{ subtask_name: 'part.gcode.3mf' }], []],
    [
      'a name that is cleared is not',
      [{ subtask_name: '', task_id: '0' }, { gcode_state: 'FINISH' }],
      ['part finished'],
    ],
    [
      'a printer that is idle has said nothing',
      [{ gcode_state: 'IDLE' }],
      ['part inferred: the printer went idle without saying how the print ended (last seen at 40 %)'],
    ],
  ])('%s', (_what, changes, ended) => {
    expect(play(printing, [RUNNING, ...changes], { now: NOW + MINUTE }).ended).toEqual(ended);
  });

  test('the name and the percentage of the last print may be shown for a while', () => {
    const over = play(printing, [{ ...RUNNING, gcode_state: 'FINISH', mc_percent: 100 }]).state;
    const lan = { task_id: '0', subtask_id: '0' };
    const late = [
      { ...RUNNING, ...lan, gcode_state: 'RUNNING', mc_percent: 100 },
      { mc_percent: 0 },
      { subtask_name: 'next' },
      { mc_percent: 2 },
      { gcode_state: 'FINISH' },
    ];
    expect(play(over, late).ended).toEqual(['next finished']);
    expect(
      play(over, [
        { ...RUNNING, gcode_state: 'FINISH', subtask_name: 'next' },
        { gcode_state: 'RUNNING', mc_percent: 0 },
        { gcode_state: 'FINISH' },
      ]).ended,
    ).toEqual(['next finished']);
  });
});

test.each<[string, State | undefined, Print, string[]]>([
  ['nothing from before the first connection', undefined, { gcode_state: 'FINISH' }, []],
  ['a print that ran unseen', idle, { gcode_state: 'FINISH' }, ['part finished']],
  [
    'a print from the LAN that ran unseen',
    idle,
    { gcode_state: 'FINISH', task_id: '0', subtask_id: '0' },
    ['part finished'],
  ],
  [
    'nothing if the print was processed',
    play(printing, [{ ...RUNNING, gcode_state: 'FINISH' }]).state,
    { gcode_state: 'FINISH' },
    [],
  ],
  ['nothing while the same print goes on', printing, {}, []],
  ['nothing for a name that arrives late', play(idle, [{ gcode_state: 'RUNNING' }]).state, {}, []],
  ['a print that was replaced', printing, { task_id: '9' }, ['before']],
  ['a print that was replaced by one that is prepared', printing, { gcode_state: 'PREPARE' }, ['before']],
  ['a print that was started again', printing, { mc_percent: 3 }, ['before']],
  [
    'both, if the next one has ended, too',
    printing,
    { task_id: '9', gcode_state: 'FINISH' },
    ['before', 'part finished'],
  ],
  ['a print that was cleared', printing, { gcode_state: 'IDLE' }, ['before']],
  ['a print that a calibration has followed', printing, { subtask_name: 'auto_cali_for_user' }, ['before']],
  [
    'a print that a calibration has followed before its name came',
    play(idle, [{ gcode_state: 'RUNNING', gcode_file: '/data/part.gcode' }]).state,
    { subtask_name: 'auto_cali_for_user' },
    ['before'],
  ],
  [
    'nothing for a calibration of which the state alone had come',
    play(idle, [{ gcode_state: 'RUNNING' }]).state,
    { subtask_name: 'auto_cali_for_user', gcode_state: 'FAILED' },
    [],
  ],
])('after a gap, reports %s', (_what, known, print, outcomes) => {
  const { ended } = play(known, [{ ...RUNNING, ...print }], { isFirst: true, now: NOW + MINUTE });
  const before = expect.stringContaining('disconnected, before its estimated');
  expect(ended).toEqual(outcomes.map((one) => (one === 'before' ? before : one)));
});

test('a print that is gone is inferred to be finished once its remaining time has passed', () => {
  const { ended } = play(printing, [{ ...RUNNING, gcode_state: 'IDLE' }], { isFirst: true, now: NOW + 12 * MINUTE });
  expect(ended).toEqual([expect.stringContaining('after its estimated time')]);
});
