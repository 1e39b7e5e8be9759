import { createTestLogger } from '../../../test/kit/logger.ts';
import { createAccessLog } from './access-log.ts';

const REQUEST = {
  method: 'GET',
  route: '/api/v1/print-jobs/{id}',
  status: 200,
  seconds: 0.0126,
  requestId: 'r-1',
  traceId: undefined,
};

test('writes a line for the given share of requests', () => {
  const { logger, lines } = createTestLogger('info');
  const draws = [0, 0.24, 0.25, 0.5, 0.99];
  const observe = createAccessLog(logger, 0.25, () => draws.shift() as number);
  for (let i = 0; i < 5; i++) observe({ ...REQUEST, requestId: `r-${i}` });
  expect(lines).toEqual(
    ['r-0', 'r-1'].map((id) => ({
      level: 30,
      time: expect.any(Number),
      msg: 'request ended',
      method: 'GET',
      route: '/api/v1/print-jobs/{id}',
      status: 200,
      duration_ms: 13,
      request_id: id,
    })),
  );
});

test('writes a line for each request if the share is 1', () => {
  const { logger, lines } = createTestLogger('info');
  const observe = createAccessLog(logger, 1, () => 0.999_999);
  observe(REQUEST);
  expect(lines).toHaveLength(1);
});

test('names the trace of a request that has one', () => {
  const { logger, lines } = createTestLogger('info');
  const observe = createAccessLog(logger, 1, () => 0);
  observe(REQUEST);
  observe({ ...REQUEST, traceId: '4bf92f3577b34da6a3ce929d0e0e4736' });
  expect(lines.map((line) => Object.entries(line).filter(([name]) => name === 'trace_id'))).toEqual([
    [],
    [['trace_id', '4bf92f3577b34da6a3ce929d0e0e4736']],
  ]);
});
