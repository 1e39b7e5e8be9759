// Stands in for a Prusa printer on http://127.0.0.1:8017: it prints the given file once, in ten seconds, and then shows that
// it has finished. Only what the Farmboard agent asks of PrusaLink is here.
import { createServer } from 'node:http';

const PORT = 8017;
const SECONDS = 10;
const [file = 'bracket.gcode'] = process.argv.slice(2);

// begins when it is asked for the first time, so that nothing is printed before the agent looks
let startedAt;

function read() {
  startedAt ??= Date.now();
  const seconds = Math.min((Date.now() - startedAt) / 1000, SECONDS);
  const state = seconds < SECONDS ? 'PRINTING' : 'FINISHED';
  const progress = Math.round((seconds / SECONDS) * 100);
  const time = { time_printing: Math.round(seconds), time_remaining: Math.round(SECONDS - seconds) };
  return { state, job: { id: 1, progress, ...time } };
}

const server = createServer((request, response) => {
  const { state, job } = read();
  const answers = {
    '/api/v1/status': { printer: { state }, job },
    '/api/v1/job': { ...job, state, file: { display_name: file, meta: { 'filament used [g]': 42.5 } } },
  };
  const answer = answers[request.url];
  response.writeHead(answer ? 200 : 404, { 'Content-Type': 'application/json' }).end(JSON.stringify(answer ?? {}));
});
server.listen(PORT, '127.0.0.1', () => {
  console.log(`A printer that prints ${file} is at http://127.0.0.1:${PORT}`);
});
