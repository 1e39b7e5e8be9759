// Records the arrival of the first byte of each POST, in a separate process. GET returns and clears what arrived;
// with ?next it waits for at least one. A POST to /hang never gets a response.
import { createServer, type ServerResponse } from 'node:http';

/** The arrival of one request. */
export interface Arrival {
  /** ms */
  at: number;
  path: string;
  /** the first id in the body, that of the order */
  subject: string;
}

let arrivals: Arrival[] = [];
let last = 0;
let waiting: ServerResponse | undefined;

const now = () => performance.timeOrigin + performance.now();

function respond(res: ServerResponse): void {
  res.end(JSON.stringify({ arrivals, last }));
  arrivals = [];
}

const server = createServer((req, res) => {
  const path = req.url as string;
  if (req.method === 'GET') {
    if (path.endsWith('?next') && arrivals.length === 0) waiting = res;
    else respond(res);
    return;
  }
  if (path === '/hang') return;
  last = now();
  const arrival: Arrival = { at: last, path, subject: '' };
  req.setEncoding('utf8').on('data', (text: string) => {
    arrival.subject ||= /"id":"([^"]+)"/.exec(text)?.[1] ?? '';
  });
  req.on('end', () => {
    arrivals.push(arrival);
    if (waiting) respond(waiting);
    waiting = undefined;
    res.writeHead(204).end();
  });
});
server.keepAliveTimeout = 60_000;
server.listen(0, '127.0.0.1', () => process.stdout.write(`${JSON.stringify(server.address())}\n`));
