import { checkOnce, isUsageError, runAgent } from '../../../../agent/src/run.ts';
import { type CommandInput, required, UsageError } from './command.ts';

/** Runs the agent until a signal stops it; with --check, only tests the connections to the server and the printers. */
export async function agent(input: CommandInput): Promise<void> {
  const file = required(input, 'config');
  try {
    await (input.options.check === undefined ? runAgent(file) : checkOnce(file));
  } catch (error) {
    if (isUsageError(error)) throw new UsageError(error.message);
    throw error;
  }
}
