import type { Socket } from 'node:net';
import type { Dispatcher } from 'undici';
// its index also loads fetch, WebSocket and caches, which takes a tenth of the time until the service listens
import buildConnector from 'undici/lib/core/connect.js';
import Client from 'undici/lib/dispatcher/client.js';
import { lookupTable } from '../../../../common/src/lookup-table.ts';
import type { AttemptError, AttemptOutcome } from './attempt.ts';
import { BlockedAddressError, type Guard, type TargetGuard, UnresolvedHostError } from './guard.ts';

const CONNECTIONS_PER_ORIGIN = 4;
/** A receiver may silently close a socket that is idle for longer, and a POST lost on it cannot be sent again. */
const MAX_IDLE_MS = 500;
const MAX_ANSWER_BYTES = 64 * 1024;
/** With headers and what is between the pieces of the body. Reading on until the deadline would keep this process busy. */
const MAX_RECEIVED_BYTES = 2 * MAX_ANSWER_BYTES;
/** How many bytes of a response undici parses at once. */
const PIECE_BYTES = 2 * 1024;
/** Reading them as fast as they arrive would keep this process busy until the deadline. */
const MAX_INFORMATIONAL_RESPONSES = 100;
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
  /** bytes of the response to the request in progress */
  received: number;
  idleSince: number;
}

/** The connections of one pool to one origin. */
interface Origin {
  idle: Slot[];
  open: number;
  waiting: Attempt[];
  create: () => Slot;
}

interface Target {
  origin: Origin;
  path: string;
  guard: TargetGuard;
}

/** The state of a connection pool. */
interface Pool {
  /** @throws Error if the URL cannot be parsed */
  targetOf(url: string): Target;
  origins: Map<string, Origin>;
  running: Set<Promise<AttemptOutcome>>;
  closing: Promise<void> | undefined;
}

/** One request; ends once. */
interface Attempt {
  readonly request: OutgoingRequest;
  readonly mayBegin: () => boolean;
  /** null until the URL is accepted */
  target: Target | null;
  /** null while it waits for a connection */
  slot: Slot | null;
  responseStatus: number | null;
  hasEnded: boolean;
  /** resolves the caller's promise */
  report(failure: AttemptError | null): void;
}

/** undici's connector returns its socket, which its types omit. */
type Connect = (
  options: buildConnector.Options,
  callback: (error: Error | null, socket: Socket | null) => void,
) => Socket;

/** Opens a connection slot to the origin of a URL. */
type OpenSlot = (url: URL, target: TargetGuard) => Slot;

/**
 * Sends every outgoing webhook request. Built on undici's `Client` instead of `Pool`: a pool drops a client whose
 * connection failed but goes on using it, and neither limits nor closes the connections it then opens.
 */
export function createSender({ guard, timeoutMs = 10_000 }: { guard: Guard; timeoutMs?: number }): Sender {
  const connectorOf = createConnectors();
  const openSlot: OpenSlot = (url, target) => createSlot(url.origin, target, connectorOf(url.origin, target));
  return {
    openPool() {
      const pool = createPool(guard, openSlot);
      return {
        send: (request, mayBegin = () => true) => send(pool, request, mayBegin, timeoutMs),
        close() {
          pool.closing ??= close(pool);
          return pool.closing;
        },
      };
    },
  };
}

/** One connector per origin for the lifetime of the sender, because it holds the TLS sessions; evicts the oldest. */
function createConnectors(): (origin: string, target: TargetGuard) => Connect {
  const connectors = new Map<string, Connect>();
  return (origin, target) => {
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
  };
}

function createSlot(origin: string, target: TargetGuard, connect: Connect): Slot {
  const slot: Slot = { client: null as unknown as Client, socket: null, phase: 'idle', received: 0, idleSince: 0 };
  slot.client = new Client(origin, {
    connect: (options, callback) => connectGuarded(slot, target, connect, options, callback),
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

function connectGuarded(
  slot: Slot,
  target: TargetGuard,
  connect: Connect,
  options: buildConnector.Options,
  callback: buildConnector.Callback,
): void {
  let refusal: Error | null = null;
  slot.phase = 'connecting';
  const socket = connect(options, (error, connected) => {
    if (refusal || error) return callback(refusal ?? error ?? new Error('Connector returned no socket'), null);
    slot.phase = 'open';
    callback(null, readInPieces(slot, connected as Socket));
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
}

/**
 * Counts what is read, and ends a response that has too much of anything: undici counts neither the extensions of chunks nor
 * line breaks before a response.
 *
 * undici goes on parsing what it has read when headers exceed their limit, and makes an error with a stack for each
 * that follows: thousands in 64 KiB, for which this process would stand still.
 */
function readInPieces(slot: Slot, socket: Socket): Socket {
  const read = socket.read.bind(socket);
  socket.read = (size) => {
    if (socket.destroyed) return null;
    const piece = read(size ?? (Math.min(PIECE_BYTES, socket.readableLength) || undefined)) as Buffer | null;
    slot.received += piece?.length ?? 0;
    if (slot.received > MAX_RECEIVED_BYTES) socket.destroy(new TooMuchReceivedError());
    return piece;
  };
  return socket;
}

function createPool(guard: Guard, openSlot: OpenSlot): Pool {
  const origins = new Map<string, Origin>();
  const targets = new Map<string, Target>();
  function createTarget(text: string): Target {
    const url = new URL(text);
    const targetGuard = guard.forTarget(url);
    const origin = origins.get(url.origin) ?? {
      idle: [],
      open: 0,
      waiting: [],
      create: () => openSlot(url, targetGuard),
    };
    origins.set(url.origin, origin);
    return { origin, path: url.pathname + url.search, guard: targetGuard };
  }
  return {
    targetOf(text) {
      const target = targets.get(text) ?? createTarget(text);
      targets.set(text, target);
      return target;
    },
    origins,
    running: new Set(),
    closing: undefined,
  };
}

async function close({ running, origins }: Pool): Promise<void> {
  await Promise.all(running);
  const idle = [...origins.values()].flatMap((origin) => origin.idle.splice(0));
  await Promise.all(idle.map((slot) => slot.client.destroy()));
}

async function send(
  pool: Pool,
  request: OutgoingRequest,
  mayBegin: () => boolean,
  timeoutMs: number,
): Promise<AttemptOutcome> {
  if (pool.closing) return { status: 'failed', responseStatus: null, error: 'network_error', durationMs: 0 };
  const running = new Promise<AttemptOutcome>((resolve) => {
    const startedAt = performance.now();
    const attempt: Attempt = {
      request,
      mayBegin,
      target: null,
      slot: null,
      responseStatus: null,
      hasEnded: false,
      report(failure) {
        clearTimeout(deadline);
        resolve(toOutcome(attempt, failure, Math.round(performance.now() - startedAt)));
      },
    };
    const deadline = setTimeout(() => end(attempt, 'timeout', false), timeoutMs);
    start(pool, attempt);
  });
  pool.running.add(running);
  return running.finally(() => pool.running.delete(running));
}

/** Begins the request, or lets it wait for a free connection. */
function start(pool: Pool, attempt: Attempt): void {
  try {
    const target = pool.targetOf(attempt.request.url);
    // before a client is created: this also refuses schemes other than http and https
    target.guard.checkLiteral();
    attempt.target = target;
    const free = acquire(target.origin);
    if (free) begin(attempt, target, free);
    else target.origin.waiting.push(attempt);
  } catch (error) {
    end(attempt, errorOf(error, null), false);
  }
}

function begin(attempt: Attempt, { path }: Target, slot: Slot): void {
  attempt.slot = slot;
  slot.received = 0;
  const { headers, body } = attempt.request;
  slot.client.dispatch({ method: 'POST', path, headers, body }, handlerOf(attempt, slot));
}

function handlerOf(attempt: Attempt, slot: Slot): Dispatcher.DispatchHandler {
  let received = 0;
  let informational = 0;
  let written = false;
  return {
    onRequestStart(controller) {
      // undici calls this before it writes; a second call would be a second POST
      if (written || attempt.hasEnded) controller.abort(new Error('A request must be written only once'));
      else if (!attempt.mayBegin()) controller.abort(new ClaimExpiredError());
      written = true;
    },
    onResponseStart(_controller, status) {
      if (status >= 200) attempt.responseStatus = status;
      else informational += 1;
      if (informational > MAX_INFORMATIONAL_RESPONSES) end(attempt, 'invalid_response', false);
    },
    onResponseData(_controller, chunk) {
      received += chunk.length;
      if (received > MAX_ANSWER_BYTES) end(attempt, null, false);
    },
    onResponseEnd: () => end(attempt, null, true),
    onResponseError: (_controller, error) => end(attempt, errorOf(error, slot), false),
  };
}

/**
 * @param failure why no complete response arrived; null if one did, or enough of it
 * @param reusable whether the connection can carry another request
 */
function end(attempt: Attempt, failure: AttemptError | null, reusable: boolean): void {
  if (attempt.hasEnded) return;
  attempt.hasEnded = true;
  const { target, slot } = attempt;
  if (target && slot) release(target.origin, slot, reusable);
  else if (target) target.origin.waiting = target.origin.waiting.filter((waiting) => waiting !== attempt);
  attempt.report(failure);
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

/** Gives the connection, or a new one in its place, to the next waiting attempt. */
function release(origin: Origin, slot: Slot, reusable: boolean): void {
  if (!reusable) drop(origin, slot);
  const next = origin.waiting.shift();
  if (next?.target) {
    if (!reusable) origin.open += 1;
    begin(next, next.target, reusable ? slot : origin.create());
  } else if (reusable) {
    slot.idleSince = performance.now();
    origin.idle.push(slot);
  }
}

/** The status decides: with it, the receiver has said that it has the event or not, whatever becomes of the body. */
function toOutcome({ responseStatus }: Attempt, failure: AttemptError | null, durationMs: number): AttemptOutcome {
  const error = responseStatus === null ? (failure ?? 'invalid_response') : errorOfStatus(responseStatus);
  return {
    status: error === null ? 'succeeded' : 'failed',
    responseStatus,
    error,
    durationMs,
    ...(responseStatus !== null && failure && { responseCut: failure }),
  };
}

function errorOfStatus(status: number): AttemptError | null {
  if (status >= 200 && status < 300) return null;
  return status >= 300 && status < 400 ? 'redirect' : 'http_status';
}

const BY_CODE = lookupTable<AttemptError>({
  ECONNREFUSED: 'connection_refused',
  ECONNRESET: 'connection_reset',
  EPIPE: 'connection_reset',
  UND_ERR_SOCKET: 'connection_reset',
  ETIMEDOUT: 'timeout',
  ERR_SOCKET_CONNECTION_TIMEOUT: 'timeout',
  UND_ERR_HEADERS_OVERFLOW: 'invalid_response',
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: 'invalid_response',
});

/**
 * The process was suspended between its claim and its request; another worker may have marked the delivery as
 * interrupted.
 */
class ClaimExpiredError extends Error {}

/** More than `MAX_RECEIVED_BYTES`. */
class TooMuchReceivedError extends Error {}

function errorOf(error: unknown, slot: Slot | null): AttemptError {
  if (error instanceof ClaimExpiredError) return 'interrupted';
  if (error instanceof TooMuchReceivedError) return 'invalid_response';
  if (error instanceof BlockedAddressError) return 'blocked_address';
  if (error instanceof UnresolvedHostError) return 'dns_error';
  const { code = '', name, message } = error as NodeJS.ErrnoException;
  if (slot?.phase === 'securing') return 'tls_error';
  if (name === 'HTTPParserError' || code.startsWith('HPE_')) return 'invalid_response';
  // undici's messages for an unexpected response: an upgrade, or 100 Continue
  if (message === 'bad response' || message === 'bad upgrade') return 'invalid_response';
  return BY_CODE.get(code) ?? 'network_error';
}
