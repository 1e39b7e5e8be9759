import { Problem } from './client';

const CONCURRENCY = 6;
/** An initial burst, then a fixed rate: below the account's rate limit, with a reserve for other pages. */
const BURST = 200;
const PER_SECOND = 12;
const WAIT_MS = 5_000;
const MAX_WAITS = 24;
const MAX_TRIES = 3;

const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

export interface ItemResult<Item, Result> {
  item: Item;
  result?: Result;
  error?: Error;
}

const isRateLimited = (error: unknown) => error instanceof Problem && error.status === 429;

const isUnanswered = (error: unknown) => error instanceof Problem && (error.status === 0 || error.status >= 500);

/** Retries rate-limited and unanswered requests; the task must be safe to repeat. */
async function withRetries<Result>(task: () => Promise<Result>): Promise<Result> {
  for (let waits = 0, tries = 1; ; ) {
    try {
      return await task();
    } catch (error) {
      if (isRateLimited(error) && waits++ < MAX_WAITS) await sleep(WAIT_MS);
      else if (isUnanswered(error) && tries++ < MAX_TRIES) await sleep(500 * tries);
      else throw error;
    }
  }
}

/**
 * Runs many requests with limited concurrency; a failure doesn't stop the others.
 * @returns results in the order of the items
 */
export async function mapConcurrent<Item, Result>(
  items: Item[],
  task: (item: Item) => Promise<Result>,
  onProgress: (done: number) => void,
): Promise<ItemResult<Item, Result>[]> {
  const outcomes: ItemResult<Item, Result>[] = [];
  const startedAt = Date.now();
  let next = 0;
  let done = 0;
  async function runWorker() {
    for (let index = next++; index < items.length; index = next++) {
      const notBefore = startedAt + (1000 * (index - BURST)) / PER_SECOND;
      if (notBefore > Date.now()) await sleep(notBefore - Date.now());
      const item = items[index] as Item;
      outcomes[index] = await withRetries(() => task(item)).then(
        (result) => ({ item, result }),
        (error: Error) => ({ item, error }),
      );
      onProgress(++done);
    }
  }
  await Promise.all(Array.from({ length: Math.min(CONCURRENCY, items.length) }, runWorker));
  return outcomes;
}
