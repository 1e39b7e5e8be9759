import { once } from 'node:events';
import type { Server, Socket } from 'node:net';
import { freePort } from './free-port.ts';

export type Gate = Awaited<ReturnType<typeof createGate>>;

/**
 * Lets a server of a printer listen on a port of 127.0.0.1, and cut off all clients: it then refuses new ones until it is
 * up again on the same port.
 * @param given default: a free one
 */
export async function createGate(server: Server, given?: number) {
  const port = given ?? (await freePort());
  const sockets = new Set<Socket>();
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.once('close', () => sockets.delete(socket));
  });

  async function up(): Promise<void> {
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
  }
  await up();

  return {
    port,
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
