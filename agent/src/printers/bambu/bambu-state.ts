import { digestOf, type EndedPrint, inferOutcome, type PrintOutcome } from '../../report.ts';

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

export interface BambuState {
  open: OpenPrint | null;
  /** task of the last print whose end was processed */
  lastTask: string | null;
  /** SHA-256 fingerprint of the certificate at the first connection, if none is configured */
  fingerprint?: string | undefined;
}

/** `0300 400C`: cancelled by a person. */
const CANCELLED = 50348044;
const ACTIVE_STATES = new Set(['RUNNING', 'PAUSE']);

/** LAN prints have the id 0 or none. */
const given = (value: string | undefined) => (value === undefined || value === '' || value === '0' ? '' : value);

export function taskOf(print: Print): string {
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

function outcomeOf(print: Print, staleError: number): { outcome: PrintOutcome; reason?: string } {
  if (print.gcode_state === 'FINISH') return { outcome: 'finished' };
  const error = print.print_error ?? 0;
  if (error === 0 || error === CANCELLED || error === staleError) return { outcome: 'cancelled' };
  const hex = error.toString(16).toUpperCase().padStart(8, '0');
  return { outcome: 'failed', reason: `print_error ${hex.slice(0, 4)} ${hex.slice(4)}` };
}

const close = (
  open: OpenPrint,
  at: number,
  { outcome, reason }: { outcome: PrintOutcome; reason?: string },
): EndedPrint => ({
  key: `${open.task}:${open.startedAt}`,
  filename: open.filename,
  at,
  outcome,
  reason,
});

/**
 * Pure reducer of a report.
 * @param print all fields received so far, merged
 * @param isFirst the first complete report after connecting; anything may have happened since the known state
 * @returns the next state and the prints that ended
 */
export function reducePrint(
  known: BambuState | undefined,
  print: Print,
  now: number,
  isFirst: boolean,
): { state: BambuState; ended: EndedPrint[] } {
  const printerState = print.gcode_state ?? '';
  const task = taskOf(print);
  const ended: EndedPrint[] = [];
  let { open, lastTask } = known ?? { open: null, lastTask: null };

  const begin = (): OpenPrint => ({
    task,
    filename: nameOf(print),
    startedAt: now,
    percent: 0,
    seenAt: now,
    leftMs: undefined,
    staleError: print.print_error ?? 0,
  });
  const end = (one: OpenPrint, how: { outcome: PrintOutcome; reason?: string }) => {
    ended.push(close(one, now, how));
    lastTask = one.task;
    open = null;
  };

  // after a gap, this may be another print; without one, its name has only arrived late
  if (open && isFirst && (ACTIVE_STATES.has(printerState) || printerState === 'FINISH' || printerState === 'FAILED')) {
    const isOther = task !== open.task;
    const hasRestarted =
      ACTIVE_STATES.has(printerState) && print.mc_percent !== undefined && print.mc_percent < open.percent;
    if (isOther || hasRestarted) end(open, inferOutcome(open, now));
  }

  if (ACTIVE_STATES.has(printerState)) {
    const current = open ?? begin();
    const error = print.print_error ?? 0;
    open = {
      ...current,
      task: task || current.task,
      filename: task ? nameOf(print) : current.filename,
      percent: print.mc_percent ?? current.percent,
      seenAt: now,
      leftMs: print.mc_remaining_time === undefined ? current.leftMs : print.mc_remaining_time * 60_000,
      // once it has changed, an error belongs to this print
      staleError: error === current.staleError ? current.staleError : 0,
    };
  } else if (printerState === 'FINISH' || printerState === 'FAILED') {
    if (open) {
      end({ ...open, task: task || open.task }, outcomeOf(print, open.staleError));
    } else if (isFirst && known !== undefined && isNumbered(print) && task !== lastTask) {
      // started and ended while disconnected
      end({ ...begin(), startedAt: 0 }, outcomeOf(print, 0));
    } else if (isFirst) {
      lastTask = task;
    }
  } else if (open && printerState === 'IDLE') {
    // power-cycled or cleared while disconnected
    end(open, inferOutcome(open, now));
  }
  return { state: { ...known, open, lastTask }, ended };
}
