import { createSerialQueue } from '../../backoff.ts';
import type { OctoPrintPrinter, Timing } from '../../config.ts';
import { gramsOfLength } from '../../grams.ts';
import { digestOf, type EndedPrint, type PrintOutcome } from '../../report.ts';
import { openSocket } from '../../socket.ts';
import { keepWatching, type Watch } from '../watcher.ts';

/** A file and where it is stored: OctoPrint's disk or the printer's card. */
interface FileLocation {
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
}

export interface OctoPrintState {
  open: OpenPrint | null;
  /** the last end that was processed, by OctoPrint's clock */
  lastEnd: { place: string; at: number } | null;
  /** ends up to this time have been processed, ms */
  settledUntil: number;
}

/** The fields we read of `current` and `history` messages (docs/api/push.rst of OctoPrint). */
interface Current {
  state?: { text?: string; flags?: Record<string, boolean> };
  job?: {
    file?: { name?: string | null; path?: string | null; origin?: string | null };
    filament?: Record<string, { length?: number; volume?: number }> | null;
  };
  progress?: { completion?: number | null; printTime?: number | null };
  serverTime?: number;
}

interface EventPayload {
  name?: string;
  path?: string;
  origin?: string;
  reason?: string;
}

type Message = {
  connected?: unknown;
  reauthRequired?: { reason?: string };
  current?: Current;
  history?: Current;
  event?: { type?: string; payload?: EventPayload | null };
};

/** A cancel fires two events by design, and OctoPrint may record the end of a print slightly later than its event. */
const SAME_END_MS = 30_000;
/** How often the progress of a print is stored, in case the agent is killed. */
const CHECKPOINT_MS = 60_000;

const locationOf = ({ origin, path }: { origin: string; path: string }) => `${origin}/${path}`;

/** OctoPrint's record of the last print of a file. */
export interface LastPrint {
  /** ms */
  at: number;
  success: boolean;
}

const UNSEEN = 'ended while the agent was disconnected; OctoPrint recorded it as unsuccessful';

function close(open: OpenPrint, outcome: PrintOutcome, at: number, reason?: string): EndedPrint {
  // the share of an unfinished print is an estimate, but the filament is used
  const share = outcome === 'finished' ? 1 : open.completion / 100;
  return {
    key: `${digestOf(locationOf(open))}:${open.startedAt}`,
    filename: open.name,
    at,
    outcome,
    grams: open.grams === undefined ? undefined : open.grams * share,
    reason,
  };
}

/** Pure reducer: ends the open print. */
export function endPrint(state: OctoPrintState, outcome: PrintOutcome, at: number, reason?: string) {
  const { open } = state;
  if (!open) return { state, ended: [] };
  const ended = [close(open, outcome, at, reason)];
  return { state: { open: null, lastEnd: { place: locationOf(open), at }, settledUntil: at }, ended };
}

/**
 * Pure reducer: ends a print without a known start, unless it is the second event of a cancel or was already processed.
 */
export function endUnknown(
  state: OctoPrintState,
  file: FileLocation,
  outcome: PrintOutcome,
  at: number,
  reason?: string,
) {
  const place = locationOf(file);
  const isKnown = state.lastEnd?.place === place && Math.abs(at - state.lastEnd.at) < SAME_END_MS;
  if (isKnown || at <= state.settledUntil) return { state, ended: [] };
  const open: OpenPrint = { ...file, startedAt: Math.round(at), grams: undefined, completion: 0 };
  return endPrint({ ...state, open }, outcome, at, reason);
}

/** OctoPrint's HTTP API, with the key of a user with access to status and files. */
export function createOctoPrint({ url, api_key }: Pick<OctoPrintPrinter, 'url' | 'api_key'>, timing: Timing) {
  async function request<T>(method: string, path: string, body?: unknown): Promise<T | null> {
    const response = await fetch(`${url}${path}`, {
      method,
      headers: { 'X-Api-Key': api_key, ...(body ? { 'Content-Type': 'application/json' } : {}) },
      ...(body ? { body: JSON.stringify(body) } : {}),
      redirect: 'manual',
      signal: AbortSignal.timeout(timing.answerMs),
    });
    const text = await response.text();
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

    /** @returns null if OctoPrint has no record: for files on the printer's card and deleted files */
    async lastPrintOf({ origin, path }: { origin: string; path: string }): Promise<LastPrint | null> {
      if (origin !== 'local') return null;
      const file = await request<{ prints?: { last?: { date?: number; success?: boolean } } }>(
        'GET',
        `/api/files/local/${path.split('/').map(encodeURIComponent).join('/')}`,
      );
      const last = file?.prints?.last;
      return typeof last?.date === 'number' ? { at: last.date * 1000, success: last.success === true } : null;
    },
  };
}

/** Parses a SockJS frame: plain JSON on the raw endpoint, `a[…]` if a proxy leads to the framed one. */
export function readFrame(text: string): Message[] {
  if (text.startsWith('{')) return [JSON.parse(text) as Message];
  if (text.startsWith('a')) {
    const messages = JSON.parse(text.slice(1)) as (string | Message)[];
    return messages.map((one) => (typeof one === 'string' ? (JSON.parse(one) as Message) : one));
  }
  // open and heartbeat frames
  return [];
}

const isPrinting = ({ flags = {} }: NonNullable<Current['state']>) =>
  ['printing', 'paused', 'pausing', 'resuming', 'cancelling', 'finishing'].some((flag) => flags[flag] === true);

function fileOf(current: Current): FileLocation | null {
  const { name, path, origin } = current.job?.file ?? {};
  return path && origin ? { path, origin, name: name || path } : null;
}

/** Watches a printer through OctoPrint. Its push socket reports events, and its record per file covers missed ones. */
export async function watchOctoPrint(printer: OctoPrintPrinter, watch: Watch<OctoPrintState>): Promise<void> {
  const { name, log, clock, timing, signal } = watch;
  const octoPrint = createOctoPrint(printer, timing);
  const filament = { density: printer.filament_density, diameter: printer.filament_diameter };

  function gramsOf(current: Current): number | undefined {
    const length = Object.values(current.job?.filament ?? {}).reduce((sum, { length: mm = 0 }) => sum + mm, 0);
    return gramsOfLength(length, filament);
  }

  await keepWatching(watch, async (isUp) => {
    let socket: Awaited<ReturnType<typeof openSocket>> | undefined;
    let failure: unknown;
    const fail = (error: unknown) => {
      failure ??= error;
      socket?.fail(error);
    };
    const enqueue = createSerialQueue(fail);
    /** how far OctoPrint's clock is ahead of ours, ms */
    let offset = 0;
    const now = () => Math.round(clock() + offset);
    let last: Current = {};
    let isReconciled = false;
    let buffered: Message[] = [];
    let debounceTimer: NodeJS.Timeout | undefined;

    const known = (): OctoPrintState => watch.state() ?? { open: null, lastEnd: null, settledUntil: now() };
    let completion = known().open?.completion ?? 0;
    let storedAt = clock();

    /** The state with the current progress. */
    const withProgress = (): OctoPrintState => {
      const state = known();
      return { ...state, open: state.open && { ...state.open, completion } };
    };

    async function apply({ state, ended }: { state: OctoPrintState; ended: EndedPrint[] }): Promise<void> {
      const before = watch.state();
      if (ended.length === 0 && JSON.stringify(state) === JSON.stringify(before)) return;
      await watch.record(state, ended);
      storedAt = clock();
    }

    async function begin(file: FileLocation, startedAt: number): Promise<void> {
      completion = 0;
      const open = { ...file, startedAt: Math.round(startedAt), grams: gramsOf(last), completion };
      await apply({ state: { ...known(), open }, ended: [] });
      log.info(`${name}: started printing ${file.name}`);
    }

    /** Ends the open print without an event, by OctoPrint's record if there is one. */
    async function conclude(): Promise<void> {
      const { open } = known();
      if (!open) return;
      const record = await octoPrint.lastPrintOf(open);
      const file = fileOf(last);
      const isSame = file !== null && locationOf(file) === locationOf(open);
      if (record && record.at >= open.startedAt) {
        const outcome = record.success ? 'finished' : 'failed';
        return apply(endPrint(withProgress(), outcome, record.at, record.success ? undefined : UNSEEN));
      }
      if (isSame && last.progress?.completion === 100) return apply(endPrint(withProgress(), 'finished', now()));
      await apply(
        endPrint(withProgress(), 'failed', now(), 'OctoPrint lost the print and has no record of how it ended'),
      );
    }

    /** Compares the stored state with the printer after a gap. */
    async function reconcile(): Promise<void> {
      const isNew = watch.state() === undefined;
      const file = fileOf(last);
      const printing = last.state !== undefined && isPrinting(last.state);
      const { open } = known();
      if (open) {
        const record = await octoPrint.lastPrintOf(open);
        const isSame = file !== null && locationOf(file) === locationOf(open);
        if ((record && record.at >= open.startedAt) || (printing && !isSame)) await conclude();
        // otherwise it is still printing, or its end is being reported: `watchState` handles both
      } else if (!isNew && !printing && file) {
        const record = await octoPrint.lastPrintOf(file);
        if (record && record.at > known().settledUntil) {
          const outcome = record.success ? 'finished' : 'failed';
          await apply(endUnknown(known(), file, outcome, record.at, record.success ? undefined : UNSEEN));
        }
      }
      if (isNew) {
        await apply({ state: known(), ended: [] });
        log.info(`${name}: first connection; prints that end from now on are reported`);
      }
      isReconciled = true;
      isUp();
      for (const message of buffered) await handleMessage(message);
      buffered = [];
      await watchState();
    }

    /** Corrects what events missed by the reported state: a lost start or end. */
    async function watchState(): Promise<void> {
      if (last.state === undefined) return;
      const file = fileOf(last);
      const { flags = {} } = last.state;
      const { open, lastEnd } = known();
      if (isPrinting(last.state)) {
        clearTimeout(debounceTimer);
        debounceTimer = undefined;
        if (open) {
          completion = last.progress?.completion ?? completion;
          if (clock() - storedAt > CHECKPOINT_MS)
            await apply({ state: { ...known(), open: { ...open, completion } }, ended: [] });
          return;
        }
        const printTime = last.progress?.printTime;
        if (!file || !flags.printing || flags.finishing || flags.cancelling || typeof printTime !== 'number') return;
        const startedAt = now() - printTime * 1000;
        // the last messages of a print that has just ended still show it
        const isOld = lastEnd?.place === locationOf(file) && startedAt <= lastEnd.at;
        if (!isOld) await begin(file, startedAt);
      } else if (open) {
        debounceTimer ??= setTimeout(() => enqueue(conclude), timing.settleMs);
      }
    }

    async function handleEvent(type: string, payload: EventPayload): Promise<void> {
      if (!['PrintStarted', 'PrintDone', 'PrintFailed', 'PrintCancelled'].includes(type)) return;
      const { path, origin = 'local' } = payload;
      if (path === undefined) return;
      const file = { path, origin, name: payload.name ?? path };
      if (type === 'PrintStarted') {
        clearTimeout(debounceTimer);
        debounceTimer = undefined;
        const { open } = known();
        const record = open && (await octoPrint.lastPrintOf(open));
        // already processed from a state message before the event
        const isSame = open && locationOf(open) === locationOf(file) && now() - open.startedAt < SAME_END_MS;
        if (isSame && !(record && record.at >= open.startedAt)) return;
        await conclude();
        return begin(file, now());
      }
      const isCancel = type === 'PrintCancelled' || payload.reason === 'cancelled';
      if (type === 'PrintFailed' && payload.reason === undefined && known().open) {
        // before OctoPrint 1.3.3, a failure had no reason, and preceded the cancel it belongs to
        debounceTimer ??= setTimeout(
          () => enqueue(() => apply(endPrint(withProgress(), 'failed', now(), 'the print failed'))),
          timing.settleMs,
        );
        return;
      }
      clearTimeout(debounceTimer);
      debounceTimer = undefined;
      const outcome = type === 'PrintDone' ? 'finished' : isCancel ? 'cancelled' : 'failed';
      const reason = outcome === 'failed' ? (payload.reason ?? 'the print failed') : undefined;
      const { open } = known();
      if (open && locationOf(open) === locationOf(file)) await apply(endPrint(withProgress(), outcome, now(), reason));
      else await apply(endUnknown(known(), file, outcome, now(), reason));
    }

    async function handleMessage(message: Message): Promise<void> {
      if (message.reauthRequired) throw new Error(`OctoPrint requires a new login (${message.reauthRequired.reason})`);
      const current = message.current ?? message.history;
      if (current) {
        if (typeof current.serverTime === 'number') offset = current.serverTime * 1000 - clock();
        last = { ...last, ...current };
        if (!isReconciled && last.state && last.job) return reconcile();
        if (isReconciled) return watchState();
      }
      if (!message.event) return;
      if (isReconciled) await handleEvent(message.event.type ?? '', message.event.payload ?? {});
      else buffered.push(message);
    }

    const auth = await octoPrint.login();
    // a user without the status permission can connect but receives nothing
    const silence = setTimeout(() => {
      if (!isReconciled)
        fail(new Error('OctoPrint sends no data; the user of this api_key needs the "Status" permission'));
    }, timing.answerMs);
    try {
      socket = await openSocket({
        url: `${printer.url.replace(/^http/, 'ws')}/sockjs/websocket`,
        timeoutMs: timing.answerMs,
        heartbeatMs: timing.heartbeatMs,
        signal,
        onMessage: (text) => {
          for (const message of readFrame(text)) enqueue(() => handleMessage(message));
        },
      });
      socket.send({ auth });
      if (failure) throw failure;
      await socket.closed;
    } finally {
      socket?.fail(new Error('cancelled'));
      clearTimeout(silence);
      clearTimeout(debounceTimer);
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
