import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import type { Server, Socket } from 'node:net';

export type Gate = Awaited<ReturnType<typeof createGate>>;

/** Below the ephemeral range, so that no connection takes the port of a printer that is off. */
const PORTS = { from: 20_000, to: 32_000 };

async function listen(server: Server, port: number): Promise<void> {
  const failed = once(server, 'error').then(([error]) => Promise.reject(error));
  failed.catch(() => undefined);
  server.listen(port, '127.0.0.1');
  await Promise.race([once(server, 'listening'), failed]);
}

/** @returns the port */
async function listenAnywhere(server: Server): Promise<number> {
  for (;;) {
    const port = randomInt(PORTS.from, PORTS.to);
    try {
      await listen(server, port);
      return port;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error;
    }
  }
}

/**
 * Lets a server of a printer listen on a port of 127.0.0.1, and cut off all clients: it then refuses new
 * ones until it is up again on the same port.
 * @param given default: a free one
 */
export async function createGate(server: Server, given?: number) {
  const sockets = new Set<Socket>();
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.once('close', () => sockets.delete(socket));
  });
  let port = given;

  async function up(): Promise<void> {
    if (port === undefined) port = await listenAnywhere(server);
    else await listen(server, port);
  }
  await up();

  return {
    port: port as unknown as number,
    up,
    async down(): Promise<void> {
      if (!server.listening) return;
      const closed = once(server, 'close');
      server.close();
      for (const socket of sockets) socket.destroy();
      await closed;
    },
    /** Breaks open connections and accepts new ones. */
    breakAll(): void {
      for (const socket of sockets) socket.destroy();
    },
  };
}
