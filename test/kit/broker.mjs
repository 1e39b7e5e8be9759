// A real MQTT broker over TLS, like the one inside a Bambu printer: it accepts only clients with the access code.
// Runs in a process of its own, because aedes is an ES module. `up PORT KEY CERT` on standard input listens on a port,
// `down PORT` breaks its connections and stops listening.
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { createServer } from 'node:tls';
import { Aedes } from 'aedes';

const [user, password] = process.argv.slice(2);
const broker = await Aedes.createBroker({
  authenticate(_client, name, secret, done) {
    if (name === user && String(secret) === password) return done(null, true);
    done(Object.assign(new Error('not authorized'), { returnCode: 5 }), false);
  },
});
const listening = new Map();

async function up(port, key, cert) {
  const server = createServer({ key: readFileSync(key), cert: readFileSync(cert) }, broker.handle);
  const sockets = new Set();
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  server.listen(Number(port), '127.0.0.1');
  await once(server, 'listening');
  listening.set(port, { server, sockets });
}

async function down(port) {
  const { server, sockets } = listening.get(port);
  const closed = once(server, 'close');
  server.close();
  for (const socket of sockets) socket.destroy();
  await closed;
}

for await (const line of createInterface({ input: process.stdin })) {
  const [word, ...args] = line.split(' ');
  await (word === 'up' ? up(...args) : down(...args));
  process.stdout.write(`${word}\n`);
}
process.exit(0);
