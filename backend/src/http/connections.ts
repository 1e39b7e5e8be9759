import type { Server, ServerResponse } from 'node:http';
import { Server as NetServer, type Socket } from 'node:net';

/** How long nothing has to happen at all before connections without a request are closed: clients at work are faster. */
const QUIET_MS = 1_500;
const LOOK_EVERY_MS = 50;
/** How long nobody has to come in before the door closes. */
const CALM_MS = 100;
const SHORT_TURN_MS = 1;
/** A door at which somebody always knocks is closed all the same. */
const MAX_DRAIN_MS = 3_000;

interface Connection {
  answering: Set<ServerResponse>;
  /** how much had been read when its last answer ended: more says that a request is on its way */
  readBefore: number;
}

/**
 * Closes a server without breaking a request. Node's own `close()` ends every connection that happens to be between two
 * requests, and a client that sends at that moment cannot know whether its request was heard; a connection on which
 * nothing ever came it does not end at all.
 */
export function createCloser(server: Server) {
  const connections = new Map<Socket, Connection>();
  let closing = false;
  let quietSince = performance.now();
  let lastConnectionAt = quietSince;

  server.on('connection', (socket: Socket) => {
    lastConnectionAt = performance.now();
    quietSince = lastConnectionAt;
    connections.set(socket, { answering: new Set(), readBefore: 0 });
    socket.once('close', () => connections.delete(socket));
  });
  server.on('request', ({ socket }, res) => {
    quietSince = performance.now();
    const connection = connections.get(socket);
    connection?.answering.add(res);
    if (closing) res.setHeader('Connection', 'close');
    res.once('close', () => {
      quietSince = performance.now();
      if (!connection) return;
      connection.answering.delete(res);
      connection.readBefore = socket.bytesRead;
    });
  });

  /**
   * A client at work learns from its next answer to go. What is left when all is quiet is kept for later by its client,
   * which must expect it to be closed at any time.
   */
  function closeUnused(): void {
    if (performance.now() - quietSince < QUIET_MS) return;
    for (const [socket, { answering, readBefore }] of connections) {
      if (answering.size === 0 && socket.bytesRead === readBefore) socket.destroy();
    }
  }

  /** Resolves in a moment in which nobody waits to be let in: those who do would be thrown out unheard. */
  async function drainAcceptQueue(): Promise<void> {
    const giveUpAt = performance.now() + MAX_DRAIN_MS;
    while (performance.now() - lastConnectionAt < CALM_MS && performance.now() < giveUpAt) {
      await new Promise((resolve) => setTimeout(resolve, CALM_MS));
    }
    // The system lets clients in before this process knows of them. They come to light at the next look at the network,
    // which comes before each immediate: after a short turn without one, hardly any can be waiting.
    let before: number;
    do {
      before = performance.now();
      await new Promise((resolve) => setImmediate(resolve));
    } while ((performance.now() - before > SHORT_TURN_MS || lastConnectionAt >= before) && before < giveUpAt);
  }

  return {
    /**
     * Lets nobody in any more, tells each client with its next answer that it is the last, and resolves when all are gone.
     * @param withinMs after which what is still being answered is cut off
     */
    async close(withinMs: number): Promise<void> {
      await drainAcceptQueue();
      // the door alone: http's `close` would end connections too
      const closed = new Promise<void>((resolve) => NetServer.prototype.close.call(server, () => resolve()));
      closing = true;
      for (const { answering } of connections.values()) {
        for (const res of answering) if (!res.headersSent) res.setHeader('Connection', 'close');
      }
      // right after a look at the network: what came while this process was busy counts as come
      const looking = setInterval(() => setImmediate(closeUnused), LOOK_EVERY_MS);
      const forced = setTimeout(() => server.closeAllConnections(), withinMs);
      await closed;
      clearInterval(looking);
      clearTimeout(forced);
    },
  };
}
