import { eventually } from '../../../test/kit/eventually.ts';
import { describeJobs } from '../../../test/kit/jobs-suite.ts';
import { createTestLogger } from '../../../test/kit/logger.ts';
import { newId } from '../shared/ids.ts';
import { createBullMqJobs } from './bullmq.ts';

const URL = 'redis://127.0.0.1:6379/15';

describeJobs('BullMQ', ({ logger }) => createBullMqJobs({ url: URL, logger, prefix: newId() }));

const stops: (() => Promise<void>)[] = [];

afterAll(() => Promise.all(stops.map((stop) => stop())));

test('a process that is too busy to read the response of Redis in time counts with the others', async () => {
  const { logger } = createTestLogger();
  const prefix = newId();
  const processes = await Promise.all([1, 2].map(() => createBullMqJobs({ url: URL, logger, prefix })));
  stops.push(...processes.map((jobs) => jobs.stop));
  const [here, elsewhere] = processes.map((jobs) =>
    jobs.createRateLimit('notifications', { max: 3, withinMs: 60_000 }),
  );
  // until both are connected
  const used = await eventually(
    async () => {
      await elsewhere!.count('x');
      return (await here!.read('x')).used;
    },
    (count) => count > 0,
  );
  const counting = here!.count('x');
  // sent, but not read yet
  for (let turn = 0; turn < 50; turn++) await null;
  const busyUntil = performance.now() + 1_500;
  while (performance.now() < busyUntil);
  expect((await counting).used).toBe(used + 1);
});
