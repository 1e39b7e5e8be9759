import { lookupTable } from '../../../../backend/src/shared/lookup-table.ts';
import { type FilamentOnPrinter, gramsUsed } from '../../grams.ts';
import type { EndedPrint, PrintOutcome } from '../../report.ts';
import type { Reduced } from '../tracker.ts';

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
  /** mm */
  filament_used: number;
  metadata?: { filament_weight_total?: number; filament_total?: number };
}

export interface State {
  /** the newest job seen */
  newest: { key: string; id: number; start: number } | null;
  /** jobs that were printing when last seen */
  open: string[];
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

export const isListed = (jobs: Job[], key: string) => jobs.some((job) => keyOf(job) === key);

function toEnded(job: Job, filament: FilamentOnPrinter): EndedPrint {
  const outcome = outcomeOf(job.status);
  const { filament_total, filament_weight_total } = job.metadata ?? {};
  const used = { usedMm: job.filament_used, totalMm: filament_total, totalGrams: filament_weight_total };
  return {
    key: keyOf(job),
    filename: job.filename,
    at: (job.end_time ?? job.start_time + job.total_duration) * 1000,
    outcome,
    grams: gramsUsed(used, filament),
    reason: outcome === 'failed' ? (REASONS.get(job.status) ?? job.status) : undefined,
  };
}

function stateAtFirst(job: Job | undefined): State {
  if (!job) return { newest: { key: '', id: 0, start: 0 }, open: [] };
  const newest = { key: keyOf(job), id: idOf(job), start: job.start_time };
  return { newest, open: job.status === 'in_progress' ? [keyOf(job)] : [] };
}

export function reduce(known: State | undefined, { jobs, isFirst, filament }: Observation): Reduced<State> {
  // prints from before the first connection are not reported
  if (known === undefined) return { state: stateAtFirst(jobs[0]), ended: [] };
  let { newest } = known;
  // prints missing from the list were deleted from the history
  const open = new Set(isFirst ? known.open.filter((key) => isListed(jobs, key)) : known.open);
  const ended: EndedPrint[] = [];
  let started: string | undefined;
  for (const job of jobs) {
    const key = keyOf(job);
    // a cleared history restarts its ids, and a host without a clock may reset its time, so either one may grow alone
    const isNew = newest === null || idOf(job) > newest.id || job.start_time > newest.start;
    if (job.status !== 'in_progress') {
      if (open.delete(key) || isNew) ended.push(toEnded(job, filament));
    } else if (isNew) {
      open.add(key);
      started ??= job.filename;
    }
    if (isNew) newest = { key, id: idOf(job), start: job.start_time };
  }
  return { state: { newest, open: [...open] }, ended, started };
}
