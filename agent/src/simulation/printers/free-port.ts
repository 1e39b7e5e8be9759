import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Server } from 'node:net';

/**
 * A free port of 127.0.0.1, given only once while this process runs, also by other processes, because what it is for may be
 * off. It is even, and the odd port above it is kept open as the mark. Both are below the ephemeral range, so that no
 * connection, and no server that asks for any port, takes them.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = 2 * randomInt(10_000, 16_000);
    const mark = await listen(port + 1);
    if (!mark) continue;
    const server = await listen(port);
    if (server) {
      mark.unref();
      server.close();
      await once(server, 'close');
      return port;
    }
    mark.close();
  }
}

/** @returns undefined if the port is in use */
function listen(port: number): Promise<Server | undefined> {
  const server = createServer();
  return new Promise((resolve) => {
    server.once('error', () => resolve(undefined));
    server.listen(port, '127.0.0.1', () => resolve(server));
  });
}
