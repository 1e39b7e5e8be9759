import { createServer } from 'node:http';
import { type WebSocket, WebSocketServer } from 'ws';
import type { PrintOutcome } from '../../agent/src/report.ts';
import { createGate } from './gate.ts';
import { freePort } from './ports.ts';

const API_KEY = 'C0FFEE0123456789';
const SESSION = 'LGZ0trf8By';
const TICK_MS = 50;

interface LastPrint {
  date: number;
  success: boolean;
  printTime: number;
}

/**
 * OctoPrint's login, its push socket on the raw SockJS endpoint and its record of each file, from docs/api/push.rst,
 * general.rst, datamodel.rst and docs/events of OctoPrint.
 */
export async function startOctoPrint() {
  const sockets = new Set<WebSocket>();
  const records = new Map<string, LastPrint>();
  let printing: { path: string; startedAt: number } | null = null;
  let selected: string | null = null;
  let completion: number | null = null;

  const server = createServer((req, res) => {
    const json = (status: number, body: unknown) =>
      res.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body));
    const chunks: Buffer[] = [];
    req.on('data', (chunk: Buffer) => chunks.push(chunk));
    req.on('end', () => {
      if (req.headers['x-api-key'] !== API_KEY) return json(403, { error: 'You do not have the permission' });
      if (req.url === '/api/version') return json(200, { api: '0.1', server: '1.11.3', text: 'OctoPrint 1.11.3' });
      if (req.method === 'POST' && req.url === '/api/login') {
        const { passive } = JSON.parse(Buffer.concat(chunks).toString()) as { passive?: boolean };
        if (!passive) return json(400, { error: 'Either user and pass or passive need to be set' });
        return json(200, { name: 'farm', active: true, admin: false, user: true, session: SESSION });
      }
      const [, path] = /^\/api\/files\/local\/(.+)$/.exec(req.url ?? '') ?? [];
      const name = path?.split('/').map(decodeURIComponent).join('/');
      if (!name || (name !== selected && !records.has(name))) return json(404, { error: 'Not found' });
      const last = records.get(name);
      return json(200, {
        name,
        path: name,
        origin: 'local',
        type: 'machinecode',
        ...(last ? { prints: { success: last.success ? 1 : 0, failure: last.success ? 0 : 1, last } } : {}),
      });
    });
  });

  /** What `current` and `history` contain. */
  const state = () => ({
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
      filament: { tool0: { length: 4000, volume: 9.62 } },
    },
    progress: {
      completion,
      printTime: printing ? (Date.now() - printing.startedAt) / 1000 : null,
      printTimeLeft: null,
    },
    currentZ: null,
    serverTime: Date.now() / 1000,
  });

  const broadcast = (message: unknown) => {
    for (const socket of sockets) socket.send(JSON.stringify(message));
  };
  const event = (type: string, more: Record<string, unknown> = {}, path = selected) =>
    broadcast({ event: { type, payload: { name: path, path, origin: 'local', size: 1234, owner: 'farm', ...more } } });

  const upgrades = new WebSocketServer({ server, path: '/sockjs/websocket' });
  upgrades.on('connection', (socket) => {
    socket.on('error', () => undefined);
    socket.on('close', () => sockets.delete(socket));
    socket.send(JSON.stringify({ connected: { version: '1.11.3', display_version: '1.11.3', plugin_hash: 'x' } }));
    socket.on('message', (data) => {
      const { auth } = JSON.parse(String(data)) as { auth?: string };
      if (auth !== `farm:${SESSION}`) return;
      socket.send(JSON.stringify({ history: { ...state(), temps: [], logs: [], messages: [] } }));
      sockets.add(socket);
    });
  });
  const ticking = setInterval(() => broadcast({ current: state() }), TICK_MS);
  const gate = await createGate(server, await freePort());

  function record(success: boolean): void {
    if (!printing) throw new Error('nothing prints');
    const now = Date.now();
    records.set(printing.path, { date: now / 1000, success, printTime: (now - printing.startedAt) / 1000 });
    completion = success ? 100 : 40;
    printing = null;
  }

  return {
    config: { type: 'octoprint', url: `http://127.0.0.1:${gate.port}`, api_key: API_KEY, filament_density: 1.24 },
    gate,
    // the record of a file has only success and failure
    unseen: { cancelled: 'failed' as const },
    event,
    broadcast,
    /** How OctoPrint's own record states the end. */
    record,
    start(filename: string) {
      selected = filename;
      completion = 0;
      printing = { path: filename, startedAt: Date.now() };
      event('PrintStarted', { user: 'farm' });
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
      printing = null;
      completion = null;
    },
    clients: () => sockets.size,
    async stop() {
      clearInterval(ticking);
      await gate.down();
    },
  };
}
