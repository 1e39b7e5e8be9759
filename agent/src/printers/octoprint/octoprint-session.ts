import type { Clock } from '../../../../common/src/clock.ts';
import type { Enqueue } from '../../backoff.ts';
import type { FilamentOnPrinter } from '../../grams.ts';
import { clip } from '../../json.ts';
import type { PrintOutcome } from '../../report.ts';
import type { Tracker } from '../tracker.ts';
import {
  type Current,
  type FileLocation,
  fileToCheck,
  type Happening,
  isPrinting,
  type LastPrint,
  MAX_PATH,
  type Observation,
  readCurrent,
  type State,
} from './octoprint-state.ts';

interface Event {
  type?: string;
  payload?: {
    name?: string | undefined;
    path?: string | undefined;
    origin?: string | undefined;
    reason?: string | undefined;
    error?: string | undefined;
    /** of PrintCancelling: the printer's error, because of which OctoPrint cancels */
    firmwareError?: string | undefined;
  } | null;
}

export type Message = {
  connected?: unknown;
  reauthRequired?: { reason?: string | undefined };
  current?: Current;
  history?: Current;
  event?: Event;
};

const PRINT_EVENTS = new Set(['PrintStarted', 'PrintDone', 'PrintFailed', 'PrintCancelled']);
/** Events before the first state, which OctoPrint sends as soon as a client has logged in. */
const MAX_EARLY_EVENTS = 100;

/** What is kept of an event until it is handled; undefined if it isn't about a print. */
function readEvent({ type, payload }: Event): Event | undefined {
  if (type === undefined || !(PRINT_EVENTS.has(type) || type === 'PrintCancelling')) return undefined;
  return {
    type,
    payload: {
      name: clip(payload?.name),
      path: clip(payload?.path, MAX_PATH),
      origin: clip(payload?.origin),
      reason: clip(payload?.reason),
      error: clip(payload?.error),
      firmwareError: clip(payload?.firmwareError),
    },
  };
}

/** What is kept of a message until it is handled; undefined for those that aren't read. */
export function readMessage({ reauthRequired, current, history, event }: Message): Message | undefined {
  if (reauthRequired) return { reauthRequired: { reason: clip(reauthRequired.reason) } };
  const fields = current ?? history;
  if (fields) return { current: readCurrent(fields) };
  const read = event && readEvent(event);
  return read && { event: read };
}
const PRINT_FAILED = 'the print failed';

/** What a session asks OctoPrint for. */
export interface OctoPrintRecords {
  /** @returns null if OctoPrint has no record: for no file, files on the printer's card and deleted files */
  lastPrintOf(printed: FileLocation | null | undefined): Promise<LastPrint | null>;
}

/** One connection to the push socket. */
interface Session {
  octoPrint: OctoPrintRecords;
  tracker: Tracker<State, Observation>;
  clock: Clock;
  settleMs: number;
  filament: FilamentOnPrinter;
  enqueue: Enqueue;
  /** the printer responds, and its state has been compared with the stored one */
  isUp: () => void;
  /** when the message that is handled now has arrived, ms: it may have waited for the disk */
  receivedAt: number;
  isReconciled: boolean;
  /** events that arrived before that */
  buffered: Event[];
  /** how far OctoPrint's clock is ahead of ours, ms */
  offset: number;
  /** all fields of `current` and `history` received so far, merged */
  current: Current;
  /** it was seen printing since connecting */
  wasSeen: boolean;
  /** the printer's error because of which OctoPrint cancels the print */
  firmwareError: string | undefined;
  /** a happening that counts unless OctoPrint says otherwise in time */
  delayed: NodeJS.Timeout | undefined;
}

const observe = ({ tracker, current, filament, receivedAt, offset }: Session, happening: Happening): Promise<void> =>
  tracker.observe({ happening, current, filament, now: Math.round(receivedAt + offset), offset });

const recordOfOpen = ({ octoPrint, tracker }: Session) => octoPrint.lastPrintOf(tracker.state()?.open);

/** Runs work after the settling time, unless other work is waiting or it is cancelled. */
function delay(session: Session, work: () => Promise<void>): void {
  session.delayed ??= setTimeout(() => {
    const dueAt = session.clock();
    session.enqueue(() => {
      session.receivedAt = dueAt;
      return work();
    });
  }, session.settleMs);
}

function cancelDelayed(session: Session): void {
  clearTimeout(session.delayed);
  session.delayed = undefined;
}

/** Corrects what events missed by the reported state: a lost start or end. */
async function handleState(session: Session): Promise<void> {
  if (session.current.state === undefined) return;
  if (isPrinting(session.current)) {
    cancelDelayed(session);
    session.wasSeen = true;
    await observe(session, { kind: 'state' });
  } else if (session.tracker.state()?.open) {
    const { wasSeen } = session;
    delay(session, async () => observe(session, { kind: 'silence', record: await recordOfOpen(session), wasSeen }));
  }
}

async function checkRecord(session: Session): Promise<void> {
  const { octoPrint, tracker, current } = session;
  const record = await octoPrint.lastPrintOf(fileToCheck(tracker.state(), current));
  await observe(session, { kind: 'connected', record });
}

/** Compares the stored state with the printer after a gap. */
async function reconcile(session: Session): Promise<void> {
  const wasOpen = session.tracker.state()?.open != null;
  await checkRecord(session);
  // another print may have ended after it
  if (wasOpen && !session.tracker.state()?.open) await checkRecord(session);
  session.isReconciled = true;
  session.isUp();
  for (const event of session.buffered.splice(0)) await handleEvent(session, event);
  await handleState(session);
}

async function handleCurrent(session: Session, current: Current): Promise<void> {
  if (typeof current.serverTime === 'number') session.offset = current.serverTime * 1000 - session.receivedAt;
  session.current = { ...session.current, ...current };
  if (session.isReconciled) await handleState(session);
  else if (session.current.state && session.current.job) await reconcile(session);
}

function outcomeOf(type: string, reason: string | undefined): PrintOutcome {
  if (type === 'PrintDone') return 'finished';
  return type === 'PrintCancelled' || reason === 'cancelled' ? 'cancelled' : 'failed';
}

async function handleEvent(session: Session, { type = '', payload }: Event): Promise<void> {
  const { path, origin = 'local', name = path, reason, error } = payload ?? {};
  if (type === 'PrintCancelling') session.firmwareError = payload?.firmwareError;
  if (!PRINT_EVENTS.has(type) || path === undefined || name === undefined) return;
  const file = { path, origin, name };
  const { open } = session.tracker.state() ?? {};
  if (type === 'PrintFailed' && reason === undefined && open) {
    // before OctoPrint 1.3.3, a failure had no reason, and preceded the cancel it belongs to
    return delay(session, () =>
      observe(session, { kind: 'ended', file: open, outcome: 'failed', reason: PRINT_FAILED }),
    );
  }
  cancelDelayed(session);
  if (type === 'PrintStarted') {
    session.wasSeen = true;
    return observe(session, { kind: 'started', file, record: await recordOfOpen(session) });
  }
  const { firmwareError } = session;
  session.firmwareError = undefined;
  const outcome = outcomeOf(type, reason);
  // no person has cancelled it
  if (outcome === 'cancelled' && firmwareError !== undefined) {
    return observe(session, { kind: 'ended', file, outcome: 'failed', reason: firmwareError });
  }
  const shownReason = outcome === 'failed' ? (error ?? reason ?? PRINT_FAILED) : undefined;
  await observe(session, { kind: 'ended', file, outcome, reason: shownReason });
}

async function handleMessage(session: Session, { reauthRequired, current, history, event }: Message): Promise<void> {
  if (reauthRequired) throw new Error(`OctoPrint requires a new login (${reauthRequired.reason})`);
  const fields = current ?? history;
  if (fields) await handleCurrent(session, fields);
  else if (event && session.isReconciled) await handleEvent(session, event);
  else if (session.buffered.length === MAX_EARLY_EVENTS) throw new Error('OctoPrint sends events, but no state');
  else if (event) session.buffered.push(event);
}

/** The messages of one connection, which must be handled one at a time. */
export function createOctoPrintSession(
  deps: Pick<Session, 'octoPrint' | 'tracker' | 'clock' | 'settleMs' | 'filament' | 'enqueue' | 'isUp'>,
) {
  const session: Session = {
    ...deps,
    receivedAt: 0,
    isReconciled: false,
    buffered: [],
    offset: 0,
    current: {},
    wasSeen: false,
    firmwareError: undefined,
    delayed: undefined,
  };
  return {
    /** @param receivedAt when the message arrived, ms */
    handle(message: Message, receivedAt: number): Promise<void> {
      session.receivedAt = receivedAt;
      return handleMessage(session, message);
    },
    /** The printer's state has been compared with the stored one. */
    isReconciled: (): boolean => session.isReconciled,
    close: (): void => cancelDelayed(session),
  };
}
