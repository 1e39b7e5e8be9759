import { WebSocket } from 'ws';

export interface Socket {
  send(message: unknown): void;
  /** resolves when it is closed, rejects with why when it broke */
  closed: Promise<void>;
  /** ends it, with the reason that `closed` rejects with */
  fail(error: unknown): void;
}

const MAX_MESSAGE_BYTES = 32 * 1024 * 1024;

/**
 * Opens a websocket that carries JSON texts. Silence is told from a dead peer by pings.
 * @param onMessage the parsed text; what is no JSON is given as it is
 * @throws Error when it cannot be opened in time
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
  let why: unknown;
  const fail = (error: unknown) => {
    why ??= error;
    socket.terminate();
  };
  const stop = () => socket.terminate();
  signal.addEventListener('abort', stop, { once: true });
  if (signal.aborted) stop();

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
      else reject(why ?? new Error(`the connection was closed (${code})`));
    });
  });
  // who waits for the opening is told there; a later listener still hears of it
  closed.catch(() => undefined);
  socket.on('error', (error) => {
    why ??= error;
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
  return { send: (message) => socket.send(JSON.stringify(message)), closed, fail };
}
