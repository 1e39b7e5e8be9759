// `node relay.mjs PORT SOCKET`: passes connections from a port of 127.0.0.1 on to a Unix socket, which can be reached from a
// network of its own.
import { connect, createServer } from 'node:net';

const [port, path] = process.argv.slice(2);
createServer((client) => {
  const server = connect({ path });
  client.pipe(server).pipe(client);
  client.on('error', () => server.destroy());
  server.on('error', () => client.destroy());
}).listen(Number(port), '127.0.0.1', () => console.log(`tcp://127.0.0.1:${port} is ${path}`));
