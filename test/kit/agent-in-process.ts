import { createSerialQueue } from '../../agent/src/backoff.ts';
import type { FilamentOnPrinter } from '../../agent/src/grams.ts';
import type { Print } from '../../agent/src/printers/bambu/bambu-print.ts';
import { createBambuSession } from '../../agent/src/printers/bambu/bambu-session.ts';
import { rules as bambuRules } from '../../agent/src/printers/bambu/bambu-state.ts';
import {
  createMoonrakerSession,
  type History,
  RpcError,
} from '../../agent/src/printers/moonraker/moonraker-session.ts';
import { type Job, rules as moonrakerRules } from '../../agent/src/printers/moonraker/moonraker-state.ts';
import { createOctoPrintSession, type Message } from '../../agent/src/printers/octoprint/octoprint-session.ts';
import { type LastPrint, rules as octoprintRules } from '../../agent/src/printers/octoprint/octoprint-state.ts';
import { poll } from '../../agent/src/printers/prusalink/prusalink.ts';
import {
  type JobInfo,
  rules as prusalinkRules,
  type Status,
} from '../../agent/src/printers/prusalink/prusalink-state.ts';
import { createTracker, type Rules } from '../../agent/src/printers/tracker.ts';
import type { Timing } from '../../agent/src/printers/watcher.ts';
import { type Report, toReport } from '../../agent/src/report.ts';
import { createLogger } from '../../common/src/logger.ts';

export const SETTLE_MS = 3_000;
export const POLL_MS = 5_000;
const TIMING = { settleMs: SETTLE_MS, pollMs: POLL_MS } as Timing;
/** OctoPrint knows lengths only. */
const FILAMENT: FilamentOnPrinter = { density: 1.24, diameter: 1.75 };

/** The part of a printer that answers; unreachable while it is down. */
export interface BambuFirmware {
  /** everything, as sent in response to `pushall` */
  full(): Print;
}
export interface MoonrakerHost {
  history(): Job[];
  /** how far its clock is ahead, ms */
  offset(): number;
}
export interface OctoPrintHost {
  /** what is sent to a new client */
  greeting(): Message;
  record(path: string): LastPrint | null;
}
export interface PrusaLinkHost {
  status(): Status;
  job(): JobInfo | null;
}

/** Waits for the work that the sessions have queued; none of it waits for a timer. */
async function settled(): Promise<void> {
  for (let i = 0; i < 30; i++) await Promise.resolve();
}

/** What is on the agent's disk: its state and the reports, each once. */
function createDisk() {
  let stored: string | undefined;
  const reports = new Map<string, Report>();
  const order: Report[] = [];
  return {
    order,
    watch: <State>() => ({
      name: 'One',
      state: () => (stored === undefined ? undefined : (JSON.parse(stored) as State)),
      async record(state: State, ended: Parameters<typeof toReport>[2][] = []) {
        stored = JSON.stringify(state);
        for (const one of ended) {
          const report = toReport('test', undefined, one, Date.now());
          if (reports.has(report.event_id)) continue;
          reports.set(report.event_id, report);
          order.push(report);
        }
      },
      log: createLogger('silent'),
      clock: () => Date.now(),
      timing: TIMING,
      signal: new AbortController().signal,
    }),
  };
}

const unexpected = (error: unknown): never => {
  throw error;
};

/**
 * An agent's connection to one printer, without sockets: the real session, reducer and tracker. Time is Jest's; nothing
 * happens unless it is advanced.
 */
export interface InProcessAgent<Received> {
  reports: Report[];
  /** Connects, or does so again, and reads what has happened. */
  connect(): Promise<void>;
  /** The connection breaks. */
  disconnect(): void;
  /** The process is killed and starts again, without a connection; what it had not stored is lost. */
  restart(): void;
  receive(message: Received): Promise<void>;
}

function createAgent<State, Observation, Session extends { close(): void }, Received>(
  rules: Rules<State, Observation>,
  parts: {
    open(
      tracker: ReturnType<typeof createTracker<State, Observation>>,
      enqueue: ReturnType<typeof createSerialQueue>,
    ): Session;
    start(session: Session): Promise<void>;
    receive(session: Session, message: Received): Promise<void>;
  },
): InProcessAgent<Received> {
  const disk = createDisk();
  let tracker = createTracker(disk.watch<State>(), rules);
  let session: Session | undefined;
  const disconnect = () => {
    session?.close();
    session = undefined;
  };
  return {
    reports: disk.order,
    async connect() {
      disconnect();
      session = parts.open(tracker, createSerialQueue(unexpected));
      await parts.start(session);
      await settled();
    },
    disconnect,
    restart() {
      disconnect();
      tracker = createTracker(disk.watch<State>(), rules);
    },
    async receive(message) {
      if (session) await parts.receive(session, message);
      await settled();
    },
  };
}

const clock = () => Date.now();

export const bambuAgent = (printer: BambuFirmware): InProcessAgent<Print> =>
  createAgent(bambuRules, {
    open: (tracker, enqueue) =>
      createBambuSession({ tracker, clock, settleMs: SETTLE_MS, enqueue, isUp: () => undefined }),
    start: (session) => session.handle({ ...printer.full() }, undefined),
    receive: (session, print) => session.handle(print, undefined),
  });

export const moonrakerAgent = (host: MoonrakerHost): InProcessAgent<Job> =>
  createAgent(moonrakerRules, {
    open: (tracker, enqueue) => ({
      ...createMoonrakerSession({ tracker, clock, filament: {}, enqueue }),
      close: () => undefined,
    }),
    start: (session) => session.start(createHistory(host), host.offset()),
    receive: async (session, job) => session.onHistory(structuredClone(job)),
  });

/** Moonraker's methods, as agent/src/simulation/printers/moonraker.ts answers them. */
function createHistory(host: MoonrakerHost): History {
  const answer = (method: string, { limit = 50, start = 0, uid }: { limit?: number; start?: number; uid?: string }) => {
    const jobs = structuredClone(host.history()).reverse();
    if (method === 'server.history.list') return { jobs: jobs.slice(start, start + limit) };
    const job = jobs.find(({ job_id }) => job_id === uid);
    if (!job) throw new RpcError(`Invalid job uid: ${uid}`);
    return { job };
  };
  return { call: async <T>(method: string, params: Record<string, unknown>) => answer(method, params) as T };
}

export const octoPrintAgent = (host: OctoPrintHost): InProcessAgent<Message> =>
  createAgent(octoprintRules, {
    open: (tracker, enqueue) =>
      createOctoPrintSession({
        octoPrint: {
          lastPrintOf: async (file) => (file?.origin === 'local' ? host.record(file.path) : null),
        },
        tracker,
        clock,
        settleMs: SETTLE_MS,
        filament: FILAMENT,
        enqueue,
        isUp: () => undefined,
      }),
    start: (session) => session.handle(host.greeting(), clock()),
    receive: (session, message) => session.handle(message, clock()),
  });

/** Its message is a poll. */
export const prusaLinkAgent = (host: PrusaLinkHost): InProcessAgent<'poll'> =>
  createAgent(prusalinkRules, {
    open: (tracker) => {
      const connectedAt = Date.now();
      const link = { status: async () => structuredClone(host.status()), job: async () => structuredClone(host.job()) };
      let lastState = '';
      return {
        async poll() {
          lastState = await poll({ link, tracker, clock, filament: {} }, lastState, connectedAt);
        },
        close: () => undefined,
      };
    },
    start: (session) => session.poll(),
    receive: (session) => session.poll(),
  });
