import { createHash, randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage } from 'node:http';
import type { PrintOutcome } from '../../report.ts';
import { createGate } from './gate.ts';
import { type SimulatedPrinter, toJob } from './simulated-printer.ts';

const USER = 'maker';
const PASSWORD = 'p:"ss\\wörd';
const REALM = 'Printer API';
/** A nonce is valid for this many requests, so that clients must handle a new one. */
const NONCE_USES = 7;
const STATES: Record<PrintOutcome, string> = { finished: 'FINISHED', failed: 'ERROR', cancelled: 'STOPPED' };

const md5 = (text: string) => createHash('md5').update(text).digest('hex');

/** RFC 2617 digest authentication, written without the client's code in `printers/prusalink`. */
function createDigest(qop: boolean) {
  let nonce = randomBytes(8).toString('hex');
  let uses = 0;
  let counted = 0;
  let stale = 0;

  function isAuthorized(req: IncomingMessage): boolean {
    const header = req.headers.authorization ?? '';
    const value = (name: string) => {
      const [, quoted, plain] =
        new RegExp(`(?:^|[ ,])${name}=(?:"((?:[^"\\\\]|\\\\.)*)"|([^,\\s]+))`).exec(header) ?? [];
      return quoted?.replace(/\\(.)/g, '$1') ?? plain;
    };
    if (value('username') !== USER || value('nonce') !== nonce || value('uri') !== req.url) return false;
    uses += 1;
    if (uses > NONCE_USES) return false;
    const a1 = md5(`${USER}:${REALM}:${PASSWORD}`);
    const a2 = md5(`${req.method}:${req.url}`);
    if (!qop) return value('response') === md5(`${a1}:${nonce}:${a2}`);
    const nc = Number.parseInt(value('nc') ?? '', 16);
    if (nc <= counted) return false;
    counted = nc;
    return value('response') === md5(`${a1}:${nonce}:${value('nc')}:${value('cnonce')}:auth:${a2}`);
  }

  /** @returns the WWW-Authenticate header, with a new nonce */
  function renew(): string {
    if (uses > NONCE_USES) stale += 1;
    nonce = randomBytes(8).toString('hex');
    uses = 0;
    counted = 0;
    return `Digest realm="${REALM}", nonce="${nonce}"${qop ? ', qop="auth"' : ''}, stale=false`;
  }

  return { isAuthorized, renew, stale: () => stale };
}

/** What PrusaLink responds with. */
export interface PrusaLinkHost {
  status(): object;
  /** null: there is none */
  job(): object | null;
}

/** PrusaLink's /api/v1 with HTTP digest, from spec/openapi.yaml of Prusa-Link-Web. */
export async function servePrusaLink(host: PrusaLinkHost, { qop = true } = {}) {
  let polls = 0;
  const digest = createDigest(qop);
  const server = createServer((req, res) => {
    if (!digest.isAuthorized(req)) {
      return res.writeHead(401, { 'WWW-Authenticate': digest.renew() }).end('401: Unauthorized');
    }
    const json = (body: unknown) =>
      res.writeHead(200, { 'Content-Type': 'application/json' }).end(JSON.stringify(body));
    if (req.url === '/api/v1/status') {
      polls += 1;
      return json(host.status());
    }
    if (req.url !== '/api/v1/job') return res.writeHead(404).end();
    const job = host.job();
    return job ? json(job) : res.writeHead(204).end();
  });
  // a client on a busy machine may ask less often than every five seconds
  server.keepAliveTimeout = 60_000;
  const gate = await createGate(server);
  return {
    config: { type: 'prusalink', url: `http://127.0.0.1:${gate.port}`, user: USER, password: PASSWORD },
    gate,
    /** The number of status responses so far. */
    polls: () => polls,
    /** The number of used-up nonces. */
    stale: digest.stale,
    clients: () => polls,
    stop: () => gate.down(),
  };
}

/** PrusaLink with a printer that is told what to do. */
export async function startPrusaLink(options: { qop?: boolean } = {}) {
  let state = 'IDLE';
  let job: {
    id: number;
    file: string;
    grams: number;
    progress: number;
    startedAt: number;
    timeRemaining: number;
  } | null = null;
  let lastId = 40;
  const timing = () =>
    job && {
      id: job.id,
      progress: job.progress,
      time_remaining: job.timeRemaining,
      time_printing: Math.round((Date.now() - job.startedAt) / 1000),
    };
  const host = await servePrusaLink(
    {
      status: () => ({ ...(job ? { job: timing() } : {}), printer: { state, temp_nozzle: 214.9, axis_z: 0.5 } }),
      job: () =>
        job && {
          ...timing(),
          state,
          file: {
            name: 'PART~1.GCO',
            display_name: job.file,
            path: '/local',
            m_timestamp: 1648042843,
            meta: { 'filament used [g]': job.grams, filament_type: 'PLA' },
          },
        },
    },
    options,
  );

  return {
    ...host,
    start(given: Parameters<SimulatedPrinter['start']>[0]) {
      const { filename, grams = 15.42 } = toJob(given);
      lastId += 1;
      job = { id: lastId, file: filename, grams, progress: 10, startedAt: Date.now(), timeRemaining: 3600 };
      state = 'PRINTING';
    },
    progress(share: number) {
      if (job) job.progress = share * 100;
    },
    end(outcome: PrintOutcome) {
      if (!job) throw new Error('nothing prints');
      if (outcome === 'finished') job.progress = 100;
      state = STATES[outcome];
    },
    /** The end is confirmed on the display. */
    clear() {
      state = 'IDLE';
      job = null;
    },
    setState(text: string) {
      state = text;
    },
    setRemaining(seconds: number) {
      if (job) job.timeRemaining = seconds;
    },
  } satisfies SimulatedPrinter & Record<string, unknown>;
}
