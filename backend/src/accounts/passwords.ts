import { availableParallelism } from 'node:os';
import { hash as argon2, verify } from '@node-rs/argon2';
import { createToken } from '../shared/crypto.ts';
import { DomainError, invalid } from '../shared/errors.ts';

/** argon2id (the library's default variant) with OWASP's minimum costs: 19 MiB, 2 passes, no parallelism. */
const COST = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };

const MIN_LENGTH = 12;
const MAX_LENGTH = 1024;

/**
 * Each hash occupies a processor and one of the four libuv threads, which SQLite's driver uses too; at least half of
 * both stay free.
 */
const CONCURRENCY = Math.max(1, Math.min(2, Math.floor(availableParallelism() / 2)));
/** Further requests are refused: a full queue takes one to two seconds. */
const MAX_WAITING = 64;

export type Passwords = ReturnType<typeof createPasswords>;

/**
 * Hashes and verifies passwords with limited concurrency, so that a flood of sign-ins does not slow down the service.
 */
export function createPasswords() {
  let running = 0;
  const waiting: (() => void)[] = [];
  let dummyHash: Promise<string> | undefined;

  const queueFull = () =>
    new DomainError('rate_limited', 'Too many people are signing in right now. Try again in a moment.', {
      retryAfter: 2,
    });

  async function withLimit<T>(work: () => Promise<T>): Promise<T> {
    if (running < CONCURRENCY) running += 1;
    else if (waiting.length < MAX_WAITING) await new Promise<void>((resolve) => waiting.push(resolve));
    else throw queueFull();
    try {
      return await work();
    } finally {
      // hand the slot to the next one, or free it
      const next = waiting.shift();
      if (next) next();
      else running -= 1;
    }
  }

  return {
    /** Checks for capacity before other work is done. @throws DomainError rate_limited if the queue is full */
    requireCapacity(): void {
      if (waiting.length >= MAX_WAITING) throw queueFull();
    },

    /**
     * @param pointer JSON pointer of the password in the body
     * @throws DomainError validation_error if it is too short or too long; rate_limited
     */
    async hash(password: string, pointer = '/password'): Promise<string> {
      if (password.length < MIN_LENGTH || password.length > MAX_LENGTH) {
        throw invalid(pointer, `The password must be ${MIN_LENGTH} to ${MAX_LENGTH} characters.`);
      }
      return withLimit(() => argon2(password, COST));
    },

    /**
     * Whether the password matches the hash. Takes equally long without a hash, so that timing does not reveal
     * accounts. @throws DomainError rate_limited
     */
    async matches(hash: string | undefined, password: string): Promise<boolean> {
      dummyHash ??= argon2(createToken('nobody'), COST);
      const against = hash ?? (await dummyHash);
      return (await withLimit(() => verify(against, password))) && hash !== undefined;
    },
  };
}
