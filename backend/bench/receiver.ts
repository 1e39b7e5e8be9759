// Records the arrival of the first byte of each POST, in a separate process. GET returns and clears the recorded times;
// with ?next it waits for at least one. A POST to /hang never gets a response.
import { createServer, type ServerResponse } from 'node:http';

let times: number[] = [];
let last = 0;
let waiting: ServerResponse | undefined;

const now = () => performance.timeOrigin + performance.now();

function respond(res: ServerResponse): void {
  res.end(JSON.stringify({ times, last }));
  times = [];
}

const server = createServer((req, res) => {
  if (req.method === 'GET') {
    if (req.url?.endsWith('?next') && times.length === 0) waiting = res;
    else respond(res);
    return;
  }
  if (req.url === '/hang') return;
  last = now();
  times.push(last);
  if (waiting) respond(waiting);
  waiting = undefined;
  req.resume();
  req.on('end', () => res.writeHead(204).end());
});
server.keepAliveTimeout = 60_000;
server.listen(0, '127.0.0.1', () => process.stdout.write(`${JSON.stringify(server.address())}\n`));
