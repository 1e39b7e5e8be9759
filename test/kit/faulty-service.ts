/**
 * The shipped service with hooks between its parts. It sends itself a signal (`FAULT_SIGNAL`, else SIGKILL) when it
 * reaches the step `FAULT_STEP` for the first time.
 */
import { Redis } from 'ioredis';
import type { Overrides } from '../../backend/src/composition/open.ts';
import { readConfig } from '../../backend/src/config/config.ts';
import { startServer } from '../../backend/src/main.ts';
import { createLogger } from '../../common/src/logger.ts';

/** The steps from a change to its receiver. */
export type Step =
  /** the change is committed, no wake-up given */
  | 'after commit'
  /** the wake-up has reached Redis or the local queue; no drain has started */
  | 'after wake'
  /** a worker has taken the job; nothing is committed yet */
  | 'after claim'
  /** the claim `sending` is committed, no byte of the request is out */
  | 'after sending'
  /** the receiver has read the request and not answered; the receiver triggers this one */
  | 'mid-request'
  /** the response has arrived */
  | 'after the answer'
  /** the transaction that records the outcome is about to begin */
  | 'before the record';

const step = process.env.FAULT_STEP as Step | undefined;
const signal = process.env.FAULT_SIGNAL ?? 'SIGKILL';
const config = readConfig();
let reached = false;

/** A process receives its own signal before it continues, so nothing happens between the step and the fault. */
function at(here: Step): void {
  if (reached || here !== step) return;
  reached = true;
  process.kill(process.pid, signal);
}

async function untilRedisHasTheWakeUp(url: string): Promise<void> {
  const redis = new Redis(url);
  while ((await redis.keys('*:channels:wait')).length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
  redis.disconnect();
}

let answered = false;
const between: Overrides = {
  storage: (storage) => ({
    ...storage,
    inTransaction(work) {
      if (answered) at('before the record');
      return storage.inTransaction(work);
    },
  }),
  jobs: (jobs) => ({
    ...jobs,
    wake(subscriptionIds) {
      at('after commit');
      jobs.wake(subscriptionIds);
      // in process a drain begins as soon as this call stack has ended
      if (!config.redisUrl) at('after wake');
      else if (step === 'after wake') void untilRedisHasTheWakeUp(config.redisUrl).then(() => at('after wake'));
    },
    start(handlers) {
      // over Redis a worker here would take the wake-up at once
      if (config.redisUrl && step === 'after wake') return;
      jobs.start({
        ...handlers,
        drain(subscriptionId, control) {
          at('after claim');
          return handlers.drain(subscriptionId, control);
        },
      });
    },
  }),
  sender: (sender) => ({
    openPool() {
      const pool = sender.openPool();
      return {
        ...pool,
        async send(...request) {
          at('after sending');
          const outcome = await pool.send(...request);
          at('after the answer');
          answered = true;
          return outcome;
        },
      };
    },
  }),
};

const logger = createLogger(config.logLevel);
const { url, port } = await startServer(config, logger, between);
logger.info({ url, port }, 'listens');
