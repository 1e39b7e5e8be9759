import { availableParallelism } from 'node:os';
import { hash as argon2, verify } from '@node-rs/argon2';
import { createToken } from '../shared/crypto.ts';
import { DomainError, invalid } from '../shared/errors.ts';

/** argon2id (the library's default kind) with OWASP's least costs: 19 MiB, 2 passes, 1 lane. */
const COST = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };

const LEAST = 12;
const MOST = 1024;

/**
 * Each takes a processor, and one of the four threads that SQLite's driver works on too: at least half of both stay free
 * for everybody else.
 */
const AT_ONCE = Math.max(1, Math.min(2, Math.floor(availableParallelism() / 2)));
/** Whoever would wait behind so many is told to come back: they are a second's work or two. */
const MAX_WAITING = 64;

export type Passwords = ReturnType<typeof createPasswords>;

/** Hashes and verifies passwords, few at a time: a flood of sign-ins must not take the service from those who are in. */
export function createPasswords() {
  let running = 0;
  const waiting: (() => void)[] = [];
  let nobody: Promise<string> | undefined;

  const crowded = () =>
    new DomainError('rate_limited', 'Too many people are signing in right now. Try again in a moment.', {
      retryAfter: 2,
    });

  async function inTurn<T>(work: () => Promise<T>): Promise<T> {
    if (running < AT_ONCE) running += 1;
    else if (waiting.length < MAX_WAITING) await new Promise<void>((resolve) => waiting.push(resolve));
    else throw crowded();
    try {
      return await work();
    } finally {
      // the place is handed on, or given back
      const next = waiting.shift();
      if (next) next();
      else running -= 1;
    }
  }

  return {
    /** For those who do other work first. @throws DomainError rate_limited when no more may wait */
    requireRoom(): void {
      if (waiting.length >= MAX_WAITING) throw crowded();
    },

    /**
     * @param pointer where in the body the password stood
     * @throws DomainError validation_error when it is too short or too long; rate_limited
     */
    async hash(password: string, pointer = '/password'): Promise<string> {
      if (password.length < LEAST || password.length > MOST) {
        throw invalid(pointer, `The password must be ${LEAST} to ${MOST} characters.`);
      }
      return inTurn(() => argon2(password, COST));
    },

    /** Whether the password is the hashed one. Takes as long where there is no hash. @throws DomainError rate_limited */
    async matches(hash: string | undefined, password: string): Promise<boolean> {
      nobody ??= argon2(createToken('nobody'), COST);
      const against = hash ?? (await nobody);
      return (await inTurn(() => verify(against, password))) && hash !== undefined;
    },
  };
}
