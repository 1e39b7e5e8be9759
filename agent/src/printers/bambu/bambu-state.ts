import { digestOf, type PrintOutcome } from '../../report.ts';
import { inferOutcome, type Unsaid } from '../infer-outcome.ts';
import { andThen, type Reduced, type Rules } from '../tracker.ts';
import { type Ids, isCancelCode, nameOfCode, type Print, type Report, readPrint, stemOf } from './bambu-print.ts';

/** What a printer shows until something else replaces it, also of an earlier print. */
interface Shown {
  /** absent in `before` of a print */
  ids?: Ids | undefined;
  error: number;
  failReason: number;
  hms: string[];
  percent: number | undefined;
}

interface OpenPrint {
  /** digest of the printer's own identifiers; several LAN prints may share it */
  task: string;
  filename: string;
  /** by our clock, ms; part of the print's key */
  startedAt: number;
  percent: number;
  /** its percentage has risen while it was watched; otherwise it may be an earlier print's */
  hasProgressed?: boolean | undefined;
  /** a lower percentage that was shown afterwards, as when a print is cancelled or another one begins */
  fallenTo?: number | undefined;
  seenAt: number;
  leftMs: number | undefined;
  /** the identifiers that are known to be this print's */
  ids: Ids;
  /** it was seen running, not only being prepared */
  hasRun: boolean;
  /** what was shown when it began, until it changes */
  before: Shown;
  /** the last error of this print, also after it was cleared; 0: none */
  lastError: number;
}

export interface State {
  open: OpenPrint | null;
  /** task of the last print whose end was processed */
  lastTask: string | null;
  /** the identifiers that the printer goes on showing until the next print replaces them */
  last?: Ids | undefined;
  /** shown in the last report */
  shown?: Shown | undefined;
  /** SHA-256 fingerprint of the certificate at the first connection, if none is configured */
  fingerprint?: string | undefined;
}

export interface Observation {
  /** all fields received since connecting, merged */
  print: Print;
  /** ms */
  now: number;
  /** the first report about jobs after connecting; anything may have happened since the known state */
  isFirst: boolean;
  /** of the certificate, to remember; undefined if one is configured */
  fingerprint?: string | undefined;
}

interface Outcome {
  outcome: PrintOutcome;
  reason?: string | undefined;
}

/** How far a percentage may fall within a print, as when its speed is changed. */
const MAX_CORRECTION = 5;
const MAX_PULSE_MS = 10_000;
const UNNAMED = 'unknown';

const NOTHING: Shown = { error: 0, failReason: 0, hms: [], percent: undefined };
const NO_IDS: Ids = { task: '', subtask: '', name: '', start: '' };
const ID_FIELDS = ['task', 'subtask', 'name', 'start'] as const;

const mapIds = (choose: (field: keyof Ids) => string): Ids => ({
  task: choose('task'),
  subtask: choose('subtask'),
  name: choose('name'),
  start: choose('start'),
});

const isNamed = (ids: Ids): boolean => ID_FIELDS.some((field) => ids[field] !== '');

const taskOf = ({ ids }: Report): string =>
  isNamed(ids) ? digestOf([ids.task, ids.subtask, ids.name, ids.start].join('\n')) : '';

function differ(one: Ids, other: Ids, field: keyof Ids): boolean {
  if (one[field] === '' || other[field] === '') return false;
  return field === 'name' ? stemOf(one.name) !== stemOf(other.name) : one[field] !== other[field];
}

const isPrinting = ({ phase }: Report) => phase === 'preparing' || phase === 'running' || phase === 'busy';
const hasEnded = ({ phase }: Report) => phase === 'finished' || phase === 'failed';

/** Whether a printer names another job than before. */
export function isAnotherJob(earlier: Print, later: Print): boolean {
  const [one, other] = [readPrint(earlier).ids, readPrint(later).ids];
  return one.name !== other.name || ID_FIELDS.some((field) => differ(one, other, field));
}

/** Whether a report says anything about jobs. */
export const isAboutJobs = (print: Print): boolean => readPrint(print).phase !== 'unknown';

export const hasFailed = (print: Print): boolean => readPrint(print).phase === 'failed';

/** The errors of a report that are not left over from before the print. */
const newErrors = ({ before }: OpenPrint, { error, failReason, hms }: Report) => ({
  error: error === before.error ? 0 : error,
  failReason: failReason === before.failReason ? 0 : failReason,
  hms: hms.filter((one) => !before.hms.includes(one)),
});

/**
 * Whether what a report says about the end of a print may be contradicted or explained by the next one.
 * @param isFirst as in an observation
 */
export function isTentative(known: State | undefined, print: Print, changed: Print, isFirst: boolean): boolean {
  const report = readPrint(print);
  const { phase } = report;
  const open = known?.open ?? null;
  if (phase === 'idle') return open !== null;
  if (phase !== 'failed' || !known) return false;
  if (!open) return isFirst && report.error === 0 && isUnseen(known, report);
  const { error } = newErrors(open, readPrint(changed));
  const isExplained = error !== 0 && (error !== open.lastError || isCancelCode(error));
  return !isExplained;
}

/** Whether the error that is shown with a print after a gap is an earlier print's: it has not run, or it goes on. */
const isEarlier = ({ phase, error }: Report): boolean => phase === 'preparing' || isCancelCode(error);

function begin(state: State, report: Report, { now, isFirst }: Observation): OpenPrint {
  return {
    task: taskOf(report),
    filename: report.name || UNNAMED,
    startedAt: now,
    percent: 0,
    seenAt: now,
    leftMs: undefined,
    ids: NO_IDS,
    hasRun: false,
    // the reason of a failure is an earlier print's in any case
    before: { ...(isFirst && isEarlier(report) ? report : (state.shown ?? report)), failReason: report.failReason },
    lastError: 0,
  };
}

/** The progress of the open print, as a report shows it. */
function readProgress(open: OpenPrint, report: Report) {
  const isOld = report.percent === open.before.percent;
  const shown = isOld ? open.percent : (report.percent ?? open.percent);
  // what was shown before the first progress may have been an earlier print's
  const hasFallen = shown < open.percent - (open.hasProgressed ? MAX_CORRECTION : 0);
  const percent = hasFallen && open.hasProgressed ? open.percent : shown;
  const isRising = open.percent > 0 && percent > open.percent;
  return { isOld, percent, fallenTo: hasFallen ? shown : undefined, isRising };
}

/** The name of the open print. A file without a name may be the next job's, whose name has not come yet. */
function nameOf({ ids, filename }: OpenPrint, report: Report): string {
  const isFileOnly = report.ids.name === '';
  return isFileOnly && ids.name ? filename : report.name || filename;
}

/** Adds what a report says about the open print: names that arrive late, progress, errors. */
function update(state: State, open: OpenPrint, report: Report, now: number): OpenPrint {
  const { before, ids } = open;
  const { isOld, percent, fallenTo, isRising } = readProgress(open, report);
  // a print that progresses is the one that is named, even if it has the name of the last one
  const isKnown = (field: keyof Ids) => isRising || report.ids[field] !== state.last?.[field];
  return {
    ...open,
    task: taskOf(report) || open.task,
    filename: nameOf(open, report),
    ids: mapIds((field) => ids[field] || (isKnown(field) ? report.ids[field] : '')),
    percent,
    hasProgressed: open.hasProgressed || isRising,
    fallenTo,
    seenAt: now,
    leftMs: report.leftMs ?? open.leftMs,
    hasRun: open.hasRun || report.phase === 'running',
    // once it has changed, it belongs to this print
    before: {
      error: report.error === before.error ? before.error : 0,
      failReason: report.failReason === before.failReason ? before.failReason : 0,
      hms: before.hms.filter((one) => report.hms.includes(one)),
      percent: isOld ? before.percent : undefined,
    },
    lastError: newErrors(open, report).error || open.lastError,
  };
}

/** Whether a report names another job than the open print. */
function isRenamed({ ids, hasRun }: OpenPrint, report: Report, isFirst: boolean): boolean {
  // a start time may be corrected while a print is prepared
  const compared = isFirst && hasRun ? ID_FIELDS : ID_FIELDS.filter((field) => field !== 'start');
  return compared.some((field) => differ(ids, report.ids, field));
}

/** Whether a report shows that the job has begun again. */
function hasRestarted(open: OpenPrint, report: Report, { isFirst, now }: Observation): boolean {
  const { phase, percent = open.percent } = report;
  // some printers show a moment of RUNNING while they prepare
  const hasProgressed = open.hasRun && (open.percent > 0 || now - open.startedAt > MAX_PULSE_MS);
  if (phase === 'preparing' && hasProgressed) return true;
  const isShownBefore = percent === open.before.percent || (open.percent === 100 && !open.hasProgressed);
  if (!isPrinting(report) || isShownBefore) return false;
  // without a gap, a percentage that falls is only another print's if that goes on
  return percent < open.percent && (isFirst || (open.fallenTo !== undefined && percent > open.fallenTo));
}

/** Whether a report is about another job than the open print. */
function isOther(open: OpenPrint, report: Report, observation: Observation): boolean {
  // a calibration may be part of the preparation, and what the last job was may be shown for a while
  if (report.phase === 'internal') return open.hasRun && report.name !== open.filename;
  if (!isPrinting(report) && !hasEnded(report)) return false;
  return isRenamed(open, report, observation.isFirst) || hasRestarted(open, report, observation);
}

const outcomeOfCode = (code: number): Outcome =>
  isCancelCode(code) ? { outcome: 'cancelled' } : { outcome: 'failed', reason: `print_error ${nameOfCode(code)}` };

/**
 * How a print ended that the printer calls failed: as the error says that it shows, otherwise its reason, otherwise the
 * last error, also if somebody has cleared it, otherwise its health messages. Without any, somebody cancelled it.
 */
function outcomeOfFailure(open: OpenPrint, report: Report): Outcome {
  const { error, failReason, hms } = newErrors(open, report);
  // an error that was shown before may have been the reason to cancel
  const isNewError = error !== 0 && error !== open.lastError;
  if (isCancelCode(failReason) && !isNewError) return { outcome: 'cancelled' };
  // an error that was there before is more likely the reason than a cancel that the printer doesn't mention
  const code = error || failReason || open.lastError || report.error || report.failReason;
  if (code !== 0) return outcomeOfCode(code);
  return hms.length > 0 ? { outcome: 'failed', reason: `HMS ${hms[0]}` } : { outcome: 'cancelled' };
}

/** How a print ended that the printer no longer shows. */
function outcomeUnsaid(open: OpenPrint, now: number, why: Unsaid): Outcome {
  const { lastError, hasRun } = open;
  if (isCancelCode(lastError)) return { outcome: 'cancelled' };
  if (!hasRun && lastError === 0 && why !== 'disconnected') {
    return { outcome: 'cancelled', reason: 'inferred: cancelled before it started' };
  }
  const inferred = inferOutcome(open, now, why);
  return lastError !== 0 && inferred.outcome === 'failed'
    ? { outcome: 'failed', reason: `${inferred.reason}; print_error ${nameOfCode(lastError)}` }
    : inferred;
}

const end = (state: State, open: OpenPrint, at: number, { outcome, reason }: Outcome): Reduced<State> => ({
  state: {
    ...state,
    open: null,
    lastTask: open.task,
    last: mapIds((field) => open.ids[field] || state.last?.[field] || ''),
  },
  ended: [{ key: `${open.task}:${open.startedAt}`, filename: open.filename, at, outcome, reason }],
});

/** Some printers go on to FINISH when a person has cancelled. */
function outcomeOf(open: OpenPrint, report: Report): Outcome {
  if (report.phase !== 'finished') return outcomeOfFailure(open, report);
  const isCancelled = isCancelCode(newErrors(open, report).error || open.lastError);
  return { outcome: isCancelled ? 'cancelled' : 'finished' };
}

/** Whether the end that is shown after a gap is that of a print that was not seen. */
function isUnseen({ last, lastTask, shown }: State, report: Report): boolean {
  const { ids } = report;
  // printers name the next print while they still show the end of the last one
  const known = [last, shown?.ids].filter((one) => one !== undefined).filter(isNamed);
  if (known.length > 0) return known.every((one) => ID_FIELDS.some((field) => differ(one, ids, field)));
  // a print from the LAN that ended without a name may be the one that is named now
  if (lastTask !== null && ids.task === '' && ids.subtask === '' && ids.start === '') return false;
  return isNamed(ids);
}

/** A report that a print has ended, which the printer repeats until the next one starts. */
function reduceEnd(state: State, report: Report, observation: Observation, isNew: boolean): Reduced<State> {
  const { now, isFirst } = observation;
  const { open } = state;
  if (open) {
    const final = { ...open, task: taskOf(report) || open.task, filename: nameOf(open, report) };
    return end(state, final, now, outcomeOf(open, report));
  }
  if (!isFirst) return { state, ended: [] };
  if (isNew || !isUnseen(state, report)) return { state: { ...state, lastTask: taskOf(report) }, ended: [] };
  // a job with a number has it only once, so that it is not reported again
  const startedAt = report.ids.task === '' ? now : 0;
  const unseen = { ...begin(state, report, observation), startedAt, before: NOTHING };
  return end(state, unseen, now, outcomeOf(unseen, report));
}

function reducePrinting(state: State, report: Report, observation: Observation): Reduced<State> {
  const { open } = state;
  const isNew = ID_FIELDS.some((field) => report.ids[field] !== '' && report.ids[field] !== state.last?.[field]);
  // what an unknown state shows may be the print that has ended
  if (!open && report.phase === 'busy' && !isNew) return { state, ended: [] };
  const current = update(state, open ?? begin(state, report, observation), report, observation.now);
  return { state: { ...state, open: current }, ended: [], started: open ? undefined : current.filename };
}

function reduceReport(state: State, report: Report, observation: Observation, isNew: boolean): Reduced<State> {
  const { open } = state;
  const { now, isFirst } = observation;
  if (isPrinting(report)) return reducePrinting(state, report, observation);
  if (hasEnded(report)) return reduceEnd(state, report, observation, isNew);
  if (!open || report.phase !== 'idle') return { state, ended: [] };
  // cleared, withdrawn, or the printer was switched off and on
  const last = { ...open, lastError: newErrors(open, report).error || open.lastError };
  return end(state, last, now, outcomeUnsaid(last, now, isFirst ? 'disconnected' : 'idle'));
}

/**
 * Whether the open print turns out to be one of the printer's own jobs: printers may report the state of a job before its
 * kind. After a gap, it is one only if nothing but its state had been reported.
 */
function isInternalJob(open: OpenPrint | null, { phase }: Report, isFirst: boolean): boolean {
  if (phase !== 'internal' || !open || isNamed(open.ids) || open.hasProgressed) return false;
  return !isFirst || open.filename === UNNAMED;
}

export function reduce(known: State | undefined, observation: Observation): Reduced<State> {
  const { print, now, isFirst, fingerprint } = observation;
  const report = readPrint(print);
  const state = { ...(known ?? { open: null, lastTask: null }), fingerprint };
  if (report.phase === 'unknown') return { state, ended: [] };
  const open = isInternalJob(state.open, report, isFirst) ? null : state.open;
  const before =
    open && isOther(open, report, observation)
      ? end(state, open, now, outcomeUnsaid(open, now, isFirst ? 'disconnected' : 'replaced'))
      : { state: { ...state, open }, ended: [] };
  const reduced = andThen(before, (next) => reduceReport(next, report, observation, known === undefined));
  return { ...reduced, state: withShown(reduced.state, report, isFirst) };
}

/** Remembers what the printer shows now, so that it is not taken for the next print's. */
function withShown(state: State, { phase, ids, error, failReason, hms, percent }: Report, isFirst: boolean): State {
  const isInternal = phase === 'internal';
  const isOver = state.open === null && (state.last === undefined || isFirst || isInternal);
  // the next print may be named while its kind is still unknown
  const isOld = (field: keyof Ids) => ids[field] !== '' && !(isInternal && field === 'name');
  const last = isOver ? mapIds((field) => (isOld(field) ? ids[field] : (state.last?.[field] ?? ''))) : state.last;
  return { ...state, last, shown: { ids, error, failReason, hms, percent } };
}

export const rules: Rules<State, Observation> = { reduce, progressFields: ['percent', 'seenAt', 'leftMs'] };
