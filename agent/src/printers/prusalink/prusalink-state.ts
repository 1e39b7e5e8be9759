import { gramsOfShare } from '../../grams.ts';
import { digestOf, inferOutcome, type PrintOutcome } from '../../report.ts';
import { andThen, type Reduced } from '../tracker.ts';

/** The fields we read of `/api/v1/status` and `/api/v1/job` (Prusa-Link-Web, spec/openapi.yaml). */
export interface Status {
  printer: { state: string };
  job?: { id?: number; progress?: number; time_remaining?: number; time_printing?: number };
}

interface JobFile {
  name?: string;
  display_name?: string;
  path?: string;
  meta?: Record<string, unknown>;
}

export interface JobInfo {
  id: number;
  state: string;
  file?: JobFile;
}

interface OpenJob {
  id: number;
  filename: string;
  /** the slicer's estimate for the whole print */
  grams: number | undefined;
  /** by our clock, ms; with the id it is the print's key */
  startedAt: number;
  progress: number;
  seenAt: number;
  leftMs: number | undefined;
}

export interface State {
  open: OpenJob | null;
  /** the job whose end was processed; the printer shows its end until somebody clears it */
  settled: { id: number; timePrinting: number } | null;
}

/** One poll. */
export interface Observation {
  status: Status;
  /** response of `/api/v1/job` for the job of this status; null: not asked for, or none */
  job: JobInfo | null;
  /** ms */
  now: number;
  /** the previous poll returned the same state */
  isRepeated: boolean;
}

const OUTCOMES = new Map<string, PrintOutcome>([
  ['FINISHED', 'finished'],
  ['STOPPED', 'cancelled'],
  ['ERROR', 'failed'],
]);
const ACTIVE_STATES = new Set(['PRINTING', 'PAUSED']);
/** No print, or it ended and was cleared. Other states (BUSY, ATTENTION) say nothing about a print. */
const NO_PRINT = new Set(['IDLE', 'READY']);

const isActive = ({ printer }: Status) => ACTIVE_STATES.has(printer.state);
const showsJob = (status: Status) => isActive(status) || OUTCOMES.has(status.printer.state);

/** Whether a status may be about a job that is not known yet, so that its details are needed. */
export function needsJob(known: State | undefined, status: Status): boolean {
  if (!showsJob(status)) return false;
  const id = status.job?.id;
  if (known?.open) return id !== undefined && id !== known.open.id && id !== known.settled?.id;
  return isActive(status) || id === undefined || id !== known?.settled?.id;
}

function begin(id: number, { job, now }: Observation): OpenJob {
  const file = job?.id === id ? job.file : undefined;
  const grams = file?.meta?.['filament used [g]'];
  return {
    id,
    filename: file?.display_name ?? file?.name ?? `job ${id}`,
    grams: typeof grams === 'number' && grams > 0 ? grams : undefined,
    startedAt: now,
    progress: 0,
    seenAt: now,
    leftMs: undefined,
  };
}

function end(open: OpenJob, outcome: PrintOutcome, at: number, timePrinting: number, reason?: string): Reduced<State> {
  const ended = {
    key: `${open.id}:${digestOf(open.filename)}:${open.startedAt}`,
    filename: open.filename,
    at,
    outcome,
    grams: gramsOfShare(open.grams, outcome === 'finished', open.progress),
    reason: reason ?? (outcome === 'failed' ? 'the printer reports an error' : undefined),
  };
  return { state: { open: null, settled: { id: open.id, timePrinting } }, ended: [ended] };
}

function endInferred(open: OpenJob, now: number): Reduced<State> {
  const { outcome, reason } = inferOutcome(open, now);
  return end(open, outcome, now, 0, reason);
}

function reduceActive({ open, settled }: State, id: number, observation: Observation): Reduced<State> {
  const { progress, time_remaining, time_printing = 0 } = observation.status.job ?? {};
  // a job that is still shown is not a new print; only one that has restarted is
  const hasEnded = open === null && settled?.id === id && time_printing >= settled.timePrinting;
  if (hasEnded) return { state: { open, settled }, ended: [] };
  const current = {
    ...(open ?? begin(id, observation)),
    progress: progress ?? open?.progress ?? 0,
    seenAt: observation.now,
    leftMs: time_remaining === undefined ? undefined : time_remaining * 1000,
  };
  return { state: { open: current, settled }, ended: [], started: open ? undefined : current.filename };
}

function reduceEnd(
  state: State,
  id: number | undefined,
  outcome: PrintOutcome,
  observation: Observation,
  isNew: boolean,
): Reduced<State> {
  const { open, settled } = state;
  const { progress, time_printing = 0 } = observation.status.job ?? {};
  if (open) return end({ ...open, progress: progress ?? open.progress }, outcome, observation.now, time_printing);
  if (id === undefined || settled?.id === id) return { state, ended: [] };
  // started and ended between polls; one shown at the first connection is old
  if (isNew) return { state: { open, settled: { id, timePrinting: time_printing } }, ended: [] };
  return end({ ...begin(id, observation), progress: progress ?? 0 }, outcome, observation.now, time_printing);
}

function reduceStatus(state: State, id: number | undefined, observation: Observation, isNew: boolean): Reduced<State> {
  const { status, now, isRepeated } = observation;
  const outcome = OUTCOMES.get(status.printer.state);
  if (isActive(status) && id !== undefined) return reduceActive(state, id, observation);
  if (outcome !== undefined) return reduceEnd(state, id, outcome, observation, isNew);
  if (state.open && NO_PRINT.has(status.printer.state) && isRepeated) return endInferred(state.open, now);
  return { state, ended: [] };
}

export function reduce(known: State | undefined, observation: Observation): Reduced<State> {
  const { status, job, now } = observation;
  const state = known ?? { open: null, settled: null };
  const id = status.job?.id ?? job?.id;
  const { open } = state;
  const isOther = open !== null && id !== undefined && id !== open.id && showsJob(status);
  const before = isOther ? endInferred(open, now) : { state, ended: [] };
  return andThen(before, (next) => reduceStatus(next, id, observation, known === undefined));
}
