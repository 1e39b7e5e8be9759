import { rmSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLogger } from '../../../../common/src/logger.ts';
import { type Config, readConfig } from '../../config/config.ts';
import { type RunningServer, startServer } from '../../main.ts';
import { LANGUAGES } from '../../shared/language.ts';
import { SettingError } from '../../shared/setting-error.ts';
import { type CommandInput, UsageError } from './command.ts';
import { walkReferenceFlow } from './demo-flow.ts';
import { watchSimulation } from './demo-live.ts';
import { withFarmboard } from './with-farmboard.ts';

const MAX_SPEED = 100;
const MAX_SEED = 2 ** 31 - 1;

const OWNER = { email: 'owner@demo.example', name: 'Demo farm' };

/**
 * `farmboard demo --email E` adds sample data to an account; `farmboard demo` runs the whole flow on a temporary farm,
 * and `--live` shows a simulated day there.
 */
export async function demo({ options }: CommandInput): Promise<void> {
  const { email } = options;
  const language = LANGUAGES.find((one) => one === (options.language ?? 'en'));
  if (!language) throw new UsageError(`--language is one of ${LANGUAGES.join(', ')}.`);
  if (options.live !== undefined) {
    if (email !== undefined) throw new UsageError('--live has an account of its own, so it takes no --email.');
    const day = { language, seed: readNumber(options, 'seed', 1), speed: readNumber(options, 'speed', 1) };
    return onTemporaryServer((running) => watchSimulation(running, day));
  }
  if (email === undefined) return onTemporaryServer(showReferenceFlow);
  await withFarmboard(async (farmboard) => {
    const { id } = await farmboard.accounts.accountOf(email);
    const created = await farmboard.sample.fill(id, { onlyEmpty: false, language });
    console.log(
      `Added to ${email}: ${created.orders} orders, ${created.printers} printers in ${created.groups} groups, ${created.filaments} filaments in ${created.batches} batches, ${created.requests} requests and ${created.invoices} invoices.`,
    );
  });
}

/** Starts on the configured port, or on a free one if that is taken. */
async function startOnAnyPort(file: string): Promise<RunningServer> {
  const config: Config = {
    ...readConfig(),
    database: { engine: 'sqlite', file },
    secretKey: undefined,
    logLevel: 'warn',
    maxSimulations: 1,
  };
  const logger = createLogger(config.logLevel);
  try {
    return await startServer(config, logger);
  } catch (error) {
    if (!(error instanceof SettingError) || error.setting !== 'PORT') throw error;
    return startServer({ ...config, port: 0 }, logger);
  }
}

/** @throws UsageError */
function readNumber(options: CommandInput['options'], name: 'seed' | 'speed', fallback: number): number {
  const text = options[name] ?? String(fallback);
  const max = name === 'speed' ? MAX_SPEED : MAX_SEED;
  const value = Number(text);
  if (/^\d{1,10}$/.test(text) && value >= 1 && value <= max) return value;
  throw new UsageError(`--${name} is a whole number from 1 to ${max}.`);
}

/** Runs something on a server whose data is deleted afterwards. */
async function onTemporaryServer(work: (running: RunningServer) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'farmboard-demo-'));
  let running: RunningServer | undefined;
  try {
    running = await startOnAnyPort(join(folder, 'farmboard.sqlite3'));
    await work(running);
  } finally {
    await running?.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function showReferenceFlow(running: RunningServer): Promise<void> {
  const { accounts } = running.farmboard;
  const account = await accounts.createAccount({ ...OWNER, password: 'a demo needs no secret' });
  const token = await accounts.createToken({ email: OWNER.email, passwordCheckedAt: null }, { name: 'demo' });
  const created = await running.farmboard.sample.fill(account.id, { onlyEmpty: false, language: 'en' });
  console.log(
    `Created a temporary farm with ${created.orders} orders, ${created.printers} printers in ${created.groups} groups and ${created.filaments} filaments in ${created.batches} batches.`,
  );
  console.log(`  API    ${running.url}/api/v1   (reference: ${running.url}/docs/api/)`);
  console.log(`  Token  ${token}\n`);
  await walkReferenceFlow(`${running.url}/api/v1`, token);
  if (process.stdin.isTTY) {
    console.log('\nThe farm keeps running so you can try it. Press Ctrl+C to stop it and delete its data.');
    await new Promise((resolve) => process.once('SIGINT', resolve));
  }
}
