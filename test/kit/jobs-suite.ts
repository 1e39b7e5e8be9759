import type { JobHandlers, Jobs } from '../../backend/src/jobs/jobs.ts';
import type { Logger } from '../../common/src/logger.ts';
import { eventually, expectSoon, settle } from './eventually.ts';
import { createTestLogger } from './logger.ts';

/** Handlers that record calls, with drains that wait until released. */
function createWitness() {
  const running: string[] = [];
  const runs: string[] = [];
  const overlaps: string[] = [];
  const held: (() => void)[] = [];
  let holding = false;
  const witness = {
    /** Subscriptions being drained now. */
    running,
    /** Subscriptions in the order their drains ended. */
    runs,
    /** Subscriptions that were drained twice at once: must stay empty. */
    overlaps,
    hold: () => {
      holding = true;
    },
    release: () => {
      holding = false;
      for (const go of held.splice(0)) go();
    },
    runsOf: (id: string) => runs.filter((one) => one === id).length,
    handlers: {
      async drain(id) {
        if (running.includes(id)) overlaps.push(id);
        running.push(id);
        try {
          if (holding) await new Promise<void>((resolve) => held.push(resolve));
          else await new Promise((resolve) => setImmediate(resolve));
        } finally {
          running.splice(running.indexOf(id), 1);
          runs.push(id);
        }
      },
      sweep: async () => [],
      refresh: async () => undefined,
      purge: async () => undefined,
    } as JobHandlers,
  };
  return witness;
}

/** Requirements for every job queue implementation. Each test has a new queue. */
export function describeJobs(name: string, create: (deps: { logger: Logger }) => Jobs | Promise<Jobs>): void {
  describe(`jobs: ${name}`, () => {
    let jobs: Jobs;
    let witness: ReturnType<typeof createWitness>;
    let lines: { level: number; msg: string }[];

    beforeEach(async () => {
      const log = createTestLogger();
      lines = log.lines;
      jobs = await create({ logger: log.logger });
      witness = createWitness();
    });

    afterEach(async () => {
      witness.release();
      await jobs.stop();
      expect(witness.overlaps).toEqual([]);
    });

    test('drains each subscription of a wake-up', async () => {
      jobs.start(witness.handlers);
      jobs.wake(['a', 'b']);
      await expectSoon(() => witness.runs, expect.arrayContaining(['a', 'b']));
      expect(witness.runs.toSorted()).toEqual(['a', 'b']);
    });

    test('processes a wake-up from before the start', async () => {
      jobs.wake(['early']);
      await settle();
      jobs.start(witness.handlers);
      await expectSoon(() => witness.runs, expect.arrayContaining(['early']));
    });

    test('drains exactly once more after wake-ups during a drain, never two at a time', async () => {
      witness.hold();
      jobs.start(witness.handlers);
      jobs.wake(['a']);
      await expectSoon(() => witness.running, expect.arrayContaining(['a']));
      for (let i = 0; i < 5; i++) {
        jobs.wake(['a']);
        await settle();
      }
      expect(witness.running).toEqual(['a']);
      witness.release();
      await expectSoon(() => witness.runs.length, 2);
      await settle();
      await jobs.stop();
      expect(witness.runs).toEqual(['a', 'a']);
    });

    test('reports a wake-up to the running drain', async () => {
      const told: string[] = [];
      jobs.start({
        ...witness.handlers,
        async drain(id, control) {
          if (id !== 'a' || told.length > 0) return;
          for (const time of ['first', 'second']) {
            const next = control.nextWake();
            jobs.wake(['other']);
            jobs.wake([id]);
            await next;
            told.push(time);
          }
        },
      });
      jobs.wake(['a']);
      await expectSoon(() => told.length, 2);
      expect(told).toEqual(['first', 'second']);
    });

    test('loses no wake-up around the end of a drain', async () => {
      const moments = 20;
      let committed = 0;
      let seen = 0;
      jobs.start({
        ...witness.handlers,
        async drain(id, control) {
          seen = committed;
          await witness.handlers.drain(id, control);
          if (committed === moments) return;
          // this many steps after the drain has last looked: before it ends, as it ends, and after
          let moment = Promise.resolve();
          for (let step = 0; step < committed; step++) moment = moment.then(() => undefined);
          void moment.then(() => {
            committed += 1;
            jobs.wake(['a']);
          });
        },
      });
      jobs.wake(['a']);
      await expectSoon(() => seen, moments);
    });

    test('drains subscriptions concurrently', async () => {
      witness.hold();
      jobs.start(witness.handlers);
      const subscriptions = Array.from({ length: 20 }, (_, index) => `subscription ${index}`);
      jobs.wake(subscriptions);
      await expectSoon(() => witness.running.length, 20);
      witness.release();
      await expectSoon(() => witness.runs.length, 20);
      expect(witness.runs.toSorted()).toEqual(subscriptions.toSorted());
    });

    test('continues after a failed drain', async () => {
      let failures = 0;
      jobs.start({
        ...witness.handlers,
        async drain(id, control) {
          if (id === 'bad' && failures === 0) {
            failures += 1;
            throw new Error('a broken drain');
          }
          await witness.handlers.drain(id, control);
        },
      });
      jobs.wake(['bad', 'good']);
      await expectSoon(() => witness.runsOf('good'), 1);
      await expectSoon(() => failures, 1);
      await settle();
      jobs.wake(['bad']);
      await expectSoon(() => witness.runsOf('bad'), 1);
      expect(lines.filter(({ level }) => level >= 50)).toHaveLength(1);
    });

    test('drains what the sweep finds, even after a failed sweep', async () => {
      let sweeps = 0;
      jobs.start({
        ...witness.handlers,
        async sweep() {
          sweeps += 1;
          if (sweeps === 1) throw new Error('a broken sweep');
          return sweeps === 2 ? ['lost'] : [];
        },
      });
      await expectSoon(() => witness.runsOf('lost'), 1);
    });

    test('runs the purge rarely', async () => {
      let purges = 0;
      let sweeps = 0;
      jobs.start({
        ...witness.handlers,
        async sweep() {
          sweeps += 1;
          return [];
        },
        async purge() {
          purges += 1;
        },
      });
      await eventually(
        () => sweeps,
        (count) => count >= 3,
      );
      expect(purges).toBe(1);
    });

    test('keeps sweeping during a long purge, and tells it to end at stop', async () => {
      let sweeps = 0;
      let purging: () => boolean = () => false;
      jobs.start({
        ...witness.handlers,
        async sweep() {
          sweeps += 1;
          return [];
        },
        async purge(isStopping) {
          purging = isStopping;
          await eventually(isStopping, (is) => is);
        },
      });
      await eventually(
        () => sweeps,
        (count) => count >= 3,
      );
      expect(purging()).toBe(false);
      await jobs.stop();
      expect(purging()).toBe(true);
    });

    test('waits for running drains at stop and notifies them', async () => {
      let told = false;
      let stopped = false;
      witness.hold();
      jobs.start({
        ...witness.handlers,
        async drain(id, control) {
          await witness.handlers.drain(id, control);
          told = control.stopping();
        },
      });
      jobs.wake(['a']);
      await expectSoon(() => witness.running, expect.arrayContaining(['a']));
      const stopping = jobs.stop().then(() => {
        stopped = true;
      });
      await settle();
      expect(stopped).toBe(false);
      witness.release();
      await stopping;
      expect(witness.runs).toEqual(['a']);
      expect(told).toBe(true);
    });

    test('starts nothing after stop', async () => {
      let sweeps = 0;
      witness.hold();
      jobs.start({
        ...witness.handlers,
        async sweep() {
          sweeps += 1;
          return [];
        },
      });
      jobs.wake(['a']);
      await expectSoon(() => witness.running, expect.arrayContaining(['a']));
      jobs.wake(['a']);
      const stopping = jobs.stop();
      jobs.wake(['b']);
      witness.release();
      await stopping;
      const sweptBefore = sweeps;
      jobs.wake(['c']);
      // longer than the time between two sweeps, because nothing can be polled for if nothing is to happen
      await new Promise((resolve) => setTimeout(resolve, 700));
      expect(witness.runs).toEqual(['a']);
      expect(sweeps).toBe(sweptBefore);
    });
  });
}
