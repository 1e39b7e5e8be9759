import type { Clock } from '../../common/src/clock.ts';
import type { Logger } from '../../common/src/logger.ts';
import { version } from '../../common/src/version.ts';
import { explain } from './backoff.ts';
import type { AgentConfig } from './config.ts';
import { openJournal } from './journal/journal.ts';
import { lockFolder } from './journal/lock.ts';
import { createOutbox } from './journal/outbox.ts';
import type { PrinterSettings } from './printers/settings.ts';
import type { Watch } from './printers/watcher.ts';
import { digestOf, toReport } from './report.ts';
import { createReportClient, type ReportClient } from './report-client.ts';
import { createSendClock } from './send-clock.ts';
import { createServerClock, describeSkew, type ServerClock } from './server-clock.ts';

function createClient(
  { server, timing }: AgentConfig,
  token: string,
  clock: Clock,
  serverClock: ServerClock,
): ReportClient {
  return createReportClient({
    server,
    token,
    timeoutMs: timing.timeoutMs,
    clock,
    serverClock,
    userAgent: `farmboard-agent/${version}`,
  });
}

/**
 * Watches every configured printer and reports ended prints until it is stopped.
 * @returns a function that stops it and resolves when all work has ended and the folder is unlocked
 * @throws FolderInUseError, or Error if the state folder is unusable
 */
export async function startAgent(deps: {
  config: AgentConfig;
  log: Logger;
  clock: Clock;
  /** another process has taken over the state folder; this process must exit */
  onLost: () => void;
}): Promise<() => Promise<void>> {
  const { config, log, clock, onLost } = deps;
  const { timing } = config;
  const unlock = await lockFolder(config.state, onLost);
  const journal = await openJournal(config.state, log).catch(async (error) => {
    await unlock();
    throw error;
  });
  const stopped = new AbortController();
  const { signal } = stopped;
  const sendClock = createSendClock(clock);
  const serverClock = createServerClock(clock, (message) => log.warn(message));
  const outbox = createOutbox({ journal, sendClock, log, timing, signal });
  const watching: Promise<void>[] = [];

  for (const { printer, protocol, token } of config.printers) {
    const at = protocol.address(printer);
    // short enough for an event_id, and different for another printer with the same name
    const prefix = `${printer.type}:${digestOf(`${printer.name}\n${at}`)}`;
    type Stored = { at: string; known: unknown };
    const stateOf = () => {
      const stored = journal.stateOf(printer.name) as Stored | undefined;
      return stored?.at === at ? stored.known : undefined;
    };
    const watch: Watch<unknown> = {
      name: printer.name,
      state: stateOf,
      async record(known, ended = []) {
        const now = sendClock.now();
        const reports = ended.map((one) => toReport(prefix, printer.printer_id, one, now.clock));
        const fresh = await journal.record(printer.name, { at, known } satisfies Stored, reports);
        const ids = fresh.map((report) => report.event_id);
        sendClock.recorded(ids, now);
        for (const { filename, outcome } of fresh) log.info(`${printer.name}: ${filename} ${outcome}`);
        if (fresh.length > 0) outbox.wake(printer.name);
      },
      log,
      clock,
      timing,
      signal,
    };
    outbox.open(printer.name, createClient(config, token, clock, serverClock));
    watching.push(
      protocol.watch(printer, watch).catch((error) => {
        // a bug in one watcher must not stop the others
        log.fatal({ err: error }, `${printer.name}: stopped watching because of an internal error; restart the agent`);
      }),
    );
  }
  const names = new Set(config.printers.map(({ printer }) => printer.name));
  for (const removed of journal.printersWithQueue().filter((name) => !names.has(name))) {
    log.warn(`${removed}: has unsent reports but is no longer in the config; add it again to send them`);
  }
  const queued = journal.countQueued();
  log.info(
    `watching ${plural(config.printers.length, 'printer')} for ${config.server}; ${plural(queued, 'report')} queued`,
  );

  return async () => {
    stopped.abort();
    await Promise.allSettled(watching);
    await outbox.closed();
    await journal.close();
    await unlock();
  };
}

const plural = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`;

export interface Check {
  ok: boolean;
  line: string;
}

/** Characters; a printer or the server may choose a part of it. */
const MAX_LINE = 2_000;

/**
 * Connects to the server with every token and to every printer once. @returns a line for each, with the fix for
 * failures
 */
export async function checkAgent(config: AgentConfig, clock: Clock): Promise<Check[]> {
  const checks: Check[] = [];
  const tokens = new Map<string, PrinterSettings[]>();
  for (const { printer, token } of config.printers) tokens.set(token, [...(tokens.get(token) ?? []), printer]);
  for (const [token, printers] of tokens) {
    try {
      const serverClock = createServerClock(clock, () => undefined);
      const me = await createClient(config, token, clock, serverClock).me();
      const agent = `agent "${me.name}", ${plural(me.printers.length, 'printer')}`;
      const skew = describeSkew(clock() - Date.parse(me.server_time));
      checks.push({
        ok: true,
        line: `server ${config.server}: connected as ${agent}. ${skew}`.trimEnd().replace(/\.$/, ''),
      });
      for (const { name, printer_id } of printers) {
        if (printer_id !== undefined && me.printers.every(({ id }) => id !== printer_id)) {
          const line = `printer ${name}: printer_id ${printer_id} doesn't belong to agent "${me.name}", which has (${me.printers.map((one) => `${one.name} ${one.id}`).join(', ')})`;
          checks.push({ ok: false, line });
        }
        if (printer_id === undefined && me.printers.length !== 1) {
          const line = `printer ${name}: printer_id is required because agent "${me.name}" has ${plural(me.printers.length, 'printer')} (${me.printers.map((one) => `${one.name} ${one.id}`).join(', ')})`;
          checks.push({ ok: false, line });
        }
      }
    } catch (error) {
      checks.push({ ok: false, line: `server ${config.server}: ${explain(error)}` });
    }
  }
  const { signal } = new AbortController();
  const probes = config.printers.map(async ({ printer, protocol }): Promise<Check> => {
    try {
      const line = await protocol.probe(printer, { timing: config.timing, signal });
      return { ok: true, line: `printer ${printer.name}: ${line}` };
    } catch (error) {
      return { ok: false, line: `printer ${printer.name}: ${explain(error)}` };
    }
  });
  return [...checks, ...(await Promise.all(probes))].map(({ ok, line }) => ({ ok, line: line.slice(0, MAX_LINE) }));
}
