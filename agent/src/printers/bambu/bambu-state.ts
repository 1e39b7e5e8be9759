import { digestOf, inferOutcome, type PrintOutcome } from '../../report.ts';
import { andThen, type Reduced } from '../tracker.ts';

/** The fields we read of a `print` report. Printers send all fields on request, and otherwise only changed ones. */
export interface Print {
  gcode_state?: string;
  task_id?: string;
  subtask_id?: string;
  subtask_name?: string;
  gcode_file?: string;
  gcode_start_time?: string;
  print_error?: number;
  mc_percent?: number;
  /** minutes */
  mc_remaining_time?: number;
}

interface OpenPrint {
  /** digest of the printer's own identifiers; several LAN prints may share it */
  task: string;
  filename: string;
  /** by our clock, ms; part of the print's key */
  startedAt: number;
  percent: number;
  seenAt: number;
  leftMs: number | undefined;
  /** error code of an earlier print that may still be reported; an error counts only once it differs */
  staleError: number;
}

export interface State {
  open: OpenPrint | null;
  /** task of the last print whose end was processed */
  lastTask: string | null;
  /** SHA-256 fingerprint of the certificate at the first connection, if none is configured */
  fingerprint?: string | undefined;
}

export interface Observation {
  /** all fields received since connecting, merged */
  print: Print;
  /** ms */
  now: number;
  /** the first complete report after connecting; anything may have happened since the known state */
  isFirst: boolean;
  /** of the certificate, to remember; undefined if one is configured */
  fingerprint?: string | undefined;
}

/** `0300 400C`: cancelled by a person. */
const CANCELLED = 50348044;
const ACTIVE_STATES = new Set(['RUNNING', 'PAUSE']);
const END_STATES = new Set(['FINISH', 'FAILED']);

interface Outcome {
  outcome: PrintOutcome;
  reason?: string;
}

/** LAN prints have the id 0 or none. */
const given = (value: string | undefined) => (value === undefined || value === '' || value === '0' ? '' : value);

function taskOf(print: Print): string {
  const parts = [
    given(print.task_id),
    given(print.subtask_id),
    print.subtask_name ?? '',
    given(print.gcode_start_time),
  ];
  return parts.some((part) => part !== '') ? digestOf(parts.join('\n')) : '';
}

/** Whether the print has an identifier that distinguishes it from others with the same name. */
const isNumbered = (print: Print) =>
  given(print.task_id) !== '' || given(print.subtask_id) !== '' || given(print.gcode_start_time) !== '';

const nameOf = ({ subtask_name, gcode_file }: Print) => subtask_name || gcode_file?.split('/').at(-1) || 'unknown';

function outcomeOf(print: Print, staleError: number): Outcome {
  if (print.gcode_state === 'FINISH') return { outcome: 'finished' };
  const error = print.print_error ?? 0;
  if (error === 0 || error === CANCELLED || error === staleError) return { outcome: 'cancelled' };
  const hex = error.toString(16).toUpperCase().padStart(8, '0');
  return { outcome: 'failed', reason: `print_error ${hex.slice(0, 4)} ${hex.slice(4)}` };
}

function begin({ print, now }: Observation): OpenPrint {
  return {
    task: taskOf(print),
    filename: nameOf(print),
    startedAt: now,
    percent: 0,
    seenAt: now,
    leftMs: undefined,
    staleError: print.print_error ?? 0,
  };
}

function withProgress(open: OpenPrint, { print, now }: Observation): OpenPrint {
  const task = taskOf(print);
  return {
    ...open,
    task: task || open.task,
    filename: task ? nameOf(print) : open.filename,
    percent: print.mc_percent ?? open.percent,
    seenAt: now,
    leftMs: print.mc_remaining_time === undefined ? open.leftMs : print.mc_remaining_time * 60_000,
    // once it has changed, an error belongs to this print
    staleError: (print.print_error ?? 0) === open.staleError ? open.staleError : 0,
  };
}

/** Whether the first report after connecting is about another print than the open one. */
function isOtherPrint(open: OpenPrint, print: Print): boolean {
  const isActive = ACTIVE_STATES.has(print.gcode_state ?? '');
  if (!isActive && !END_STATES.has(print.gcode_state ?? '')) return false;
  const hasRestarted = isActive && print.mc_percent !== undefined && print.mc_percent < open.percent;
  return taskOf(print) !== open.task || hasRestarted;
}

const end = (state: State, open: OpenPrint, at: number, { outcome, reason }: Outcome): Reduced<State> => ({
  state: { ...state, open: null, lastTask: open.task },
  ended: [{ key: `${open.task}:${open.startedAt}`, filename: open.filename, at, outcome, reason }],
});

/** A report that a print has ended, which the printer repeats until the next one starts. */
function reduceEnd(state: State, observation: Observation, isNew: boolean): Reduced<State> {
  const { print, now, isFirst } = observation;
  const task = taskOf(print);
  const { open, lastTask } = state;
  if (open) return end(state, { ...open, task: task || open.task }, now, outcomeOf(print, open.staleError));
  if (!isFirst) return { state, ended: [] };
  // started and ended while disconnected
  const isUnseen = !isNew && isNumbered(print) && task !== lastTask;
  if (isUnseen) return end(state, { ...begin(observation), startedAt: 0 }, now, outcomeOf(print, 0));
  return { state: { ...state, lastTask: task }, ended: [] };
}

function reduceReport(state: State, observation: Observation, isNew: boolean): Reduced<State> {
  const { print, now } = observation;
  const { open } = state;
  const printerState = print.gcode_state ?? '';
  if (ACTIVE_STATES.has(printerState)) {
    const current = withProgress(open ?? begin(observation), observation);
    return { state: { ...state, open: current }, ended: [], started: open ? undefined : current.filename };
  }
  if (END_STATES.has(printerState)) return reduceEnd(state, observation, isNew);
  // power-cycled or cleared while disconnected
  if (open && printerState === 'IDLE') return end(state, open, now, inferOutcome(open, now));
  return { state, ended: [] };
}

export function reduce(known: State | undefined, observation: Observation): Reduced<State> {
  const { print, now, isFirst, fingerprint } = observation;
  const { open, lastTask } = known ?? { open: null, lastTask: null };
  const state: State = { open, lastTask, fingerprint };
  // after a gap, this may be another print; without one, its name has only arrived late
  const isOther = isFirst && open !== null && isOtherPrint(open, print);
  const before = isOther ? end(state, open, now, inferOutcome(open, now)) : { state, ended: [] };
  return andThen(before, (next) => reduceReport(next, observation, known === undefined));
}
