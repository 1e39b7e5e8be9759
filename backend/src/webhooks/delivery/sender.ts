import type { Socket } from 'node:net';
import { buildConnector, Client, type Dispatcher } from 'undici';
import type { AttemptError, AttemptOutcome } from './attempt.ts';
import { BlockedAddressError, type Guard, type TargetGuard, UnresolvedHostError } from './guard.ts';

const CONNECTIONS_PER_ORIGIN = 4;
/** A receiver may silently close a socket that is idle for longer, and a POST lost on it cannot be sent again. */
const MAX_IDLE_MS = 500;
const MAX_ANSWER_BYTES = 64 * 1024;
/** How many origins keep their TLS sessions for resumption. */
const MAX_ORIGINS = 1_000;

export interface OutgoingRequest {
  url: string;
  headers: Record<string, string>;
  body: string;
}

export interface ConnectionPool {
  /**
   * Sends one POST at most once. Never rejects: every failure becomes an outcome.
   * @param mayBegin called right before the first byte; if it returns false, nothing is sent and the outcome is
   * `interrupted`
   */
  send(request: OutgoingRequest, mayBegin?: () => boolean): Promise<AttemptOutcome>;
  /** Waits for requests in flight (each has a deadline), then closes every connection. */
  close(): Promise<void>;
}

export interface Sender {
  /** Opens the connection pool of one drain. Pools share no connections. */
  openPool(): ConnectionPool;
}

/** One connection with at most one request, so no request waits behind another on a socket. */
interface Slot {
  client: Client;
  /** the socket being connected or in use: undici does not abort one that is still connecting */
  socket: Socket | null;
  phase: 'idle' | 'connecting' | 'securing' | 'open';
  idleSince: number;
}

interface Origin {
  idle: Slot[];
  open: number;
  waiting: ((slot: Slot) => void)[];
  create: () => Slot;
}

/** undici's connector returns its socket, which its types omit. */
type Connect = (
  options: buildConnector.Options,
  callback: (error: Error | null, socket: Socket | null) => void,
) => Socket;

/**
 * Sends every outgoing webhook request. Built on undici's `Client` instead of `Pool`: a pool drops a client whose
 * connection failed but goes on using it, and neither limits nor closes the connections it then opens.
 */
export function createSender({ guard, timeoutMs = 10_000 }: { guard: Guard; timeoutMs?: number }): Sender {
  const connectors = new Map<string, Connect>();

  /** One connector per origin for the lifetime of the sender, because it holds the TLS sessions; evicts the oldest. */
  function connectorOf(origin: string, target: TargetGuard): Connect {
    const known = connectors.get(origin);
    if (known) return known;
    const connect = buildConnector({
      lookup: target.lookup,
      allowH2: false,
      timeout: 0, // the attempt's own deadline destroys the socket
    } as buildConnector.BuildOptions) as Connect;
    const [oldest] = connectors.keys();
    if (connectors.size >= MAX_ORIGINS && oldest !== undefined) connectors.delete(oldest);
    connectors.set(origin, connect);
    return connect;
  }

  function createSlot(url: URL, target: TargetGuard): Slot {
    const connect = connectorOf(url.origin, target);
    const slot: Slot = { client: null as unknown as Client, socket: null, phase: 'idle', idleSince: 0 };
    const guarded: buildConnector.connector = (options, callback) => {
      let refusal: Error | null = null;
      slot.phase = 'connecting';
      const socket = connect(options, (error, connected) => {
        if (refusal || error) return callback(refusal ?? error ?? new Error('Connector returned no socket'), null);
        slot.phase = 'open';
        callback(null, connected as Socket);
      });
      slot.socket = socket;
      // runs before the TLS layer's own listener, so a forbidden address does not even get a handshake
      socket.prependOnceListener('connect', () => {
        slot.phase = 'securing';
        try {
          target.checkAddress(socket.remoteAddress ?? '');
        } catch (error) {
          refusal = error as Error;
          socket.destroy(refusal);
        }
      });
    };
    slot.client = new Client(url.origin, {
      connect: guarded,
      pipelining: 1,
      allowH2: false,
      keepAliveTimeout: MAX_IDLE_MS,
      keepAliveMaxTimeout: MAX_IDLE_MS,
      // both apply to parts of the response; our deadline covers the whole attempt
      headersTimeout: 0,
      bodyTimeout: 0,
    });
    return slot;
  }

  return {
    openPool() {
      const origins = new Map<string, Origin>();
      const targets = new Map<string, { origin: Origin; path: string; target: TargetGuard }>();
      let running = 0;
      let closing: Promise<void> | null = null;
      let allEnded: (() => void) | null = null;

      function targetOf(text: string) {
        const known = targets.get(text);
        if (known) return known;
        const url = new URL(text);
        const target = guard.forTarget(url);
        let origin = origins.get(url.origin);
        if (!origin) {
          origin = { idle: [], open: 0, waiting: [], create: () => createSlot(url, target) };
          origins.set(url.origin, origin);
        }
        const found = { origin, path: url.pathname + url.search, target };
        targets.set(text, found);
        return found;
      }

      function acquire(origin: Origin): Slot | null {
        for (let slot = origin.idle.pop(); slot; slot = origin.idle.pop()) {
          // undici's own idle timer fires late after an event loop stall
          if (performance.now() - slot.idleSince < MAX_IDLE_MS) return slot;
          drop(origin, slot);
        }
        if (origin.open >= CONNECTIONS_PER_ORIGIN) return null;
        origin.open += 1;
        return origin.create();
      }

      function drop(origin: Origin, slot: Slot): void {
        origin.open -= 1;
        slot.client.destroy(() => {});
        slot.socket?.destroy();
      }

      function release(origin: Origin, slot: Slot, reusable: boolean): void {
        if (!reusable) drop(origin, slot);
        const next = origin.waiting.shift();
        if (!next) {
          if (!reusable) return;
          slot.idleSince = performance.now();
          origin.idle.push(slot);
        } else if (reusable) next(slot);
        else {
          origin.open += 1;
          next(origin.create());
        }
      }

      function attempt(
        request: OutgoingRequest,
        mayBegin: () => boolean,
        resolve: (outcome: AttemptOutcome) => void,
      ): void {
        const startedAt = performance.now();
        let responseStatus: number | null = null;
        let ended = false;
        let slot: Slot | null = null;
        let origin: Origin | null = null;
        running += 1;

        function end(error: AttemptError | null, reusable: boolean): void {
          if (ended) return;
          ended = true;
          clearTimeout(deadline);
          if (origin && slot) release(origin, slot, reusable);
          else if (origin) origin.waiting = origin.waiting.filter((waiting) => waiting !== begin);
          running -= 1;
          resolve({
            status: error === null ? 'succeeded' : 'failed',
            responseStatus,
            error,
            durationMs: Math.round(performance.now() - startedAt),
          });
          if (running === 0) allEnded?.();
        }

        const deadline = setTimeout(() => end('timeout', false), timeoutMs);

        let path = '/';
        function begin(given: Slot): void {
          slot = given;
          let received = 0;
          let written = false;
          const handler: Dispatcher.DispatchHandler = {
            onRequestStart(controller) {
              // undici calls this before it writes; a second call would be a second POST
              if (written || ended) controller.abort(new Error('A request must be written only once'));
              else if (!mayBegin()) controller.abort(new ClaimExpiredError());
              written = true;
            },
            onResponseStart(_controller, status) {
              if (status >= 200) responseStatus = status;
            },
            onResponseData(_controller, chunk) {
              received += chunk.length;
              if (received > MAX_ANSWER_BYTES) end(errorOfStatus(responseStatus), false);
            },
            onResponseEnd: () => end(errorOfStatus(responseStatus), true),
            onResponseError: (_controller, error) => end(errorOf(error, given), false),
          };
          given.client.dispatch({ method: 'POST', path, headers: request.headers, body: request.body }, handler);
        }

        try {
          const found = targetOf(request.url);
          // before a client is created: this also refuses schemes other than http and https
          found.target.checkLiteral();
          path = found.path;
          origin = found.origin;
          const free = acquire(origin);
          if (free) begin(free);
          else origin.waiting.push(begin);
        } catch (error) {
          end(errorOf(error, null), false);
        }
      }

      return {
        send: (request, mayBegin = () => true) =>
          new Promise((resolve) => {
            if (!closing) return attempt(request, mayBegin, resolve);
            resolve({ status: 'failed', responseStatus: null, error: 'network_error', durationMs: 0 });
          }),
        close() {
          closing ??= (async () => {
            if (running > 0) {
              await new Promise<void>((resolve) => {
                allEnded = resolve;
              });
            }
            const idle = [...origins.values()].flatMap((origin) => origin.idle.splice(0));
            await Promise.all(idle.map((slot) => slot.client.destroy()));
          })();
          return closing;
        },
      };
    },
  };
}

function errorOfStatus(status: number | null): AttemptError | null {
  if (status === null) return 'invalid_response';
  if (status >= 200 && status < 300) return null;
  return status >= 300 && status < 400 ? 'redirect' : 'http_status';
}

const BY_CODE: Record<string, AttemptError> = {
  ECONNREFUSED: 'connection_refused',
  ECONNRESET: 'connection_reset',
  EPIPE: 'connection_reset',
  UND_ERR_SOCKET: 'connection_reset',
  ETIMEDOUT: 'timeout',
  ERR_SOCKET_CONNECTION_TIMEOUT: 'timeout',
  UND_ERR_HEADERS_OVERFLOW: 'invalid_response',
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: 'invalid_response',
};

/**
 * The process was suspended between its claim and its request; another worker may have marked the delivery as
 * interrupted.
 */
class ClaimExpiredError extends Error {}

function errorOf(error: unknown, slot: Slot | null): AttemptError {
  if (error instanceof ClaimExpiredError) return 'interrupted';
  if (error instanceof BlockedAddressError) return 'blocked_address';
  if (error instanceof UnresolvedHostError) return 'dns_error';
  const { code = '', name, message } = error as NodeJS.ErrnoException;
  if (slot?.phase === 'securing') return 'tls_error';
  if (name === 'HTTPParserError' || code.startsWith('HPE_')) return 'invalid_response';
  // undici's messages for an unexpected response: an upgrade, or 100 Continue
  if (message === 'bad response' || message === 'bad upgrade') return 'invalid_response';
  return BY_CODE[code] ?? 'network_error';
}
