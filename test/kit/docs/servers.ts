import { once } from 'node:events';
import { connect, createServer, type Server } from 'node:net';
import { join } from 'node:path';

export interface Relays {
  /** the variables, with addresses that can be reached from there */
  variables: Record<string, string>;
  /** the commands that make them reachable there, which go on running */
  commands: string[];
  close(): void;
}

/**
 * Makes servers of this machine reachable from a network of its own, over Unix sockets.
 * @param addresses variables with the URL of a server
 * @param folder of the sockets
 */
export async function relay(addresses: Record<string, string>, folder: string): Promise<Relays> {
  const servers: Server[] = [];
  const variables: Record<string, string> = {};
  const commands: string[] = [];
  for (const [name, address] of Object.entries(addresses)) {
    const url = new URL(address);
    const socket = join(folder, name);
    const [host, port] = [url.hostname, Number(url.port)];
    const server = createServer((client) => {
      const target = connect({ host, port });
      client.pipe(target).pipe(client);
      client.on('error', () => target.destroy());
      target.on('error', () => client.destroy());
    }).listen(socket);
    await once(server, 'listening');
    servers.push(server);
    url.hostname = '127.0.0.1';
    variables[name] = url.href;
    commands.push(`exec node ${join(__dirname, 'relay.mjs')} ${port} ${socket}\n`);
  }
  return { variables, commands, close: () => servers.forEach((server) => void server.close()) };
}
