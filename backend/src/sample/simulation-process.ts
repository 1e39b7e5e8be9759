import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { fileURLToPath } from 'node:url';
import type { Logger } from '../../../common/src/logger.ts';
import type { SimulationInput, SimulationMessage } from '../../../common/src/simulation.ts';

export interface SimulationProcess {
  /** Resolves when the process has exited: its day is over, it was stopped, or it failed. */
  ended: Promise<'over' | 'stopped' | 'failed'>;
  stop(): Promise<void>;
}

/** It finishes the request in progress. */
const STOP_WITHIN_MS = 5_000;

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.kill('SIGTERM');
  const timer = setTimeout(() => child.kill('SIGKILL'), STOP_WITHIN_MS);
  await exited;
  clearTimeout(timer);
}

export type LaunchSimulation = (
  input: SimulationInput,
  onMessage: (message: SimulationMessage) => void,
) => SimulationProcess;

/** Runs simulations as child processes, with none of the server's settings. */
export const createLauncher =
  (logger: Logger): LaunchSimulation =>
  (input, onMessage) => {
    // beside the bundle, see build.mjs
    const child = fork(fileURLToPath(new URL('./simulation.cjs', import.meta.url)), {
      env: { TMPDIR: tmpdir(), TEMP: tmpdir() },
      execArgv: ['--max-semi-space-size=2'],
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    });
    let said = '';
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      said = (said + text).slice(-2_000);
    });
    child.on('message', (message) => onMessage(message as SimulationMessage));
    child.on('error', (error) => logger.warn({ err: error }, 'a simulation could not be started'));
    child.send(input);
    const exit = once(child, 'exit').catch(() => [1]) as Promise<[number | null]>;
    const ended = exit.then(([code]) => {
      if (child.killed) return 'stopped';
      if (code === 0) return 'over';
      logger.warn({ reason: said.trim() }, 'a simulation ended before its day');
      return 'failed';
    });
    return { ended, stop: () => stop(child) };
  };
