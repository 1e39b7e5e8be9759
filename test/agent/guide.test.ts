import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { AgentConfigError, readAgentConfig } from '../../agent/src/config.ts';
import { PROTOCOLS } from '../../agent/src/printers/protocols.ts';

const ROOT = join(__dirname, '../..');
const TOKEN = 'agt_0123456789abcdefghijklmnop';

/** A configuration whose referenced files are created for the test. */
const read = (text: string) =>
  readAgentConfig('/etc/farmboard/agent.json', (path) => {
    if (path === '/etc/farmboard/agent.json') return text;
    if (path === '/etc/farmboard/agent-token') return `${TOKEN}\n`;
    throw new Error(`${path} is not there`);
  });

const faultsOf = (config: unknown): string[] => {
  try {
    read(typeof config === 'string' ? config : JSON.stringify(config));
  } catch (error) {
    if (error instanceof AgentConfigError) return error.message.split('\n').map((line) => line.trim());
    throw error;
  }
  return [];
};

beforeAll(() => {
  process.env.FARMBOARD_AGENT_TOKEN = TOKEN;
});
afterAll(() => {
  delete process.env.FARMBOARD_AGENT_TOKEN;
});

test('accepts every configuration in the guide and the example', () => {
  const guide = readFileSync(join(ROOT, 'docs/guide/printers.md'), 'utf8');
  const configs = [...guide.matchAll(/```json\n(.*?)```/gs)].map(([, text = '']) => read(text));
  expect(configs.map(({ printers }) => printers[0]?.printer.type)).toEqual(Object.keys(PROTOCOLS));
  const example = read(readFileSync(join(ROOT, 'examples/agent/agent.json'), 'utf8'));
  expect(new Set(example.printers.map(({ token }) => token))).toEqual(new Set([TOKEN]));
  expect(example).toMatchObject({
    state: '/etc/farmboard/agent-state',
    timing: { pollMs: 5_000, maxRetryMs: 60_000 },
  });
});

test('reports all configuration errors at once with their location and without secrets', () => {
  const faults = faultsOf({
    server: 'https://me:hunter2@farm.example',
    token: 'pat_hunter2hunter2',
    colour: 'red',
    printers: [
      { name: 'A', type: 'moonraker', url: 'ws://x' },
      { name: 'B', type: 'prusalink', url: 'http://x' },
      { name: 'C', type: 'laser' },
      { name: 'D', type: 'bambu', host: 'x', serial: '01S00C1', access_code: 'hunter2', tls_fingerprint: 'AB' },
    ],
    timing: { poll_seconds: 0 },
  }).join('\n');
  for (const place of [
    'server: must not contain a user name or password',
    'token: is not an agent token',
    'colour: unknown field',
    'printers[0].url:',
    'printers[1].password: set either password',
    'printers[2].type:',
    'printers[3].tls_fingerprint:',
    'timing.poll_seconds:',
  ]) {
    expect(faults).toContain(place);
  }
  expect(faults).not.toContain('hunter2');
});

test('reads a token from one source, per printer or shared', () => {
  const printer = { name: 'A', type: 'moonraker', url: 'http://x' };
  const server = 'http://farm';
  expect(faultsOf({ server, printers: [printer] }).join()).toContain('printers[0].token: required');
  expect(faultsOf({ server, token_file: 'gone', printers: [printer] }).join()).toContain('token_file:');
  expect(faultsOf({ server, token_env: 'FARMBOARD_NOT_SET', printers: [printer] }).join()).toContain('is not set');
  const both = { server, token: TOKEN, token_file: 'agent-token', printers: [printer] };
  expect(faultsOf(both).join()).toContain('set only one of token and token_file');
  expect(faultsOf({ server, token: TOKEN, printers: [printer, printer] }).join()).toContain('printers[1].name');
  expect(faultsOf('{').join()).toContain('is not valid JSON');
  expect(faultsOf('{"token": hunter2}').join()).toMatch(/is not valid JSON \((?!.*hunter2)/);
});
