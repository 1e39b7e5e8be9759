import type { Clock } from '../../../../backend/src/shared/clock.ts';
import { createSerialQueue } from '../../backoff.ts';
import type { OctoPrintPrinter, Timing } from '../../config.ts';
import type { FilamentOnPrinter } from '../../grams.ts';
import { readText } from '../../read-text.ts';
import type { PrintOutcome } from '../../report.ts';
import { openSocket } from '../../socket.ts';
import { createTracker, type Tracker } from '../tracker.ts';
import { keepWatching, type Watch } from '../watcher.ts';
import {
  type Current,
  type FileLocation,
  fileToCheck,
  type Happening,
  isPrinting,
  type LastPrint,
  type Observation,
  reduce,
  type State,
} from './octoprint-state.ts';

interface Event {
  type?: string;
  payload?: { name?: string; path?: string; origin?: string; reason?: string } | null;
}

type Message = {
  connected?: unknown;
  reauthRequired?: { reason?: string };
  current?: Current;
  history?: Current;
  event?: Event;
};

const PRINT_EVENTS = new Set(['PrintStarted', 'PrintDone', 'PrintFailed', 'PrintCancelled']);
const PRINT_FAILED = 'the print failed';

/** OctoPrint's HTTP API, with the key of a user with access to status and files. */
function createOctoPrint({ url, api_key }: Pick<OctoPrintPrinter, 'url' | 'api_key'>, timing: Timing) {
  async function request<T>(method: string, path: string, body?: unknown): Promise<T | null> {
    const response = await fetch(`${url}${path}`, {
      method,
      headers: { 'X-Api-Key': api_key, ...(body ? { 'Content-Type': 'application/json' } : {}) },
      ...(body ? { body: JSON.stringify(body) } : {}),
      redirect: 'manual',
      signal: AbortSignal.timeout(timing.answerMs),
    });
    const text = await readText(response);
    if (response.status === 404) return null;
    if (response.status === 401 || response.status === 403) throw new Error('OctoPrint rejected the api_key');
    if (!response.ok) throw new Error(`OctoPrint responded with ${response.status} at ${path}`);
    try {
      return JSON.parse(text) as T;
    } catch {
      throw new Error(`${url}${path} isn't OctoPrint`);
    }
  }

  return {
    /** @returns the credentials for the `auth` message. @throws Error with a message for the user */
    async login(): Promise<string> {
      const user = await request<{ name?: string; session?: string }>('POST', '/api/login', { passive: true });
      if (!user?.name || !user.session) throw new Error('OctoPrint has no user with this api_key');
      return `${user.name}:${user.session}`;
    },

    version: () => request<{ server?: string; text?: string }>('GET', '/api/version'),

    /** @returns null if OctoPrint has no record: for no file, files on the printer's card and deleted files */
    async lastPrintOf(printed: FileLocation | null | undefined): Promise<LastPrint | null> {
      if (printed?.origin !== 'local') return null;
      const file = await request<{ prints?: { last?: { date?: number; success?: boolean } } }>(
        'GET',
        `/api/files/local/${printed.path.split('/').map(encodeURIComponent).join('/')}`,
      );
      const last = file?.prints?.last;
      return typeof last?.date === 'number' ? { at: last.date * 1000, success: last.success === true } : null;
    },
  };
}

/** Parses a SockJS frame: plain JSON on the raw endpoint, `a[…]` if a proxy leads to the framed one. */
function readFrame(text: string): Message[] {
  if (text.startsWith('{')) return [JSON.parse(text) as Message];
  if (text.startsWith('a')) {
    const messages = JSON.parse(text.slice(1)) as (string | Message)[];
    return messages.map((one) => (typeof one === 'string' ? (JSON.parse(one) as Message) : one));
  }
  // open and heartbeat frames
  return [];
}

/** One connection to the push socket. */
interface Session {
  octoPrint: ReturnType<typeof createOctoPrint>;
  tracker: Tracker<State, Observation>;
  clock: Clock;
  settleMs: number;
  filament: FilamentOnPrinter;
  enqueue: (work: () => Promise<void>) => void;
  /** the printer responds, and its state has been compared with the stored one */
  isUp: () => void;
  isReconciled: boolean;
  /** events that arrived before that */
  buffered: Event[];
  /** how far OctoPrint's clock is ahead of ours, ms */
  offset: number;
  /** all fields of `current` and `history` received so far, merged */
  current: Current;
  /** a happening that counts unless OctoPrint says otherwise in time */
  delayed: NodeJS.Timeout | undefined;
}

const observe = ({ tracker, current, filament, clock, offset }: Session, happening: Happening): Promise<void> =>
  tracker.observe({ happening, current, filament, now: Math.round(clock() + offset) });

const recordOfOpen = ({ octoPrint, tracker }: Session) => octoPrint.lastPrintOf(tracker.state()?.open);

/** Runs work after the settling time, unless other work is waiting or it is cancelled. */
function delay(session: Session, work: () => Promise<void>): void {
  session.delayed ??= setTimeout(() => session.enqueue(work), session.settleMs);
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
    await observe(session, { kind: 'state' });
  } else if (session.tracker.state()?.open) {
    delay(session, async () => observe(session, { kind: 'silence', record: await recordOfOpen(session) }));
  }
}

/** Compares the stored state with the printer after a gap. */
async function reconcile(session: Session): Promise<void> {
  const { octoPrint, tracker, current } = session;
  const record = await octoPrint.lastPrintOf(fileToCheck(tracker.state(), current));
  await observe(session, { kind: 'connected', record });
  session.isReconciled = true;
  session.isUp();
  for (const event of session.buffered.splice(0)) await handleEvent(session, event);
  await handleState(session);
}

async function handleCurrent(session: Session, current: Current): Promise<void> {
  if (typeof current.serverTime === 'number') session.offset = current.serverTime * 1000 - session.clock();
  session.current = { ...session.current, ...current };
  if (session.isReconciled) await handleState(session);
  else if (session.current.state && session.current.job) await reconcile(session);
}

function outcomeOf(type: string, reason: string | undefined): PrintOutcome {
  if (type === 'PrintDone') return 'finished';
  return type === 'PrintCancelled' || reason === 'cancelled' ? 'cancelled' : 'failed';
}

async function handleEvent(session: Session, { type = '', payload }: Event): Promise<void> {
  const { path, origin = 'local', name = path, reason } = payload ?? {};
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
  if (type === 'PrintStarted') return observe(session, { kind: 'started', file, record: await recordOfOpen(session) });
  const outcome = outcomeOf(type, reason);
  const shownReason = outcome === 'failed' ? (reason ?? PRINT_FAILED) : undefined;
  await observe(session, { kind: 'ended', file, outcome, reason: shownReason });
}

async function handleMessage(session: Session, { reauthRequired, current, history, event }: Message): Promise<void> {
  if (reauthRequired) throw new Error(`OctoPrint requires a new login (${reauthRequired.reason})`);
  const fields = current ?? history;
  if (fields) await handleCurrent(session, fields);
  else if (event && session.isReconciled) await handleEvent(session, event);
  else if (event) session.buffered.push(event);
}

/** Watches a printer through OctoPrint. Its push socket reports events, and its record per file covers missed ones. */
export async function watchOctoPrint(printer: OctoPrintPrinter, watch: Watch<State>): Promise<void> {
  const { clock, timing, signal } = watch;
  const octoPrint = createOctoPrint(printer, timing);
  const filament = { density: printer.filament_density, diameter: printer.filament_diameter };
  const tracker = createTracker(watch, reduce);
  await keepWatching(watch, async (isUp) => {
    let socket: Awaited<ReturnType<typeof openSocket>> | undefined;
    let failure: unknown;
    const fail = (error: unknown) => {
      failure ??= error;
      socket?.fail(error);
    };
    const session: Session = {
      octoPrint,
      tracker,
      clock,
      settleMs: timing.settleMs,
      filament,
      enqueue: createSerialQueue(fail),
      isUp,
      isReconciled: false,
      buffered: [],
      offset: 0,
      current: {},
      delayed: undefined,
    };
    const auth = await octoPrint.login();
    // a user without the status permission can connect but receives nothing
    const silence = setTimeout(() => {
      if (!session.isReconciled)
        fail(new Error('OctoPrint sends no data; the user of this api_key needs the "Status" permission'));
    }, timing.answerMs);
    try {
      socket = await openSocket({
        url: `${printer.url.replace(/^http/, 'ws')}/sockjs/websocket`,
        timeoutMs: timing.answerMs,
        heartbeatMs: timing.heartbeatMs,
        signal,
        onMessage: (text) => {
          for (const message of readFrame(text)) session.enqueue(() => handleMessage(session, message));
        },
      });
      socket.send({ auth });
      if (failure) throw failure;
      await socket.closed;
    } finally {
      socket?.fail(new Error('cancelled'));
      clearTimeout(silence);
      cancelDelayed(session);
    }
  });
}

/** @returns one line about the printer. @throws Error with a message for the user */
export async function probeOctoPrint(printer: OctoPrintPrinter, { timing }: Pick<Watch<unknown>, 'timing'>) {
  const octoPrint = createOctoPrint(printer, timing);
  await octoPrint.login();
  const version = await octoPrint.version();
  return `OctoPrint ${version?.server ?? ''} is online and accepts the api_key`;
}
