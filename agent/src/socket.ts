import { WebSocket } from 'ws';
import { type Budget, MESSAGE_COST } from './budget.ts';

export interface Socket {
  send(message: unknown): void;
  /** resolves when closed, rejects with the reason of a failure */
  closed: Promise<void>;
  /** the server's clock when the socket opened, ms; undefined if it doesn't say */
  serverTime: number | undefined;
  /** closes the socket; `closed` rejects with the error */
  fail(error: unknown): void;
}

/** Each piece of a message costs some hundred bytes until the last one has come. */
const MAX_PIECES = 8 * 1024;

/**
 * Opens a websocket for JSON messages, with pings to detect a dead peer.
 * @param maxBytes of a message
 * @param traffic what the printer may send
 * @param onMessage receives each message's text
 * @throws Error if it does not open in time
 */
export async function openSocket(options: {
  url: string;
  maxBytes: number;
  headers?: Record<string, string>;
  timeoutMs: number;
  heartbeatMs: number;
  signal: AbortSignal;
  traffic: Budget;
  onMessage(text: string): void;
}): Promise<Socket> {
  const { url, maxBytes, headers, timeoutMs, heartbeatMs, signal, traffic, onMessage } = options;
  const socket = new WebSocket(url, {
    ...(headers ? { headers } : {}),
    maxPayload: maxBytes,
    maxBufferedChunks: MAX_PIECES,
    maxFragments: MAX_PIECES,
    // a message of 4 MiB could be sent as 4 kB
    perMessageDeflate: false,
    followRedirects: false,
  });
  let reason: unknown;
  const fail = (error: unknown) => {
    reason ??= error;
    socket.terminate();
  };
  /** Counts a message, a ping or a pong. */
  const receive = (bytes: number, use: () => void) => {
    answered = true;
    try {
      traffic.take(bytes + MESSAGE_COST);
      use();
    } catch (error) {
      fail(error);
    }
  };
  const stop = () => socket.terminate();
  signal.addEventListener('abort', stop, { once: true });
  if (signal.aborted) stop();

  let serverTime: number | undefined;
  socket.once('upgrade', ({ headers }) => {
    const at = Date.parse(headers.date ?? '');
    serverTime = Number.isNaN(at) ? undefined : at;
  });

  let answered = true;
  const heartbeat = setInterval(() => {
    if (socket.readyState !== WebSocket.OPEN) return;
    if (!answered) return fail(new Error('no response to a ping'));
    answered = false;
    socket.ping();
  }, heartbeatMs);
  const closed = new Promise<void>((resolve, reject) => {
    socket.on('close', (code) => {
      clearInterval(heartbeat);
      signal.removeEventListener('abort', stop);
      if (signal.aborted) resolve();
      else reject(reason ?? new Error(`the connection was closed (${code})`));
    });
  });
  // avoids an unhandled rejection; callers still receive it
  closed.catch(() => undefined);
  socket.on('error', (error) => {
    reason ??= error;
  });
  socket.on('ping', () => receive(0, () => undefined));
  socket.on('pong', () => receive(0, () => undefined));
  socket.on('message', (data: Buffer) => receive(data.length, () => onMessage(String(data))));
  const timer = setTimeout(() => fail(new Error('no response in time')), timeoutMs);
  try {
    await Promise.race([new Promise((resolve) => socket.once('open', resolve)), closed]);
  } finally {
    clearTimeout(timer);
  }
  return { send: (message) => socket.send(JSON.stringify(message)), closed, serverTime, fail };
}
