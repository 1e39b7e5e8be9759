// Counts requests and notes when the first byte of each came, in a process of its own. GET answers what it has and forgets it.
import { createServer } from 'node:http';

let times: number[] = [];
let last = 0;

const now = () => performance.timeOrigin + performance.now();

const server = createServer((req, res) => {
  if (req.method === 'GET') {
    res.end(JSON.stringify({ times, last }));
    times = [];
    return;
  }
  last = now();
  times.push(last);
  req.resume();
  req.on('end', () => res.writeHead(204).end());
});
server.keepAliveTimeout = 60_000;
server.listen(0, '127.0.0.1', () => process.stdout.write(`${JSON.stringify(server.address())}\n`));
