// A real MQTT broker over TLS, like the one inside a Bambu printer: it accepts only clients with the access code.
// Runs in a process of its own, because aedes is an ES module. `down` on standard input breaks every connection and stops
// listening, `up KEY CERT` listens again.
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { createServer } from 'node:tls';
import { Aedes } from 'aedes';

const [port, user, password] = process.argv.slice(2);
const broker = await Aedes.createBroker({
  authenticate(_client, name, secret, done) {
    if (name === user && String(secret) === password) return done(null, true);
    done(Object.assign(new Error('not authorized'), { returnCode: 5 }), false);
  },
});
const sockets = new Set();
let server;

async function up(key, cert) {
  server = createServer({ key: readFileSync(key), cert: readFileSync(cert) }, broker.handle);
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  server.listen(Number(port), '127.0.0.1');
  await once(server, 'listening');
}

async function down() {
  const closed = once(server, 'close');
  server.close();
  for (const socket of sockets) socket.destroy();
  await closed;
}

for await (const line of createInterface({ input: process.stdin })) {
  const [word, ...args] = line.split(' ');
  await (word === 'up' ? up(...args) : down());
  process.stdout.write(`${word}\n`);
}
process.exit(0);
