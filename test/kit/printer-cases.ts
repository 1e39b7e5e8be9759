import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Print } from '../../agent/src/printers/bambu/bambu-print.ts';
import type { Job } from '../../agent/src/printers/moonraker/moonraker-state.ts';
import type { Message } from '../../agent/src/printers/octoprint/octoprint-session.ts';
import type { Current, LastPrint } from '../../agent/src/printers/octoprint/octoprint-state.ts';
import type { JobInfo, Status } from '../../agent/src/printers/prusalink/prusalink-state.ts';

/** A case of test/fixtures/printers, whose README describes it. */
export interface Case {
  name: string;
  source: string;
  kind: string;
  steps: Record<string, unknown>[];
  expected: { filename: string; outcome: string; grams?: number | null; reason_includes?: string }[];
}

const FOLDER = join(__dirname, '../fixtures/printers');

/** `{ "$now": s }` is a time in seconds. */
function withTimes(value: unknown, now: number): unknown {
  if (Array.isArray(value)) return value.map((one) => withTimes(one, now));
  if (typeof value !== 'object' || value === null) return value;
  if ('$now' in value) return now / 1000 + Number(value.$now);
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, withTimes(one, now)]));
}

export const readCases = (protocol: string): Case[] =>
  JSON.parse(readFileSync(join(FOLDER, `${protocol}.json`), 'utf8')) as Case[];

/** What the steps of all printers have. */
export interface Step {
  down?: true;
  up?: true;
  kill?: true;
  settle?: true;
}

export type BambuStep = Step & { send?: Print; set?: Print };

const IDLE: Print = {
  gcode_state: 'IDLE',
  gcode_file: '',
  subtask_name: '',
  task_id: '0',
  subtask_id: '0',
  print_error: 0,
  mc_percent: 0,
  mc_remaining_time: 0,
};

export function stageBambu(sendMessage: (print: Print) => Promise<void>) {
  const full = { ...IDLE };
  return {
    full: () => full,
    async apply({ send, set }: BambuStep, isUp: boolean) {
      Object.assign(full, send ?? set);
      if (send && isUp) await sendMessage(send);
    },
  };
}

export type MoonrakerStep = Step & { notify?: { job: Job | null }; history?: Job[] };

export function stageMoonraker(sendChange: (job: Job) => Promise<void>) {
  let jobs: Job[] = [];
  return {
    history: () => jobs,
    async apply({ notify, history }: MoonrakerStep, isUp: boolean) {
      jobs = history ?? jobs;
      if (notify?.job && isUp) await sendChange(notify.job);
    },
  };
}

export type OctoPrintStep = Step & Message & { record?: { path: string; success: boolean; at?: number } };

/** @param now ms, by OctoPrint's clock */
export function stageOctoPrint(now: () => number, push: (message: Message) => Promise<void>) {
  let current: Current = {
    state: { text: 'Operational', flags: { operational: true, ready: true } },
    job: { file: { name: null, path: null, origin: null }, filament: null },
    progress: { completion: null, printTime: null, printTimeLeft: null },
  };
  const records = new Map<string, LastPrint>();
  const shown = (state: Current): Current => ({ serverTime: now() / 1000, ...state });
  return {
    current: () => shown(current),
    record: (path: string): LastPrint | null => records.get(path) ?? null,
    async apply({ current: next, event, record }: OctoPrintStep, isUp: boolean) {
      if (record) records.set(record.path, { success: record.success, at: now() + (record.at ?? 0) * 1000 });
      if (next) current = { ...current, ...next };
      if (isUp && next) await push({ current: shown(next) });
      if (isUp && event) await push({ event });
    },
  };
}

export type PrusaLinkStep = Step & { status?: Status; job?: JobInfo | null; polls?: number };

/** @param asked waits until the agent has asked so many times */
export function stagePrusaLink(asked: (times: number) => Promise<void>) {
  let status: Status = { printer: { state: 'IDLE' } };
  let job: JobInfo | null = null;
  return {
    status: () => status,
    job: () => job,
    async apply(step: PrusaLinkStep, isUp: boolean) {
      status = step.status ?? status;
      job = step.job === undefined ? job : step.job;
      if (isUp) await asked(step.polls ?? 2);
    },
  };
}

/** The steps of a case that begins now. */
export const stepsOf = <Own>({ steps }: Case, now: number): Own[] => withTimes(steps, now) as Own[];

interface Reported {
  filename: string;
  outcome: string;
  grams?: number | undefined;
  reason?: string | undefined;
}

/** What is compared: of each report, what its case says. */
export const comparable = (reports: readonly Reported[], { expected }: Case) =>
  reports.map(({ filename, outcome, grams, reason }, i) => {
    const wanted = expected[i];
    const isReasonFine = wanted?.reason_includes !== undefined && reason?.includes(wanted.reason_includes);
    return {
      filename,
      outcome,
      ...(wanted?.grams === undefined ? {} : { grams: grams === undefined ? null : Math.round(grams * 100) / 100 }),
      ...(wanted?.reason_includes === undefined
        ? {}
        : { reason_includes: isReasonFine ? wanted.reason_includes : reason }),
    };
  });

export const expectedOf = ({ expected }: Case) =>
  expected.map((one) => (typeof one.grams === 'number' ? { ...one, grams: Math.round(one.grams * 100) / 100 } : one));
