import { createLogger } from '../../../common/src/logger.ts';
import { logDone, logRefused } from './security-log.ts';

function open() {
  const lines: Record<string, unknown>[] = [];
  return { lines, logger: createLogger('info', (line) => lines.push(JSON.parse(line) as Record<string, unknown>)) };
}

afterEach(() => jest.restoreAllMocks());

test('what was done is one line with its kind and facts', () => {
  const { lines, logger } = open();
  logDone(logger, 'token_created', { account_id: 'a', token_id: 't' });
  const { time, ...line } = lines[0] as { time: string };
  expect(line).toEqual({
    level: 30,
    security: 'token_created',
    account_id: 'a',
    token_id: 't',
    msg: 'created an access token',
  });
  expect(time).toMatch(/Z$/);
});

test('a flood of refusals is counted after 30 lines a minute of each kind', () => {
  const { lines, logger } = open();
  let now = 1_000;
  jest.spyOn(performance, 'now').mockImplementation(() => now);
  for (let i = 0; i < 1_000; i++) logRefused(logger, 'request_refused', { client: '192.0.2.1' });
  expect(lines).toHaveLength(30);
  logRefused(logger, 'sign_in_refused', { client: '192.0.2.1' });
  expect(lines.at(-1)).toMatchObject({ level: 40, security: 'sign_in_refused' });

  now += 60_000;
  logRefused(logger, 'request_refused', { client: '192.0.2.2' });
  logRefused(logger, 'request_refused', { client: '192.0.2.3' });
  expect(lines.slice(31).map(({ client, left_out }) => [client, left_out])).toEqual([
    ['192.0.2.2', 970],
    ['192.0.2.3', undefined],
  ]);
});
