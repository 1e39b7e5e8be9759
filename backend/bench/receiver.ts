// Notes when the first byte of each POST came, in a process of its own. GET answers what it has and forgets it; with ?next it
// answers as soon as there is one. A POST to /hang is never answered.
import { createServer, type ServerResponse } from 'node:http';

let times: number[] = [];
let last = 0;
let waiting: ServerResponse | undefined;

const now = () => performance.timeOrigin + performance.now();

function tell(res: ServerResponse): void {
  res.end(JSON.stringify({ times, last }));
  times = [];
}

const server = createServer((req, res) => {
  if (req.method === 'GET') {
    if (req.url?.endsWith('?next') && times.length === 0) waiting = res;
    else tell(res);
    return;
  }
  if (req.url === '/hang') return;
  last = now();
  times.push(last);
  if (waiting) tell(waiting);
  waiting = undefined;
  req.resume();
  req.on('end', () => res.writeHead(204).end());
});
server.keepAliveTimeout = 60_000;
server.listen(0, '127.0.0.1', () => process.stdout.write(`${JSON.stringify(server.address())}\n`));
