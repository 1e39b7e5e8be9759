import { getPriority, setPriority } from 'node:os';

/** As much before others as leaves the rest of the machine going. */
const AHEAD = -10;

/**
 * For a suite with a bar in milliseconds, at its top: this process, and the services and browsers that it starts, go before
 * whatever else the machine runs meanwhile, other suites too. Only root may ask for it; anybody else measures as it is.
 */
export function goAhead(): void {
  const amongOthers = getPriority();
  beforeAll(() => {
    try {
      setPriority(AHEAD);
    } catch (error) {
      const { info } = error as { info?: { code?: string } };
      if (info?.code !== 'EACCES') throw error;
    }
  });
  afterAll(() => setPriority(amongOthers));
}
