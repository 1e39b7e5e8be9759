import { WebSocket } from 'ws';

export interface Socket {
  send(message: unknown): void;
  /** resolves when closed, rejects with the reason of a failure */
  closed: Promise<void>;
  /** the server's clock when the socket opened, ms; undefined if it doesn't say */
  serverTime: number | undefined;
  /** closes the socket; `closed` rejects with the error */
  fail(error: unknown): void;
}

/** Far more than OctoPrint's `history` or a page of Moonraker's history. Counts decompressed bytes. */
const MAX_MESSAGE_BYTES = 4 * 1024 * 1024;

/**
 * Opens a websocket for JSON messages, with pings to detect a dead peer.
 * @param onMessage receives each message's text
 * @throws Error if it does not open in time
 */
export async function openSocket(options: {
  url: string;
  headers?: Record<string, string>;
  timeoutMs: number;
  heartbeatMs: number;
  signal: AbortSignal;
  onMessage(text: string): void;
}): Promise<Socket> {
  const { url, headers, timeoutMs, heartbeatMs, signal, onMessage } = options;
  const socket = new WebSocket(url, {
    ...(headers ? { headers } : {}),
    handshakeTimeout: timeoutMs,
    maxPayload: MAX_MESSAGE_BYTES,
    followRedirects: false,
  });
  let reason: unknown;
  const fail = (error: unknown) => {
    reason ??= error;
    socket.terminate();
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
  socket.on('pong', () => {
    answered = true;
  });
  socket.on('message', (data) => {
    answered = true;
    try {
      onMessage(String(data));
    } catch (error) {
      fail(error);
    }
  });
  await Promise.race([new Promise((resolve) => socket.once('open', resolve)), closed]);
  return { send: (message) => socket.send(JSON.stringify(message)), closed, serverTime, fail };
}
