import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { TOKEN } from './agent-server.ts';
import { eventually } from './eventually.ts';
import { LAUNCHER } from './service.ts';

/** As short as the config allows, so that tests don't wait. */
const QUICK = {
  poll_seconds: 0.02,
  retry_seconds: 0.02,
  max_retry_seconds: 0.2,
  heartbeat_seconds: 1,
  timeout_seconds: 5,
  settle_seconds: 0.3,
};

/** For an agent whose clock runs fast: nothing but the printers' own time matters. */
export const PATIENT = {
  retry_seconds: 0.2,
  max_retry_seconds: 2,
  heartbeat_seconds: 120,
  timeout_seconds: 120,
};

/** A folder with the configuration and state of an agent. */
export function createAgentFolder(config: Record<string, unknown>) {
  const folder = mkdtempSync(join(tmpdir(), 'farmboard-agent-'));
  const file = join(folder, 'agent.json');
  writeFileSync(file, JSON.stringify({ token: TOKEN, timing: QUICK, ...config }));
  return {
    folder,
    file,
    state: join(folder, 'agent-state'),
    journal: () => readFileSync(join(folder, 'agent-state/journal.jsonl'), 'utf8'),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

export type AgentProcess = Awaited<ReturnType<typeof spawnAgent>>;

/**
 * A real agent. Its log is one line per message, without time and level.
 * @param command what starts it: the server's command or the separately installed agent
 */
export function spawnAgent(file: string, env: Record<string, string> = {}, command = [LAUNCHER, 'agent']) {
  const child: ChildProcess = spawn(process.execPath, [...command, '--config', file], {
    // an impossible path: the agent must never open a database
    env: { ...process.env, DATABASE_URL: 'sqlite:/nowhere/at/all.sqlite3', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const log: string[] = [];
  const take = (line: string) => log.push(line.startsWith('{') ? (JSON.parse(line) as { msg: string }).msg : line);
  createInterface({ input: child.stdout as NodeJS.ReadableStream }).on('line', take);
  createInterface({ input: child.stderr as NodeJS.ReadableStream }).on('line', take);
  const exited = (once(child, 'exit') as Promise<[number | null, string | null]>).then(([code, signal]) => ({
    code,
    signal,
  }));
  return {
    pid: child.pid as number,
    log,
    exited,
    /** resolves once a line holds the text, `times` times since it started */
    logged: (text: string, times = 1) =>
      eventually(
        () => log.filter((line) => line.includes(text)).length,
        (count) => count >= times,
      ).catch((error: Error) => {
        throw new Error(`"${text}" ${times} times: ${error.message}\n${log.slice(-20).join('\n')}`);
      }),
    count: (text: string) => log.filter((line) => line.includes(text)).length,
    async stop() {
      child.kill('SIGTERM');
      return (await exited).code;
    },
    async kill() {
      child.kill('SIGKILL');
      await exited;
    },
  };
}
