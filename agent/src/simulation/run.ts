import { once } from 'node:events';
import type { SimulationInput } from '../../../common/src/simulation.ts';
import { simulate } from './simulate.ts';

async function run(): Promise<void> {
  const stop = new AbortController();
  // without its parent, nobody would stop it
  for (const reason of ['SIGTERM', 'SIGINT', 'disconnect'] as const) process.once(reason, () => stop.abort());
  const [input] = (await once(process, 'message')) as [SimulationInput];
  await simulate(input, (message) => process.send?.(message), stop.signal);
}

/** The program of a simulated farm. Its parent sends what it needs as the first message, and hears what happens. */
export function runSimulation(): void {
  run().then(
    () => process.exit(0),
    (error: unknown) => {
      process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
      process.exit(1);
    },
  );
}
