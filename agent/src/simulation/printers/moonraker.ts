import { createServer } from 'node:http';
import { type WebSocket, WebSocketServer } from 'ws';
import type { Job } from '../../printers/moonraker/moonraker-state.ts';
import type { PrintOutcome } from '../../report.ts';
import { createGate } from './gate.ts';
import { type SimulatedPrinter, toJob } from './simulated-printer.ts';

const STATUS: Record<PrintOutcome, string> = { finished: 'completed', failed: 'error', cancelled: 'cancelled' };
const API_KEY = '7f7b3d0c';
/** mm of filament in a file. */
const LENGTH = 10_000;

type Params = Record<string, unknown>;

type Methods = Record<string, (params: Params, socket: WebSocket) => unknown>;

const createMethods = (history: () => Job[], identified: Set<WebSocket>): Methods => ({
  'server.connection.identify'(params, socket) {
    for (const name of ['client_name', 'version', 'type', 'url']) {
      if (typeof params[name] !== 'string') throw { code: -32602, message: `No data for argument: ${name}` };
    }
    if (params.api_key !== API_KEY) throw { code: -32602, message: 'Unauthorized' };
    identified.add(socket);
    socket.once('close', () => identified.delete(socket));
    return { connection_id: 1 };
  },
  'server.info': () => ({ moonraker_version: 'v0.9.3-0-g000000', klippy_state: 'ready', klippy_connected: true }),
  'server.history.list'(params) {
    const { limit = 50, start = 0, order = 'desc' } = params as { limit?: number; start?: number; order?: string };
    const since = (params.since as number | undefined) ?? -1;
    const found = history().filter((job) => since === -1 || job.start_time > since);
    found.sort((a, b) => Number.parseInt(a.job_id, 16) - Number.parseInt(b.job_id, 16));
    if (order === 'desc') found.reverse();
    const jobs = found.slice(start, start + limit);
    return { count: jobs.length, jobs };
  },
  'server.history.get_job'({ uid }) {
    const job = history().find(({ job_id }) => job_id === uid);
    if (!job) throw { code: 404, message: `Invalid job uid: ${uid}` };
    return { job };
  },
});

function serve(socket: WebSocket, methods: Methods, identified: Set<WebSocket>): void {
  socket.on('error', () => undefined);
  socket.on('message', (data) => {
    const { id, method, params } = JSON.parse(String(data)) as { id: number; method: string; params?: Params };
    const isAllowed = method === 'server.connection.identify' || identified.has(socket);
    try {
      if (!isAllowed) throw { code: -32602, message: 'Unauthorized' };
      const run = methods[method];
      if (!run) throw { code: -32601, message: 'Method not found' };
      socket.send(JSON.stringify({ jsonrpc: '2.0', result: run(params ?? {}, socket), id }));
    } catch (error) {
      socket.send(JSON.stringify({ jsonrpc: '2.0', error, id }));
    }
  });
}

/** Moonraker's websocket with its `history` component, from docs/external_api and components/history.py of Moonraker. */
export async function serveMoonraker(history: () => Job[]) {
  const server = createServer((_req, res) => res.writeHead(404).end());
  const sockets = new WebSocketServer({ server, path: '/websocket' });
  const identified = new Set<WebSocket>();
  const methods = createMethods(history, identified);
  sockets.on('connection', (socket) => serve(socket, methods, identified));
  const gate = await createGate(server);
  const broadcast = (method: string, ...params: unknown[]) => {
    const text = JSON.stringify({ jsonrpc: '2.0', method, params });
    for (const socket of identified) socket.send(text);
  };
  return {
    config: { type: 'moonraker', url: `http://127.0.0.1:${gate.port}`, api_key: API_KEY },
    gate,
    broadcast,
    notify: (action: 'added' | 'finished', job: Job): void => broadcast('notify_history_changed', { action, job }),
    clients: () => identified.size,
    stop: () => gate.down(),
  };
}

/** Moonraker with a printer that is told what to do. */
export async function startMoonraker({ clock = Date.now } = {}) {
  const history: Job[] = [];
  let lastId = 0;
  let current: Job | null = null;
  /** of the current print */
  let share: number | undefined;
  const host = await serveMoonraker(() => history);
  const { notify } = host;

  /** Ends the print with a status of the history; `interrupted` has no end, as when Moonraker itself was killed. */
  function endAs(status: string): void {
    if (!current) throw new Error('nothing prints');
    current.status = status;
    current.total_duration = 3600;
    current.filament_used = status === 'completed' ? LENGTH : LENGTH * (share ?? 0.25);
    if (status !== 'interrupted') {
      current.end_time = clock() / 1000;
      notify('finished', { ...current });
    }
    current = null;
  }

  return {
    ...host,
    history,
    start(job: Parameters<SimulatedPrinter['start']>[0]) {
      const { filename, grams = 30 } = toJob(job);
      lastId += 1;
      share = undefined;
      current = {
        job_id: lastId.toString(16).toUpperCase().padStart(6, '0'),
        filename,
        status: 'in_progress',
        start_time: clock() / 1000,
        end_time: null,
        total_duration: 0,
        filament_used: 0,
        metadata: { filament_weight_total: grams, filament_total: LENGTH },
      };
      history.push(current);
      notify('added', { ...current });
    },
    progress(done: number) {
      share = done;
      if (current) current.filament_used = LENGTH * done;
    },
    end(outcome: PrintOutcome) {
      endAs(STATUS[outcome]);
    },
    endAs,
    /** `DELETE /server/history/job?all=true`: numbers start again at 1. */
    empty() {
      history.length = 0;
      lastId = 0;
    },
  } satisfies SimulatedPrinter & Record<string, unknown>;
}
