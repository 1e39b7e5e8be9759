import { setFlagsFromString } from 'node:v8';
import { systemClock } from '../../common/src/clock.ts';
import { createLogger } from '../../common/src/logger.ts';
import { nextSignal } from '../../common/src/signals.ts';
import { checkAgent, startAgent } from './agent.ts';
import { AgentConfigError, readAgentConfig } from './config.ts';
import { FolderInUseError } from './journal/lock.ts';

/**
 * Whether the user has to fix something before the agent can start: the config file, or another agent in the state
 * folder.
 */
export const isUsageError = (error: unknown): error is Error =>
  error instanceof AgentConfigError || error instanceof FolderInUseError;

/** Checks the server and every printer once and prints a line for each. @throws AgentConfigError */
export async function checkOnce(configFile: string): Promise<void> {
  const checks = await checkAgent(readAgentConfig(configFile), systemClock);
  for (const { ok, line } of checks) console.log(`${ok ? 'ok    ' : 'FAIL  '}${line}`);
  if (checks.some(({ ok }) => !ok)) process.exitCode = 1;
}

/**
 * Has V8 collect what messages leave behind before it is several times as much as what is in use. Set here, because
 * options of `node` would be needed for each way to start the agent.
 */
function limitMemory(): void {
  setFlagsFromString('--optimize-for-size');
  setFlagsFromString('--semi-space-growth-factor=1');
}

/** Watches printers and reports prints until a signal stops the process. @throws AgentConfigError, FolderInUseError */
export async function runAgent(configFile: string): Promise<void> {
  limitMemory();
  const config = readAgentConfig(configFile);
  const log = createLogger(config.logLevel);
  const stopSignal = nextSignal();
  const stop = await startAgent({
    config,
    log,
    clock: systemClock,
    onLost() {
      log.fatal(`another process has taken over ${config.state}; exiting`);
      process.exit(1);
    },
  });
  const signal = await stopSignal;
  log.info(`${signal}: stopping; unsent reports are kept in ${config.state}`);
  await stop();
  process.exit(0);
}
