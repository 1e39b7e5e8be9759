import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A case of test/fixtures/printers, whose README describes it. */
export interface Case<Step = Record<string, unknown>> {
  name: string;
  source: string;
  kind: string;
  steps: Step[];
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

/** The steps of a case that begins now. */
export const stepsOf = <Step>({ steps }: Case, now: number): Step[] => withTimes(steps, now) as Step[];

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
