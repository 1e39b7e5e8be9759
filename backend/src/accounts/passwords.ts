import { randomBytes } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { hash as argon2, verify } from '@node-rs/argon2';
import { DomainError, invalid } from '../shared/errors.ts';

/** argon2id (the library's default variant) with OWASP's minimum costs: 19 MiB, 2 passes, no parallelism. */
const COST = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };

/** In code points: what a person counts as characters. Source: NIST SP 800-63B-4, 3.1.1.2. */
const MIN_LENGTH = 12;
/** Shorter ones must be hard to guess. */
const LONG_ENOUGH = 15;
const MAX_LENGTH = 1024;
/** zxcvbn's scale from 0 to 4; 3: safe against offline attacks on a slow hash */
const MIN_SCORE = 3;

/**
 * Each hash occupies a processor and one of the four libuv threads, which SQLite's driver uses too; at least half of
 * both stay free.
 */
const CONCURRENCY = Math.max(1, Math.min(2, Math.floor(availableParallelism() / 2)));
/** Further requests are refused: a full queue takes one to two seconds. */
const MAX_WAITING = 64;
/** So that one client can't fill the queue for all. */
const MAX_WAITING_OF_CLIENT = 10;

/** The same text for the same letters, however a keyboard composes them. Source: NIST SP 800-63B-4, 3.1.1.2. */
const normalize = (password: string): string => password.normalize('NFC');

const randomBase64 = (bytes: number): string => randomBytes(bytes).toString('base64').replaceAll('=', '');

/** A hash that costs as much to check as any other, and that no known password matches. */
export const createUnmatchedHash = (): string =>
  `$argon2id$v=19$m=${COST.memoryCost},t=${COST.timeCost},p=${COST.parallelism}$${randomBase64(16)}$${randomBase64(32)}`;

export type Passwords = ReturnType<typeof createPasswords>;

/** zxcvbn with its lists of common passwords; loaded on demand, because few requests need it. */
let estimator: Promise<(password: string, related: string[]) => number> | undefined;

async function loadEstimator() {
  const [{ ZxcvbnFactory }, { dictionary, adjacencyGraphs }] = await Promise.all([
    import('@zxcvbn-ts/core'),
    import('@zxcvbn-ts/language-common'),
  ]);
  const zxcvbn = new ZxcvbnFactory({ dictionary, graphs: adjacencyGraphs });
  return (password: string, related: string[]) =>
    zxcvbn.check(password, ['farmboard', ...related.flatMap((text) => text.split(/[^\p{L}\p{N}]+/u))]).score;
}

/** @throws DomainError validation_error if the password is too short, too long or too easy to guess */
async function requireStrength(password: string, pointer: string, related: string[]): Promise<void> {
  const length = [...password].length;
  if (length < MIN_LENGTH || length > MAX_LENGTH) {
    throw invalid(pointer, `The password must be ${MIN_LENGTH} to ${MAX_LENGTH} characters.`);
  }
  if (length >= LONG_ENOUGH) return;
  estimator ??= loadEstimator();
  if ((await estimator)(password, related) >= MIN_SCORE) return;
  throw invalid(
    pointer,
    `This password is easy to guess. Use at least ${LONG_ENOUGH} characters, for example several words, or a less common one.`,
  );
}

/**
 * Hashes and verifies passwords with limited concurrency, so that a flood of sign-ins does not slow down the service.
 */
export function createPasswords() {
  let running = 0;
  const waiting: { client: string | undefined; start: () => void }[] = [];
  const dummyHash = createUnmatchedHash();

  const queueFull = () =>
    new DomainError('rate_limited', 'Too many people are signing in right now. Try again in a moment.', {
      retryAfter: 2,
    });

  const isFull = (client: string | undefined): boolean =>
    waiting.length >= MAX_WAITING ||
    (client !== undefined && waiting.filter((other) => other.client === client).length >= MAX_WAITING_OF_CLIENT);

  async function withLimit<T>(client: string | undefined, work: () => Promise<T>): Promise<T> {
    if (running < CONCURRENCY) running += 1;
    else if (isFull(client)) throw queueFull();
    else await new Promise<void>((start) => waiting.push({ client, start }));
    try {
      return await work();
    } finally {
      // hand the slot to the next one, or free it
      const next = waiting.shift();
      if (next) next.start();
      else running -= 1;
    }
  }

  return {
    /** Checks for capacity before other work is done. @throws DomainError rate_limited if the queue is full */
    requireCapacity(client: string): void {
      if (isFull(client)) throw queueFull();
    },

    /**
     * Hashes a new password.
     * @param related what someone who knows the owner would try, such as the email
     * @param pointer JSON pointer of the password in the body
     * @throws DomainError validation_error if it is too short, too long or easy to guess; rate_limited
     */
    async hash(password: string, related: string[], pointer = '/password'): Promise<string> {
      const normalized = normalize(password);
      await requireStrength(normalized, pointer, related);
      return withLimit(undefined, () => argon2(normalized, COST));
    },

    /**
     * Checks a password. Takes equally long without a hash, so that timing does not reveal accounts.
     * @throws DomainError rate_limited
     */
    verify: (hash: string | undefined, password: string, client: string): Promise<boolean> =>
      withLimit(client, () => verify(hash ?? dummyHash, normalize(password))),
  };
}
