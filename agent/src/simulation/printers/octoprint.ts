import { createServer, type IncomingMessage, type Server } from 'node:http';
import { type WebSocket, WebSocketServer } from 'ws';
import type { PrintOutcome } from '../../report.ts';
import { createGate } from './gate.ts';
import { type SimulatedPrinter, toJob } from './simulated-printer.ts';

const API_KEY = 'C0FFEE0123456789';
const SESSION = 'LGZ0trf8By';
const DENSITY = 1.24;
/** g of a millimeter of filament */
const GRAMS_PER_MM = ((Math.PI / 4) * 1.75 ** 2 * DENSITY) / 1000;

interface LastPrint {
  /** when it ended, ms */
  at: number;
  success: boolean;
  /** s */
  printTime?: number;
}

interface State {
  records: Map<string, LastPrint>;
  printing: { path: string; startedAt: number } | null;
  selected: string | null;
  completion: number | null;
  /** mm of filament in the selected file */
  length: number;
}

interface Reply {
  status: number;
  body: unknown;
}

function logIn(body: string): Reply {
  const { passive } = JSON.parse(body) as { passive?: boolean };
  if (!passive) return { status: 400, body: { error: 'Either user and pass or passive need to be set' } };
  return { status: 200, body: { name: 'farm', active: true, admin: false, user: true, session: SESSION } };
}

/** What is shown of OctoPrint. */
export interface OctoPrintHost {
  /** what `current` and `history` contain */
  state(): object;
  /** null: never printed; undefined: unknown file */
  lastPrintOf(path: string): LastPrint | null | undefined;
}

function readFile(url: string, host: OctoPrintHost): Reply {
  const [, path] = /^\/api\/files\/local\/(.+)$/.exec(url) ?? [];
  const name = path?.split('/').map(decodeURIComponent).join('/');
  const last = name === undefined ? undefined : host.lastPrintOf(name);
  if (last === undefined) return { status: 404, body: { error: 'Not found' } };
  const prints = last && {
    success: last.success ? 1 : 0,
    failure: last.success ? 0 : 1,
    last: { date: last.at / 1000, success: last.success, printTime: last.printTime },
  };
  return {
    status: 200,
    body: { name, path: name, origin: 'local', type: 'machinecode', ...(prints ? { prints } : {}) },
  };
}

function answer({ method, url = '', headers }: IncomingMessage, body: string, host: OctoPrintHost): Reply {
  if (headers['x-api-key'] !== API_KEY) return { status: 403, body: { error: 'You do not have the permission' } };
  if (url === '/api/version') {
    return { status: 200, body: { api: '0.1', server: '1.11.3', text: 'OctoPrint 1.11.3' } };
  }
  return method === 'POST' && url === '/api/login' ? logIn(body) : readFile(url, host);
}

/** What `current` and `history` contain. */
const describeState = ({ printing, selected, completion, length }: State) => ({
  state: {
    text: printing ? 'Printing' : 'Operational',
    flags: {
      operational: true,
      printing: printing !== null,
      paused: false,
      pausing: false,
      resuming: false,
      cancelling: false,
      finishing: false,
      error: false,
      ready: printing === null,
      closedOrError: false,
    },
  },
  job: {
    file: {
      name: selected,
      path: selected,
      origin: selected === null ? null : 'local',
      size: 1234,
      date: 1700000000,
    },
    filament: { tool0: { length, volume: 9.62 } },
  },
  progress: {
    completion,
    printTime: printing ? (Date.now() - printing.startedAt) / 1000 : null,
    printTimeLeft: null,
  },
  currentZ: null,
  serverTime: Date.now() / 1000,
});

/** Pushes to the sockets that have authenticated. */
function acceptSockets(server: Server, host: OctoPrintHost): Set<WebSocket> {
  const sockets = new Set<WebSocket>();
  const upgrades = new WebSocketServer({ server, path: '/sockjs/websocket' });
  upgrades.on('connection', (socket) => {
    socket.on('error', () => undefined);
    socket.on('close', () => sockets.delete(socket));
    socket.send(JSON.stringify({ connected: { version: '1.11.3', display_version: '1.11.3', plugin_hash: 'x' } }));
    socket.on('message', (data) => {
      const { auth } = JSON.parse(String(data)) as { auth?: string };
      if (auth !== `farm:${SESSION}`) return;
      socket.send(JSON.stringify({ history: { ...host.state(), temps: [], logs: [], messages: [] } }));
      sockets.add(socket);
    });
  });
  return sockets;
}

/**
 * OctoPrint's login, its push socket on the raw SockJS endpoint and its record of each file, from docs/api/push.rst,
 * general.rst, datamodel.rst and docs/events of OctoPrint.
 */
export async function serveOctoPrint(host: OctoPrintHost) {
  const server = createServer((req, res) => {
    const chunks: Buffer[] = [];
    req.on('data', (chunk: Buffer) => chunks.push(chunk));
    req.on('end', () => {
      const { status, body } = answer(req, Buffer.concat(chunks).toString(), host);
      res.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body));
    });
  });
  const sockets = acceptSockets(server, host);
  const gate = await createGate(server);
  return {
    config: { type: 'octoprint', url: `http://127.0.0.1:${gate.port}`, api_key: API_KEY, filament_density: DENSITY },
    gate,
    broadcast(message: unknown): void {
      for (const socket of sockets) socket.send(JSON.stringify(message));
    },
    clients: () => sockets.size,
    stop: () => gate.down(),
  };
}

/**
 * OctoPrint with a printer that is told what to do.
 * @param tickMs how often it pushes its state
 */
export async function startOctoPrint({ tickMs = 50 } = {}) {
  const state: State = { records: new Map(), printing: null, selected: null, completion: null, length: 4000 };
  const host = await serveOctoPrint({
    state: () => describeState(state),
    lastPrintOf: (path) => state.records.get(path) ?? (path === state.selected ? null : undefined),
  });
  const { broadcast } = host;
  const event = (type: string, more: Record<string, unknown> = {}, path = state.selected) =>
    broadcast({ event: { type, payload: { name: path, path, origin: 'local', size: 1234, owner: 'farm', ...more } } });
  const tick = () => broadcast({ current: describeState(state) });
  const ticking = setInterval(tick, tickMs);

  function record(success: boolean): void {
    if (!state.printing) throw new Error('nothing prints');
    const { path, startedAt } = state.printing;
    const now = Date.now();
    state.records.set(path, { at: now, success, printTime: (now - startedAt) / 1000 });
    state.completion = success ? 100 : state.completion || 40;
    state.printing = null;
  }

  return {
    ...host,
    // the record of a file has only success and failure
    unseen: { cancelled: 'failed' as const },
    event,
    /** How OctoPrint's own record states the end. */
    record,
    start(job: Parameters<SimulatedPrinter['start']>[0]) {
      const { filename, grams } = toJob(job);
      state.length = grams === undefined ? 4000 : grams / GRAMS_PER_MM;
      state.selected = filename;
      state.completion = 0;
      state.printing = { path: filename, startedAt: Date.now() };
      event('PrintStarted', { user: 'farm' });
    },
    progress(share: number) {
      state.completion = share * 100;
      tick();
    },
    end(outcome: PrintOutcome) {
      record(outcome === 'finished');
      const time = 3600.5;
      if (outcome === 'finished') event('PrintDone', { time });
      else if (outcome === 'failed') event('PrintFailed', { time, reason: 'error' });
      else {
        event('PrintCancelled', { time, user: 'farm' });
        event('PrintFailed', { time, reason: 'cancelled' });
      }
    },
    /** As when OctoPrint itself was killed: nothing prints any more, and nothing is recorded. */
    forget() {
      state.printing = null;
      state.completion = null;
    },
    async stop() {
      clearInterval(ticking);
      await host.stop();
    },
  } satisfies SimulatedPrinter & Record<string, unknown>;
}
