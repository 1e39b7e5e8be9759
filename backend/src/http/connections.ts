import type { Server, ServerResponse } from 'node:http';
import { Server as NetServer, type Socket } from 'node:net';

/** How long the server must be idle before connections without a request are closed; active clients send sooner. */
const IDLE_MS = 1_500;
const CHECK_INTERVAL_MS = 50;
/** The accept queue counts as empty if no connection arrives for this long. */
const QUIET_ACCEPT_MS = 100;
const SHORT_TURN_MS = 1;
/** The accept queue counts as drained after this, even if clients keep connecting. */
const MAX_DRAIN_MS = 3_000;

/** Connections of all clients, and of one address; what each one holds before its request is complete adds up. */
const MAX_CONNECTIONS = 4_096;
const MAX_CONNECTIONS_OF_ADDRESS = 512;

/**
 * Limits open connections: further ones are closed at once.
 * @param isProxy whether connections from an address are those of many clients
 */
export function limitConnections(server: Server, isProxy: (address: string) => boolean): void {
  server.maxConnections = MAX_CONNECTIONS;
  const open = new Map<string, number>();
  server.on('connection', (socket: Socket) => {
    const { remoteAddress: address } = socket;
    if (address === undefined || isProxy(address)) return;
    const count = (open.get(address) ?? 0) + 1;
    if (count > MAX_CONNECTIONS_OF_ADDRESS) {
      socket.destroy();
      return;
    }
    open.set(address, count);
    socket.once('close', () => {
      const left = (open.get(address) ?? 0) - 1;
      if (left > 0) open.set(address, left);
      else open.delete(address);
    });
  });
}

interface Connection {
  pendingResponses: Set<ServerResponse>;
  /** bytes read when its last response ended; a higher count means that a request is arriving */
  bytesReadBefore: number;
}

/**
 * Closes a server without breaking requests. Node's own `close()` ends idle keep-alive connections, and a client that
 * sends at that moment cannot know whether its request was processed. It also never ends connections that have not sent
 * a request.
 */
export function createCloser(server: Server) {
  const connections = new Map<Socket, Connection>();
  let closing = false;
  let idleSince = performance.now();
  let lastConnectionAt = idleSince;

  server.on('connection', (socket: Socket) => {
    lastConnectionAt = performance.now();
    idleSince = lastConnectionAt;
    connections.set(socket, { pendingResponses: new Set(), bytesReadBefore: 0 });
    socket.once('close', () => connections.delete(socket));
  });
  server.on('request', ({ socket }, res) => {
    idleSince = performance.now();
    const connection = connections.get(socket);
    connection?.pendingResponses.add(res);
    if (closing) res.setHeader('Connection', 'close');
    res.once('close', () => {
      idleSince = performance.now();
      if (!connection) return;
      connection.pendingResponses.delete(res);
      connection.bytesReadBefore = socket.bytesRead;
    });
  });

  /**
   * Closes connections that stay idle. Active clients are told by `Connection: close` on their next response; the
   * remaining clients keep connections in reserve and must expect them to be closed at any time.
   */
  function closeUnused(): void {
    if (performance.now() - idleSince < IDLE_MS) return;
    for (const [socket, { pendingResponses, bytesReadBefore }] of connections) {
      if (pendingResponses.size === 0 && socket.bytesRead === bytesReadBefore) socket.destroy();
    }
  }

  /** Resolves when no client waits in the accept queue: closing the listening socket would reset those connections. */
  async function drainAcceptQueue(): Promise<void> {
    const deadline = performance.now() + MAX_DRAIN_MS;
    while (performance.now() - lastConnectionAt < QUIET_ACCEPT_MS && performance.now() < deadline) {
      await new Promise((resolve) => setTimeout(resolve, QUIET_ACCEPT_MS));
    }
    // The system accepts connections before this process sees them. They appear in the poll phase, which precedes each
    // immediate: after a short turn without a new connection, hardly any can be waiting.
    let before: number;
    do {
      before = performance.now();
      await new Promise((resolve) => setImmediate(resolve));
    } while ((performance.now() - before > SHORT_TURN_MS || lastConnectionAt >= before) && before < deadline);
  }

  return {
    /**
     * Stops accepting connections, sends `Connection: close` with each client's next response, and resolves when all
     * connections are closed.
     * @param withinMs connections that are still open after this are aborted
     */
    async close(withinMs: number): Promise<void> {
      await drainAcceptQueue();
      // closes the listening socket only; http's `close` would end connections too
      const closed = new Promise<void>((resolve) => NetServer.prototype.close.call(server, () => resolve()));
      closing = true;
      for (const { pendingResponses } of connections.values()) {
        for (const res of pendingResponses) if (!res.headersSent) res.setHeader('Connection', 'close');
      }
      // after the poll phase, so requests that arrived while the process was busy are counted
      const checkTimer = setInterval(() => setImmediate(closeUnused), CHECK_INTERVAL_MS);
      const abortTimer = setTimeout(() => server.closeAllConnections(), withinMs);
      await closed;
      clearInterval(checkTimer);
      clearTimeout(abortTimer);
    },
  };
}
