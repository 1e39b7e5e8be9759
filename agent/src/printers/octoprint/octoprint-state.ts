import { type FilamentOnPrinter, gramsOfLength, gramsOfShare, sumOf } from '../../grams.ts';
import { clip, toNumber } from '../../json.ts';
import { digestOf, type PrintOutcome } from '../../report.ts';
import { inferOutcome } from '../infer-outcome.ts';
import { andThen, type Reduced, type Rules } from '../tracker.ts';

/** A file and where it is stored: OctoPrint's disk or the printer's card. */
export interface FileLocation {
  origin: string;
  path: string;
  name: string;
}

interface OpenPrint extends FileLocation {
  /** by OctoPrint's clock, ms; with the file it is the print's key */
  startedAt: number;
  grams: number | undefined;
  /** percent */
  completion: number;
  /** by OctoPrint's clock, ms */
  seenAt: number;
  leftMs?: number | undefined;
}

export interface State {
  open: OpenPrint | null;
  /** the last end that was processed, by OctoPrint's clock */
  lastEnd: { place: string; at: number } | null;
  /** ends up to this time have been processed, ms */
  settledUntil: number;
}

/** The fields we read of `current` and `history` messages (docs/api/push.rst of OctoPrint). */
export interface Current {
  state?: { text?: string | undefined; error?: string | undefined; flags?: Record<string, boolean> };
  job?: {
    file?: { name?: string | null | undefined; path?: string | null | undefined; origin?: string | null | undefined };
    filament?: Record<string, { length?: number | string | null | undefined } | null> | null;
  };
  progress?: {
    completion?: number | null | undefined;
    printTime?: number | null | undefined;
    printTimeLeft?: number | null | undefined;
  };
  serverTime?: number;
}

/** OctoPrint's record of the last print of a file. */
export interface LastPrint {
  /** ms */
  at: number;
  success: boolean;
}

/** What happened; `record` is that of the open print, null if there is none. */
export type Happening =
  /** the first complete state after connecting; `record` is that of `fileToCheck` */
  | { kind: 'connected'; record: LastPrint | null }
  | { kind: 'state' }
  /** the state has shown no print for so long that no event will tell how the open one ended */
  | { kind: 'silence'; record: LastPrint | null /** it was seen printing since connecting */; wasSeen: boolean }
  | { kind: 'started'; file: FileLocation; record: LastPrint | null }
  | { kind: 'ended'; file: FileLocation; outcome: PrintOutcome; reason: string | undefined };

export interface Observation {
  happening: Happening;
  /** all fields received since connecting, merged */
  current: Current;
  filament: FilamentOnPrinter;
  /** by OctoPrint's clock, ms */
  now: number;
  /** how far OctoPrint's clock is ahead of ours, ms */
  offset: number;
}

/** A cancel fires two events by design, and OctoPrint may record the end of a print slightly later than its event. */
const SAME_END_MS = 30_000;
const PRINTING_FLAGS = ['printing', 'paused', 'pausing', 'resuming', 'cancelling', 'finishing'];
/** The longest path of Linux. */
export const MAX_PATH = 4_096;
const UNSEEN = 'ended while the agent was disconnected; OctoPrint recorded it as unsuccessful';

const READ_FLAGS = [...PRINTING_FLAGS, 'error', 'closedOrError'];

/** What is kept of a message: its temperatures, its log and fields of other versions are not read. */
export function readCurrent({ state, job, progress, serverTime }: Current): Current {
  const { name, path, origin } = job?.file ?? {};
  const lengths = Object.values(job?.filament ?? {}).map((tool) => tool?.length);
  const flags = Object.fromEntries(READ_FLAGS.map((flag) => [flag, state?.flags?.[flag] === true]));
  const time = toNumber(serverTime);
  return {
    ...(state ? { state: { text: clip(state.text), error: clip(state.error), flags } } : {}),
    ...(job
      ? {
          job: {
            file: { name: clip(name), path: clip(path, MAX_PATH), origin: clip(origin) },
            filament: { all: { length: sumOf(lengths.filter((length) => length != null)) } },
          },
        }
      : {}),
    ...(progress
      ? {
          progress: {
            completion: toNumber(progress.completion),
            printTime: toNumber(progress.printTime),
            printTimeLeft: toNumber(progress.printTimeLeft),
          },
        }
      : {}),
    ...(time === undefined ? {} : { serverTime: time }),
  };
}

export const isPrinting = ({ state }: Current) => PRINTING_FLAGS.some((flag) => state?.flags?.[flag] === true);

const locationOf = ({ origin, path }: FileLocation) => `${origin}/${path}`;
const isSame = (one: FileLocation | null, other: FileLocation | null) =>
  one !== null && other !== null && locationOf(one) === locationOf(other);

function fileOf(current: Current): FileLocation | null {
  const { name, path, origin } = current.job?.file ?? {};
  return path && origin ? { path, origin, name: name || path } : null;
}

/** The file whose record may show a print that ended while the agent was disconnected. */
export function fileToCheck(known: State | undefined, current: Current): FileLocation | null {
  if (known === undefined) return null;
  return known.open ?? (isPrinting(current) ? null : fileOf(current));
}

/** The slicer's or OctoPrint's estimate for a file, which OctoPrint may know only after a while. */
function gramsOf(file: FileLocation, current: Current, filament: FilamentOnPrinter): number | undefined {
  if (!isSame(fileOf(current), file)) return undefined;
  const lengths = Object.values(current.job?.filament ?? {}).map((tool) => tool?.length);
  return gramsOfLength(sumOf(lengths.filter((length) => length != null)) ?? 0, filament);
}

const withGrams = (open: OpenPrint, current: Current, filament: FilamentOnPrinter): OpenPrint => ({
  ...open,
  grams: gramsOf(open, current, filament) ?? open.grams,
});

const unchanged = (state: State): Reduced<State> => ({ state, ended: [] });

function begin(state: State, file: FileLocation, startedAt: number, observation: Observation): Reduced<State> {
  const { current, filament, now } = observation;
  const grams = gramsOf(file, current, filament);
  const open = { ...file, startedAt: Math.round(startedAt), grams, completion: 0, seenAt: now };
  return { state: { ...state, open }, ended: [], started: file.name };
}

function end(open: OpenPrint, outcome: PrintOutcome, at: number, reason?: string): Reduced<State> {
  const place = locationOf(open);
  const ended = {
    key: `${digestOf(place)}:${open.startedAt}`,
    filename: open.name,
    at,
    outcome,
    grams: gramsOfShare(open.grams, outcome === 'finished', open.completion),
    reason,
  };
  return { state: { open: null, lastEnd: { place, at }, settledUntil: at }, ended: [ended] };
}

const endByRecord = (open: OpenPrint, { success, at }: LastPrint) =>
  success ? end(open, 'finished', at) : end(open, 'failed', at, UNSEEN);

/** A print without a known start. */
const unknownPrint = (file: FileLocation, endedAt: number): OpenPrint => ({
  ...file,
  startedAt: Math.round(endedAt),
  grams: undefined,
  completion: 0,
  seenAt: endedAt,
});

/** Whether a print that ended without a known start was processed, or its end is the second event of a cancel. */
function isProcessed({ lastEnd, settledUntil }: State, file: FileLocation, at: number): boolean {
  const isLast = lastEnd?.place === locationOf(file) && Math.abs(at - lastEnd.at) < SAME_END_MS;
  return isLast || at <= settledUntil;
}

const isOf = (record: LastPrint | null, open: OpenPrint): record is LastPrint =>
  record !== null && record.at >= open.startedAt;

/** The error that the printer shows; undefined if there is none. */
function errorOf({ state }: Current): string | undefined {
  const { flags } = state ?? {};
  return flags?.error || flags?.closedOrError
    ? state?.error || state?.text || 'the printer reports an error'
    : undefined;
}

/** Ends the open print without an event: by OctoPrint's record, by the error that it shows, or by its progress. */
function conclude(
  state: State,
  record: LastPrint | null,
  why: 'disconnected' | 'idle' | 'replaced',
  { current, filament, now }: Observation,
): Reduced<State> {
  if (!state.open) return unchanged(state);
  const open = withGrams(state.open, current, filament);
  if (isOf(record, open)) return endByRecord(open, record);
  const error = errorOf(current);
  if (error !== undefined) return end(open, 'failed', now, error);
  const { completion } = current.progress ?? {};
  const percent = isSame(fileOf(current), open) && completion === 100 ? 100 : open.completion;
  const { seenAt, leftMs } = open;
  const { outcome, reason } = inferOutcome({ percent, seenAt, leftMs }, now, why);
  const reduced = end(open, outcome, now, reason);
  if (why !== 'disconnected') return reduced;
  // other prints may have begun and ended since it was last seen
  const lastEnd = { place: locationOf(open), at: seenAt };
  return { ...reduced, state: { open: null, lastEnd, settledUntil: seenAt } };
}

/** Whether the same file is being printed once more. */
const hasRestarted = ({ completion }: OpenPrint, { progress }: Current): boolean =>
  typeof progress?.completion === 'number' && progress.completion < completion;

/** What ended while the agent was disconnected. */
function reduceConnected(state: State, record: LastPrint | null, observation: Observation): Reduced<State> {
  const { current } = observation;
  const { open } = state;
  const file = fileOf(current);
  if (open) {
    // otherwise it is still printing, or its end is about to be reported
    const isOther = file !== null && !isSame(file, open);
    const hasEnded = isOf(record, open) || isOther || (isPrinting(current) && hasRestarted(open, current));
    return hasEnded ? conclude(state, record, 'disconnected', observation) : unchanged(state);
  }
  if (!file || !record || isProcessed(state, file, record.at)) return unchanged(state);
  return endByRecord(unknownPrint(file, record.at), record);
}

function withProgress(open: OpenPrint, { current, filament, now }: Observation): OpenPrint {
  const { completion, printTimeLeft } = current.progress ?? {};
  return {
    ...withGrams(open, current, filament),
    completion: completion ?? open.completion,
    seenAt: now,
    leftMs: typeof printTimeLeft === 'number' ? printTimeLeft * 1000 : undefined,
  };
}

/** The progress of the open print, or a print whose start was missed. */
function reduceState(state: State, observation: Observation): Reduced<State> {
  const { current, now } = observation;
  if (!isPrinting(current)) return unchanged(state);
  const { open, lastEnd } = state;
  const { printTime } = current.progress ?? {};
  if (open) return unchanged({ ...state, open: withProgress(open, observation) });
  const { printing, paused, finishing, cancelling } = current.state?.flags ?? {};
  const file = fileOf(current);
  const isUnderWay = (printing || paused) && !finishing && !cancelling;
  if (!file || !isUnderWay || typeof printTime !== 'number') return unchanged(state);
  const startedAt = now - printTime * 1000;
  // the last messages of a print that has just ended still show it
  const isOld = lastEnd?.place === locationOf(file) && startedAt <= lastEnd.at;
  return isOld ? unchanged(state) : begin(state, file, startedAt, observation);
}

function reduceStarted(
  state: State,
  file: FileLocation,
  record: LastPrint | null,
  observation: Observation,
): Reduced<State> {
  const { open } = state;
  const { now } = observation;
  // already processed from a state message before the event
  const isKnown = open && isSame(open, file) && now - open.startedAt < SAME_END_MS && !isOf(record, open);
  if (isKnown) return unchanged(state);
  return andThen(conclude(state, record, 'replaced', observation), (next) => begin(next, file, now, observation));
}

function reduceHappening(state: State, observation: Observation): Reduced<State> {
  const { happening, now } = observation;
  switch (happening.kind) {
    case 'connected':
      return reduceConnected(state, happening.record, observation);
    case 'state':
      return reduceState(state, observation);
    case 'silence':
      return conclude(state, happening.record, happening.wasSeen ? 'idle' : 'disconnected', observation);
    case 'started':
      return reduceStarted(state, happening.file, happening.record, observation);
    case 'ended': {
      const { file, outcome, reason } = happening;
      const { open } = state;
      if (!open || !isSame(open, file)) {
        return isProcessed(state, file, now) ? unchanged(state) : end(unknownPrint(file, now), outcome, now, reason);
      }
      return end(withGrams(open, observation.current, observation.filament), outcome, now, reason);
    }
  }
}

export function reduce(known: State | undefined, observation: Observation): Reduced<State> {
  const { now, offset } = observation;
  const state: State = known ?? { open: null, lastEnd: null, settledUntil: now };
  const reduced = reduceHappening(state, observation);
  // the state has OctoPrint's times, a report ours
  return { ...reduced, ended: reduced.ended.map((print) => ({ ...print, at: Math.min(print.at, now) - offset })) };
}

export const rules: Rules<State, Observation> = { reduce, progressFields: ['completion', 'seenAt', 'leftMs'] };
