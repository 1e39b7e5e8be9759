import { createRequire } from 'node:module';
import { type CommandInput, required, UsageError } from './command.ts';

/** The agent (agent/src/run.ts), which the build puts beside the server. */
interface Agent {
  runAgent(configFile: string): Promise<void>;
  checkOnce(configFile: string): Promise<void>;
  isUsageError(error: unknown): error is Error;
}

/** Runs the agent until a signal stops it; with --check, only tests the connections to the server and the printers. */
export async function agent(input: CommandInput): Promise<void> {
  const file = required(input, 'config');
  const { runAgent, checkOnce, isUsageError }: Agent = createRequire(import.meta.url)('./agent.cjs');
  try {
    await (input.options.check === undefined ? runAgent(file) : checkOnce(file));
  } catch (error) {
    if (isUsageError(error)) throw new UsageError(error.message);
    throw error;
  }
}
