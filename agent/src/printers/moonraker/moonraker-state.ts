import { lookupTable } from '../../../../common/src/lookup-table.ts';
import { type FilamentOnPrinter, gramsUsed, sumOf } from '../../grams.ts';
import { clip, toNumber } from '../../json.ts';
import type { EndedPrint, PrintOutcome } from '../../report.ts';
import { inferOutcome } from '../infer-outcome.ts';
import { andThen, type Reduced, type Rules } from '../tracker.ts';

/** An entry of Moonraker's history (docs/external_api/history.md there). */
export interface Job {
  /** hexadecimal; restarts at 1 when the history is cleared */
  job_id: string;
  filename: string;
  status: string;
  /** seconds since 1970 */
  start_time: number;
  /** null while printing, and after Moonraker was killed */
  end_time: number | null;
  total_duration: number;
  /** mm; null if Moonraker could not ask Klipper */
  filament_used: number | null;
  /** of the file, as far as it has been read; weights and lengths may be lists with one for each tool */
  metadata?: { filament_weight_total?: unknown; filament_weights?: unknown; filament_total?: unknown } | null;
}

/** What is kept of an entry: its other metadata, with pictures, may be far longer than what is read. */
export function readJob(job: Job): Job {
  const { filament_total, filament_weight_total, filament_weights } = job.metadata ?? {};
  return {
    job_id: clip(job.job_id) ?? '',
    filename: clip(job.filename) ?? 'unknown',
    status: clip(job.status) ?? '',
    start_time: toNumber(job.start_time) ?? Number.NaN,
    end_time: toNumber(job.end_time) ?? null,
    total_duration: toNumber(job.total_duration) ?? Number.NaN,
    filament_used: toNumber(job.filament_used) ?? null,
    metadata: {
      filament_total: sumOf(filament_total),
      filament_weight_total: sumOf(filament_weight_total),
      filament_weights: sumOf(filament_weights),
    },
  };
}

/** A job that was printing when last seen. */
interface OpenJob {
  key: string;
  filename: string;
}

export interface State {
  /** the newest job seen */
  newest: { key: string; id: number; start: number } | null;
  open: OpenJob[];
  /** time of the last observation, ms */
  seenAt: number;
}

export interface Observation {
  /** oldest first */
  jobs: Job[];
  /**
   * after connecting: the newest job of the history if the printer was never watched, otherwise all since the newest
   * known one and those that were printing
   */
  isFirst: boolean;
  filament: FilamentOnPrinter;
  /** ms */
  now: number;
  /** how far the clock of Moonraker's host is ahead of ours, ms; 0 if it is not known */
  offset: number;
}

const REASONS = lookupTable<string>({
  error: 'the print ended with an error',
  klippy_shutdown: 'Klipper shut down',
  klippy_disconnect: 'Moonraker lost the connection to Klipper',
  interrupted: 'Moonraker shut down during the print',
  server_exit: 'Moonraker stopped during the print',
});

export const keyOf = ({ job_id, start_time }: Job) => `${job_id}:${Math.round(start_time * 1000)}`;
const idOf = ({ job_id }: Job) => Number.parseInt(job_id, 16);

function outcomeOf(status: string): PrintOutcome {
  if (status === 'completed') return 'finished';
  return status === 'cancelled' ? 'cancelled' : 'failed';
}

const isListed = (jobs: Job[], key: string) => jobs.some((job) => keyOf(job) === key);

/**
 * When a job ended, by our clock. One whose end was not seen ended when its host says, but neither before the last
 * observation nor later than now: hosts without a clock begin in the past, others are ahead.
 */
function endOf(job: Job, { isFirst, now, offset }: Observation, seenAt: number): number {
  if (!isFirst) return now;
  const at = (job.end_time ?? job.start_time + job.total_duration) * 1000 - offset;
  return Math.min(Math.max(at, seenAt), now);
}

function toEnded(job: Job, at: number, filament: FilamentOnPrinter): EndedPrint {
  const outcome = outcomeOf(job.status);
  const { filament_total, filament_weight_total, filament_weights } = job.metadata ?? {};
  const used = {
    usedMm: job.filament_used ?? undefined,
    totalMm: sumOf(filament_total),
    totalGrams: sumOf(filament_weight_total) ?? sumOf(filament_weights),
  };
  return {
    key: keyOf(job),
    filename: job.filename,
    at,
    outcome,
    grams: gramsUsed(used, filament),
    reason: outcome === 'failed' ? (REASONS.get(job.status) ?? job.status) : undefined,
  };
}

/** A job that is gone from the history, whose end will not be told because another one has begun. */
function toUnsaid(open: OpenJob, { isFirst, now }: Observation): EndedPrint {
  const last = { percent: 0, leftMs: undefined, seenAt: now };
  return { ...open, at: now, ...inferOutcome(last, now, isFirst ? 'disconnected' : 'replaced') };
}

/** A printer prints one job at a time; more are left only by a history that was edited. */
const MAX_OPEN = 20;

const toOpen = (job: Job): OpenJob => ({ key: keyOf(job), filename: job.filename });
const isRunning = ({ status }: Job): boolean => status === 'in_progress';

function stateAtFirst(job: Job | undefined, now: number): State {
  if (!job) return { newest: { key: '', id: 0, start: 0 }, open: [], seenAt: now };
  const newest = { key: keyOf(job), id: idOf(job), start: job.start_time };
  return { newest, open: isRunning(job) ? [toOpen(job)] : [], seenAt: now };
}

/**
 * Whether a job was not seen before. A cleared history restarts its ids, and a host without a clock may reset its time,
 * so either one may grow alone. A job that begins before our eyes is new whatever its number and its time.
 */
function isNew({ newest, open }: State, job: Job, isFirst: boolean): boolean {
  if (newest === null) return true;
  const key = keyOf(job);
  if (key === newest.key || open.some((one) => one.key === key)) return false;
  return idOf(job) > newest.id || job.start_time > newest.start || (!isFirst && isRunning(job));
}

/** Adds one job to the state. */
function reduceJob(state: State, job: Job, observation: Observation): Reduced<State> {
  const { isFirst, filament } = observation;
  const key = keyOf(job);
  const wasOpen = state.open.some((one) => one.key === key);
  const isFresh = isNew(state, job, isFirst);
  const others = state.open.filter((one) => one.key !== key);
  // a printer prints one job at a time
  const gone = isFresh ? others.filter((one) => !isListed(observation.jobs, one.key)) : [];
  const remaining = others.filter((one) => !gone.includes(one));
  const ended = gone.map((one) => toUnsaid(one, observation));
  const hasEnded = !isRunning(job) && (wasOpen || isFresh);
  if (hasEnded) ended.push(toEnded(job, endOf(job, observation, state.seenAt), filament));
  const isOpen = isRunning(job) && (wasOpen || isFresh);
  return {
    state: {
      ...state,
      newest: isFresh ? { key, id: idOf(job), start: job.start_time } : state.newest,
      open: isOpen ? [...remaining, toOpen(job)].slice(-MAX_OPEN) : remaining,
    },
    ended,
    started: isFresh && isRunning(job) ? job.filename : undefined,
  };
}

export function reduce(known: State | undefined, observation: Observation): Reduced<State> {
  const { jobs, now } = observation;
  // prints from before the first connection are not reported
  if (known === undefined) return { state: stateAtFirst(jobs[0], now), ended: [] };
  const none: Reduced<State> = { state: known, ended: [] };
  const reduced = jobs.reduce((before, job) => {
    const after = andThen(before, (state) => reduceJob(state, job, observation));
    return { ...after, started: before.started ?? after.started };
  }, none);
  return { ...reduced, state: { ...reduced.state, seenAt: now } };
}

export const rules: Rules<State, Observation> = { reduce, progressFields: ['seenAt'] };
