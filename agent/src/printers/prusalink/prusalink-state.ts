import { type FilamentOnPrinter, gramsOfLength, gramsOfShare, sumOf } from '../../grams.ts';
import { digestOf, type PrintOutcome } from '../../report.ts';
import { inferOutcome, type Unsaid } from '../infer-outcome.ts';
import { andThen, type Reduced, type Rules } from '../tracker.ts';

/** The fields we read of `/api/v1/status` and `/api/v1/job` (Prusa-Link-Web, spec/openapi.yaml). */
export interface Status {
  printer: { state: string };
  /** the firmware of MK4, XL and others shows it only while a print goes on, not when it has ended */
  job?: { id?: number; progress?: number; time_remaining?: number; time_printing?: number };
}

interface JobFile {
  name?: string;
  display_name?: string;
  path?: string;
  meta?: Record<string, unknown> | null;
}

export interface JobInfo {
  id: number;
  state: string;
  file?: JobFile;
}

interface OpenJob {
  id: number;
  filename: string;
  /** its long name is not known yet */
  isShort: boolean;
  /** the slicer's estimate for the whole print */
  grams: number | undefined;
  /** by our clock, ms; with the id it is the print's key */
  startedAt: number;
  progress: number;
  seenAt: number;
  leftMs: number | undefined;
  /** it was seen printing, not only asking before it begins */
  hasRun: boolean;
}

export interface State {
  open: OpenJob | null;
  /** the job whose end was processed; the printer shows its end until somebody clears it */
  settled: { id: number; timePrinting: number } | null;
  /** the last state that tells whether there is a print; undefined: not known */
  shown?: string | undefined;
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
  /** when the first poll of this connection was answered, ms */
  connectedAt: number;
  filament: FilamentOnPrinter;
}

const OUTCOMES = new Map<string, PrintOutcome>([
  ['FINISHED', 'finished'],
  ['STOPPED', 'cancelled'],
  ['ERROR', 'failed'],
]);
const ACTIVE_STATES = new Set(['PRINTING', 'PAUSED']);
/** No print, or it ended and was cleared. Other states, such as BUSY, say nothing about a print. */
const NO_PRINT = new Set(['IDLE', 'READY']);

/** The name of a job whose file is not known yet. */
const numberOf = (id: number) => `job ${id}`;

/** It prints, or asks something during a print or before it. */
const isActive = ({ printer, job }: Status) =>
  ACTIVE_STATES.has(printer.state) || (printer.state === 'ATTENTION' && job?.id !== undefined);
const showsJob = (status: Status) => isActive(status) || OUTCOMES.has(status.printer.state);

/** The job of a status that names none. In another state it is a later job, which began between the two answers. */
const idOf = (job: JobInfo | null, { printer }: Status) => (job?.state === printer.state ? job.id : undefined);

/** Whether a status is about a job of which something is not known yet, so that its details are needed. */
export function needsJob(known: State | undefined, status: Status): boolean {
  if (!showsJob(status)) return false;
  const id = status.job?.id;
  const { open } = known ?? {};
  if (!open) return isActive(status) || id === undefined || id !== known?.settled?.id;
  if (id !== undefined && id !== open.id) return id !== known?.settled?.id;
  return open.isShort || open.filename === numberOf(open.id) || open.grams === undefined;
}

/** The slicer's weight, in grams: of the whole print, or of each tool. */
function gramsOf(meta: JobFile['meta'], filament: FilamentOnPrinter): number | undefined {
  const sum = (unit: string) =>
    sumOf(meta?.[`filament used [${unit}]`]) ?? sumOf(meta?.[`filament used [${unit}] per tool`]);
  return sum('g') ?? gramsOfLength(sum('mm') ?? 0, filament);
}

/** A job with what its details add to what is known. The long name may come after the short one. */
function withDetails(open: OpenJob, job: JobInfo | null, filament: FilamentOnPrinter): OpenJob {
  if (job?.id !== open.id) return open;
  const { name, display_name, meta } = job.file ?? {};
  const hasName = open.filename !== numberOf(open.id);
  return {
    ...open,
    filename: display_name || (hasName ? open.filename : name || open.filename),
    isShort: display_name ? false : open.isShort,
    grams: open.grams ?? gramsOf(meta, filament),
  };
}

function begin(id: number, { job, now, filament }: Observation): OpenJob {
  const open: OpenJob = {
    id,
    filename: numberOf(id),
    isShort: true,
    grams: undefined,
    startedAt: now,
    progress: 0,
    seenAt: now,
    leftMs: undefined,
    hasRun: false,
  };
  return withDetails(open, job, filament);
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

function endUnsaid(open: OpenJob, { now, connectedAt }: Observation, why: Unsaid): Reduced<State> {
  const wasAway = open.seenAt < connectedAt;
  if (!open.hasRun && !wasAway) return end(open, 'cancelled', now, 0, 'inferred: cancelled before it started');
  const last = { ...open, percent: open.progress };
  const { outcome, reason } = inferOutcome(last, now, wasAway ? 'disconnected' : why);
  return end(open, outcome, now, 0, reason);
}

function reduceActive({ open, settled }: State, id: number, observation: Observation): Reduced<State> {
  const { job, now, filament, status } = observation;
  const { progress, time_remaining, time_printing = 0 } = status.job ?? {};
  // a job that is still shown is not a new print; only one that has restarted is
  const hasEnded = open === null && settled?.id === id && time_printing >= settled.timePrinting;
  if (hasEnded) return { state: { open, settled }, ended: [] };
  const current = {
    ...(open ? withDetails(open, job, filament) : begin(id, observation)),
    progress: progress ?? open?.progress ?? 0,
    seenAt: now,
    leftMs: time_remaining === undefined ? undefined : time_remaining * 1000,
    hasRun: open?.hasRun || ACTIVE_STATES.has(status.printer.state),
  };
  return { state: { open: current, settled }, ended: [], started: open ? undefined : current.filename };
}

/**
 * An end without its job, as newer firmware shows it: a print that ran between two polls, unless it was shown before. An
 * error may be one without a print.
 */
function reduceNameless(state: State, outcome: PrintOutcome, observation: Observation): Reduced<State> {
  const { shown } = state;
  const isUnseen = outcome !== 'failed' && shown !== undefined && !OUTCOMES.has(shown);
  if (!isUnseen) return { state, ended: [] };
  const { ended } = end({ ...begin(0, observation), filename: 'unknown' }, outcome, observation.now, 0);
  return { state, ended };
}

function reduceEnd(
  state: State,
  id: number | undefined,
  outcome: PrintOutcome,
  observation: Observation,
  isNew: boolean,
): Reduced<State> {
  const { open, settled } = state;
  const { job, now, filament, status } = observation;
  const { progress, time_printing = 0 } = status.job ?? {};
  if (open) {
    const last = { ...withDetails(open, job, filament), progress: progress ?? open.progress };
    return end(last, outcome, now, time_printing);
  }
  if (id === undefined) return isNew ? { state, ended: [] } : reduceNameless(state, outcome, observation);
  if (settled?.id === id) return { state, ended: [] };
  // started and ended between polls; one shown at the first connection is old
  if (isNew) return { state: { ...state, settled: { id, timePrinting: time_printing } }, ended: [] };
  return end({ ...begin(id, observation), progress: progress ?? 0 }, outcome, now, time_printing);
}

function reduceStatus(state: State, id: number | undefined, observation: Observation, isNew: boolean): Reduced<State> {
  const { status, isRepeated } = observation;
  const outcome = OUTCOMES.get(status.printer.state);
  if (isActive(status) && id !== undefined) return reduceActive(state, id, observation);
  if (outcome !== undefined) return reduceEnd(state, id, outcome, observation, isNew);
  if (state.open && NO_PRINT.has(status.printer.state) && isRepeated) return endUnsaid(state.open, observation, 'idle');
  return { state, ended: [] };
}

export function reduce(known: State | undefined, observation: Observation): Reduced<State> {
  const { status, job } = observation;
  const state = known ?? { open: null, settled: null };
  const id = status.job?.id ?? idOf(job, status);
  const { open } = state;
  const isOther = open !== null && id !== undefined && id !== open.id && showsJob(status);
  const before = isOther ? endUnsaid(open, observation, 'replaced') : { state, ended: [] };
  const reduced = andThen(before, (next) => reduceStatus(next, id, observation, known === undefined));
  const isTelling = showsJob(status) || NO_PRINT.has(status.printer.state);
  return { ...reduced, state: { ...reduced.state, shown: isTelling ? status.printer.state : known?.shown } };
}

export const rules: Rules<State, Observation> = { reduce, progressFields: ['progress', 'seenAt', 'leftMs'] };
