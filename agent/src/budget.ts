/** What a message or packet costs besides its bytes, so that many small ones are limited, too. */
export const MESSAGE_COST = 512;

const MIB = 1024 * 1024;

export type Budget = ReturnType<typeof createBudget>;

/**
 * Counts what another program sends, or what is kept of it, and throws when it is too much.
 * @param capacity how much may be taken at once
 * @param perSecond how much of it comes back by itself; 0: only what is given back
 * @param message of the error
 */
export function createBudget(capacity: number, perSecond: number, message: string) {
  let left = capacity;
  let countedAt = performance.now();

  function refill(): void {
    const now = performance.now();
    left = Math.min(capacity, left + ((now - countedAt) / 1000) * perSecond);
    countedAt = now;
  }

  return {
    /** @throws Error if more is taken than is left; nothing is taken then */
    take(amount: number): void {
      refill();
      if (amount > left) throw new Error(message);
      left -= amount;
    },
    give(amount: number): void {
      left = Math.min(capacity, left + amount);
    },
    /** How long it takes until this amount can be taken, ms. */
    msUntil(amount: number): number {
      refill();
      return amount <= left ? 0 : ((amount - left) / perSecond) * 1000;
    },
  };
}

/**
 * What one printer may send, over all its connections. Printers send up to 50 kB in a second, some 200 small messages in a
 * burst, and after a long absence a history of some MB.
 */
export const createTraffic = (): Budget => createBudget(16 * MIB, MIB, 'the printer sends too much');
