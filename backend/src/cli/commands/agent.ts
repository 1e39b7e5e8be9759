import { checkAgent, startAgent } from '../../bridge/bridge.ts';
import { AgentConfigError, readAgentConfig } from '../../bridge/config.ts';
import { FolderInUseError } from '../../bridge/lock.ts';
import { systemClock } from '../../shared/clock.ts';
import { createLogger } from '../../shared/logger.ts';
import { type CommandInput, required, UsageError } from './command.ts';
import { nextSignal } from './signals.ts';

/** Runs the bridge between printers and the agent door until it is told to stop, or with --check looks once. */
export async function agent(input: CommandInput): Promise<void> {
  const file = required(input, 'config');
  try {
    const config = readAgentConfig(file);
    if (input.options.check !== undefined) {
      const checks = await checkAgent(config, systemClock);
      for (const { ok, line } of checks) console.log(`${ok ? 'ok    ' : 'FAIL  '}${line}`);
      if (checks.some(({ ok }) => !ok)) process.exitCode = 1;
      return;
    }
    const log = createLogger(config.logLevel);
    const told = nextSignal();
    const stop = await startAgent({
      config,
      log,
      clock: systemClock,
      onLost() {
        log.fatal(`another process has taken over ${config.state}; exiting`);
        process.exit(1);
      },
    });
    const signal = await told;
    log.info(`${signal}: stopping; unsent reports are kept in ${config.state}`);
    await stop();
    process.exit(0);
  } catch (error) {
    if (error instanceof AgentConfigError || error instanceof FolderInUseError) throw new UsageError(error.message);
    throw error;
  }
}
