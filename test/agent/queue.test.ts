import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { startMoonraker } from '../../agent/src/simulation/printers/moonraker.ts';
import { type AgentProcess, createAgentFolder, spawnAgent } from '../kit/agent-process.ts';
import { type FakeAgentApi, PRINTER_ID, startFakeAgentApi, TOKEN } from '../kit/agent-server.ts';
import { eventually } from '../kit/eventually.ts';
import { farmboard } from '../kit/service.ts';

// The queue on disk: reports the server can't accept now wait in order; those it rejects for good hold up nothing.

let agentApi: FakeAgentApi;
let printer: Awaited<ReturnType<typeof startMoonraker>>;
let agentProcess: AgentProcess | undefined;
let files: ReturnType<typeof createAgentFolder>;

beforeEach(async () => {
  agentApi = await startFakeAgentApi();
  printer = await startMoonraker();
  files = createAgentFolder({
    server: agentApi.url,
    printers: [{ ...printer.config, name: 'One', printer_id: PRINTER_ID }],
  });
});
afterEach(async () => {
  await agentProcess?.kill();
  agentProcess = undefined;
  await printer.stop();
  await agentApi.stop();
  files.remove();
});

async function run(): Promise<AgentProcess> {
  agentProcess = spawnAgent(files.file);
  await agentProcess.logged('One: connected');
  return agentProcess;
}

function print(filename: string): void {
  printer.start(filename);
  printer.end('finished');
}

const names = () => agentApi.effects().map(({ filename }) => filename);
const effects = (count: number) => eventually(names, (all) => all.length >= count);

test('keeps reports in order while the server is down and the agent is killed', async () => {
  await run();
  await agentApi.gate.down();
  const expected = Array.from({ length: 30 }, (_, i) => `part-${i}`);
  for (const name of expected.slice(0, 15)) print(name);
  await agentProcess?.logged('part-14 finished');
  await agentProcess?.kill();
  for (const name of expected.slice(15)) print(name);
  await run();
  await agentProcess?.logged('part-29 finished');
  await agentProcess?.logged('retrying, ');
  await agentApi.gate.up();
  expect(await effects(30)).toEqual(expected);
  expect(agentApi.received).toHaveLength(30);
  await agentProcess?.logged('the server accepts reports again');
});

test('429 and 503 are tried again after Retry-After, in order', async () => {
  let refusals = 0;
  let refusedAt = 0;
  agentApi.answerInstead((_report, res) => {
    if (refusals === 3) return false;
    refusals += 1;
    refusedAt = Date.now();
    if (refusals === 3) agentApi.problem(res, 429, 'rate_limited', { 'Retry-After': '1' });
    else agentApi.problem(res, 503, 'unavailable');
    return true;
  });
  await run();
  print('one');
  print('two');
  expect(await effects(2)).toEqual(['one', 'two']);
  expect(refusals).toBe(3);
  expect(Date.now() - refusedAt).toBeGreaterThanOrEqual(1_000);
});

test.each([
  [409, 'idempotency_conflict'],
  [422, 'validation_error'],
  [400, 'malformed_json'],
  [404, 'not_found'],
])('a %i that the server does not keep is logged whole and holds up nothing', async (status, code) => {
  agentApi.answerInstead((report, res) => {
    if (report.filename !== 'bad') return false;
    agentApi.problem(res, status, code);
    return true;
  });
  await run();
  print('bad');
  print('good');
  expect(await effects(1)).toEqual(['good']);
  const line = agentProcess?.log.find((one) => one.includes(`the server rejected bad (${status} ${code}`)) ?? '';
  expect(JSON.parse(line.slice(line.indexOf('{')))).toMatchObject({
    event_id: expect.stringContaining('moonraker:'),
    filename: 'bad',
    outcome: 'finished',
  });
  // and is not sent again
  await agentProcess?.kill();
  agentApi.answerInstead(undefined);
  await run();
  print('after');
  expect(await effects(2)).toEqual(['good', 'after']);
});

test('a report that the server keeps is settled, and the agent keeps none', async () => {
  agentApi.answerInstead((report, res) => {
    if (report.filename !== 'bad') return false;
    agentApi.problem(res, 422, 'validation_error', {}, { kept: true });
    return true;
  });
  const { logged, count } = await run();
  print('bad');
  print('good');
  expect(await effects(1)).toEqual(['good']);
  await logged("try it again on the printer's page");
  expect(count('does not keep it')).toBe(0);
});

test('a conflict that passes is tried again', async () => {
  let conflicts = 2;
  agentApi.answerInstead((_report, res) => {
    if (conflicts === 0) return false;
    conflicts -= 1;
    agentApi.problem(res, 409, 'version_conflict');
    return true;
  });
  await run();
  print('one');
  expect(await effects(1)).toEqual(['one']);
  expect(agentProcess?.count('the server rejected')).toBe(0);
});

test('keeps and retries a report if the token is refused or the response isn’t from Farmboard, logging it once', async () => {
  let answer = 401;
  let asked = 0;
  agentApi.answerInstead((_report, res) => {
    if (answer === 0) return false;
    asked += 1;
    if (answer === 401) agentApi.problem(res, 401, 'unauthorized');
    else res.writeHead(answer, { 'Content-Type': 'text/html' }).end('<h1>Bad gateway, or some such</h1>');
    return true;
  });
  await run();
  print('one');
  await eventually(
    () => asked,
    (count) => count >= 3,
  );
  expect(agentProcess?.count('rejected the token')).toBe(1);
  // a proxy's 422 says nothing about the report
  answer = 422;
  await agentProcess?.logged('Bad gateway');
  expect(agentProcess?.log.join('\n')).not.toContain(TOKEN);
  answer = 0;
  expect(await effects(1)).toEqual(['one']);
});

test('refuses a second agent in the folder and takes over a dead one’s state, even if its process ID was reused', async () => {
  await run();
  const second = await farmboard(['agent', '--config', files.file], {});
  expect(second).toMatchObject({ code: 1, stdout: '' });
  expect(second.stderr).toMatch(/^Another agent \(process \d+ on .*\) is using .*\n$/);
  await agentProcess?.kill();
  // our own process ID, but of a process started at another time
  const lock = join(files.state, 'lock');
  const left = JSON.parse(readFileSync(lock, 'utf8')) as Record<string, unknown>;
  writeFileSync(lock, JSON.stringify({ ...left, pid: process.pid, host: hostname() }));
  await run();
  print('one');
  expect(await effects(1)).toEqual(['one']);
  expect(await agentProcess?.stop()).toBe(0);
  expect(() => readFileSync(lock)).toThrow();
});

test('ignores a truncated last line and reads what is written after it', async () => {
  await run();
  await agentApi.gate.down();
  print('one');
  await agentProcess?.logged('one finished');
  await agentProcess?.kill();
  appendFileSync(join(files.state, 'journal.jsonl'), '{"kind":"seen","printer":"One","state":{"at":"x","kno');
  await run();
  print('two');
  await agentProcess?.logged('two finished');
  await agentProcess?.kill();
  await agentApi.gate.up();
  await run();
  expect(await effects(2)).toEqual(['one', 'two']);
});

test('--check prints one line per connection and exits with status 1 when one fails', async () => {
  const good = await farmboard(['agent', '--config', files.file, '--check'], {});
  expect(good).toMatchObject({ code: 0, stderr: '' });
  expect(good.stdout).toContain('connected as agent "Rack 1", 1 printer');
  expect(good.stdout).toContain('printer One: Moonraker v0.9.3-0-g000000 is online');
  const bad = createAgentFolder({
    server: agentApi.url,
    printers: [
      { ...printer.config, name: 'Key', api_key: 'wrong' },
      { ...printer.config, name: 'Id', printer_id: '018f0000-0000-7000-8000-0000000000ff' },
      { type: 'prusalink', name: 'Off', url: 'http://127.0.0.1:9', password: 'x' },
    ],
  });
  try {
    const { code, stdout } = await farmboard(['agent', '--config', bad.file, '--check'], {});
    expect(code).toBe(1);
    expect(stdout).toMatch(/^FAIL {2}printer Key: server.connection.identify: Unauthorized$/m);
    expect(stdout).toMatch(/^FAIL {2}printer Id: printer_id .* doesn't belong to agent/m);
    expect(stdout).toMatch(/^FAIL {2}printer Off: .*ECONNREFUSED|bad port/m);
    expect(() => readFileSync(join(bad.state, 'lock'))).toThrow();
  } finally {
    bad.remove();
  }
});
