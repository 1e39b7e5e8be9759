import { execFile, spawn } from 'node:child_process';
import { closeSync, fstatSync, mkdirSync, openSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join, resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import { eventually } from '../eventually.ts';
import { freePort } from '../ports.ts';
import { currentHost, type Host } from './host.ts';
import { createN8nClient, type N8nClient, ON_NEW_CONNECTION } from './n8n-client.ts';
import { forgetProcess, noteProcess } from './processes.ts';

const START_WITHIN_MS = 600_000;
const STOP_WITHIN_MS = 60_000;
const SHORT_WAITS = resolve(__dirname, '../n8n-hosts/short-waits.cjs');

/** What the next suite needs to know of a running n8n. */
interface State {
  pid: number;
  port: number;
  brokerPort: number;
  frontPort: number;
  webhookUrl: string;
}

export interface N8n {
  host: Host;
  origin: string;
  client: N8nClient;
  /** The initial port of WEBHOOK_URL. */
  frontPort: number;
  /** Stops it and starts it on the same data. */
  restart(change?: { webhookUrl?: string; env?: Record<string, string> }): Promise<void>;
  /** SIGKILL, like a power failure. */
  kill(): Promise<void>;
  /** Everything it has logged so far. */
  log(): string;
}

const hostsFolder = (): string => join(process.env.FARMBOARD_N8N_RUN as string, 'hosts');
const stateFile = (folder: string): string => join(folder, 'state.json');

/**
 * The n8n of this project with the packed package installed. Starting one takes 10 seconds, so it stays running for the
 * next suite; one of another project is stopped first to save memory.
 */
export async function useN8n(): Promise<N8n> {
  const host = currentHost();
  const folder = join(hostsFolder(), host.slug);
  mkdirSync(folder, { recursive: true });
  for (const slug of readdirSync(hostsFolder())) {
    if (slug !== host.slug) await stop(join(hostsFolder(), slug));
  }

  let state = readState(folder);
  if (!state) {
    mkdirSync(join(folder, '.n8n', 'nodes'), { recursive: true });
    await installPackage(host, folder);
    const frontPort = await freePort();
    const webhookUrl = `http://127.0.0.1:${frontPort}/`;
    state = await start(host, folder, { port: await freePort(), brokerPort: await freePort(), frontPort, webhookUrl });
  } else if (!isAlive(state.pid)) {
    state = await start(host, folder, state);
  }

  let current = state;
  const client = createN8nClient(`http://127.0.0.1:${current.port}`, host.publicationService);
  await client.signIn();
  return {
    host,
    origin: `http://127.0.0.1:${current.port}`,
    client,
    frontPort: current.frontPort,
    async restart({ webhookUrl = current.webhookUrl, env } = {}) {
      await stop(folder);
      current = await start(host, folder, { ...current, webhookUrl }, env);
      await client.signIn();
    },
    async kill() {
      process.kill(current.pid, 'SIGKILL');
      await waitUntilExited(current.pid);
    },
    log: () => readFileSync(join(folder, 'n8n.log'), 'utf8'),
  };
}

/** Installs the package like n8n installs a community package. */
async function installPackage(host: Host, folder: string): Promise<void> {
  const nodes = join(folder, '.n8n', 'nodes');
  writeFileSync(join(nodes, 'package.json'), '{"name":"installed-nodes","private":true,"dependencies":{}}');
  const args = ['install', process.env.FARMBOARD_N8N_PACKAGE as string];
  // the peer n8n-workflow is n8n's own; its package manager doesn't install peers either
  args.push('--ignore-scripts', '--legacy-peer-deps', '--no-audit', '--no-fund', '--cache', join(folder, '.npm'));
  await promisify(execFile)('npm', args, { cwd: nodes, env: { ...process.env, PATH: pathOf(host) } });
}

const pathOf = (host: Host): string => `${dirname(host.node)}${delimiter}${process.env.PATH}`;

/** Only these variables: Jest's own NODE_ENV and the settings of an n8n of this machine must not apply. */
function environmentOf(host: Host, folder: string, state: Omit<State, 'pid'>): Record<string, string> {
  return {
    PATH: pathOf(host),
    HOME: folder,
    NO_COLOR: '1',
    DO_NOT_TRACK: '1',
    N8N_USER_FOLDER: folder,
    N8N_ENCRYPTION_KEY: 'for-tests-only',
    N8N_HOST: '127.0.0.1',
    N8N_LISTEN_ADDRESS: '127.0.0.1',
    N8N_PORT: String(state.port),
    N8N_PROTOCOL: 'http',
    N8N_SECURE_COOKIE: 'false',
    N8N_RUNNERS_BROKER_LISTEN_ADDRESS: '127.0.0.1',
    N8N_RUNNERS_BROKER_PORT: String(state.brokerPort),
    WEBHOOK_URL: state.webhookUrl,
    N8N_WEBHOOK_URL: state.webhookUrl,
    N8N_USE_WORKFLOW_PUBLICATION_SERVICE: String(host.publicationService),
    EXECUTIONS_DATA_SAVE_ON_SUCCESS: 'all',
    // no outgoing requests
    N8N_DIAGNOSTICS_ENABLED: 'false',
    N8N_VERSION_NOTIFICATIONS_ENABLED: 'false',
    N8N_TEMPLATES_ENABLED: 'false',
    N8N_PERSONALIZATION_ENABLED: 'false',
    N8N_HIRING_BANNER_ENABLED: 'false',
    N8N_DYNAMIC_BANNERS_ENABLED: 'false',
    N8N_VERIFIED_PACKAGES_ENABLED: 'false',
    N8N_UNVERIFIED_PACKAGES_ENABLED: 'true',
    N8N_DISABLED_MODULES: host.disabledModules.join(','),
    // otherwise n8n refuses every request once its database takes more than 5 s; the second name is that of 2.8
    DB_PING_TIMEOUT_MS: '120000',
    N8N_DB_PING_TIMEOUT: '120000',
    TEST_RETRY_DELAY_MS: '50',
  };
}

async function start(
  host: Host,
  folder: string,
  { port, brokerPort, frontPort, webhookUrl }: Omit<State, 'pid'>,
  env: Record<string, string> = {},
): Promise<State> {
  const settings = { port, brokerPort, frontPort, webhookUrl };
  const logFile = join(folder, 'n8n.log');
  const out = openSync(logFile, 'a');
  const logged = fstatSync(out).size;
  const child = spawn(host.node, ['--require', SHORT_WAITS, host.n8n, 'start'], {
    cwd: folder,
    env: { ...environmentOf(host, folder, settings), ...env },
    stdio: ['ignore', out, out],
  });
  closeSync(out);
  child.unref();
  const state: State = { ...settings, pid: child.pid as number };
  noteProcess(state.pid);
  writeFileSync(stateFile(folder), JSON.stringify(state));

  try {
    await eventually(
      async () => {
        if (!isAlive(state.pid)) throw new Error(`${host.name} ended by itself`);
        // its last line: the published workflows are active by then
        const isUp = readFileSync(logFile).subarray(logged).includes('Editor is now accessible');
        return isUp && (await fetch(`http://127.0.0.1:${port}/healthz/readiness`, { headers: ON_NEW_CONNECTION })).ok;
      },
      (isReady) => isReady,
      START_WITHIN_MS,
    );
  } catch (error) {
    const end = readFileSync(logFile, 'utf8').trimEnd().split('\n').slice(-30).join('\n');
    await stop(folder);
    throw new Error(`${(error as Error).message}. The end of its log:\n${end}`);
  }
  return state;
}

/** Stops the n8n of a folder if one runs there: SIGTERM, then SIGKILL if it does not end. */
async function stop(folder: string): Promise<void> {
  const state = readState(folder);
  if (!state || !isAlive(state.pid)) return;
  process.kill(state.pid, 'SIGTERM');
  await waitUntilExited(state.pid).catch(async () => {
    process.kill(state.pid, 'SIGKILL');
    await waitUntilExited(state.pid);
  });
}

async function waitUntilExited(pid: number): Promise<void> {
  const deadline = Date.now() + STOP_WITHIN_MS;
  while (isAlive(pid)) {
    if (Date.now() > deadline) throw new Error(`process ${pid} does not end`);
    await pause(50);
  }
  forgetProcess(pid);
}

function readState(folder: string): State | undefined {
  try {
    return JSON.parse(readFileSync(stateFile(folder), 'utf8')) as State;
  } catch {
    return undefined;
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
