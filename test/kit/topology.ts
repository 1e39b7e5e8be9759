import { type ChildProcess, execFile, type SpawnOptions, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Env, readCompose, SECRETS, type ServiceSpec } from './compose.ts';
import { createTestDatabase, POSTGRES_URL } from './engine.ts';
import { eventually, PATIENCE_MS } from './eventually.ts';
import { assembleImage, ROOT } from './image.ts';
import { startNginx } from './nginx.ts';
import { freePort } from './ports.ts';
import { type Receiver, startReceiver } from './receiver.ts';

/** Services that already run: not started or killed here. */
const RUNNING_STACK = {
  log: [],
  ended: new Promise<never>(() => undefined),
  stop: async () => 0,
  kill: async () => undefined,
};

const ownPath: Env = { PATH: process.env.PATH as string };

/** A container of a service, as a process. */
export interface Container {
  service: string;
  port: number;
  log: string[];
  /** Resolves with its exit code; null if a signal ended it. */
  ended: Promise<number | null>;
  /** The service's own health check. */
  isHealthy(): Promise<boolean>;
  /** As `docker compose stop` does. */
  stop(): Promise<number | null>;
  /** Kills at once, suspended before, so that database statements in progress finish without a response. */
  kill(): Promise<void>;
}

/** The secrets as files of which only their folder is protected, which containers don't see. */
function writeSecrets(secrets: Env) {
  const folder = mkdtempSync(join(tmpdir(), 'farmboard-secrets-'));
  // what stands for /tmp of a container
  chmodSync(folder, 0o777);
  const files = Object.entries(secrets).map(([name, secret]) => {
    const file = join(folder, name);
    writeFileSync(file, secret);
    return [`${name}_FILE`, file] as const;
  });
  return {
    folder,
    /** What .env has. */
    env: Object.fromEntries(files),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

interface Launch extends SpawnOptions {
  env: Env;
  isHealthy(): Promise<boolean>;
}

/** Starts a container's command as a process. */
function launch(service: string, port: number, command: string[], options: Launch): Container {
  const { isHealthy, ...spawning } = options;
  const [program, ...args] = command as [string, ...string[]];
  const child: ChildProcess = spawn(program, args, { ...spawning, stdio: ['ignore', 'pipe', 'pipe'] });
  const log: string[] = [];
  for (const stream of [child.stdout, child.stderr])
    stream?.setEncoding('utf8').on('data', (text: string) => log.push(text));
  const ended = once(child, 'exit').then(([code]) => code as number | null);
  return {
    service,
    port,
    log,
    ended,
    isHealthy,
    stop() {
      child.kill('SIGTERM');
      return ended;
    },
    async kill() {
      child.kill('SIGSTOP');
      await sleep(50);
      child.kill('SIGKILL');
      await ended;
    },
  };
}

/** @throws Error with its log when it ends instead */
const untilHealthy = ({ service, log, ended, isHealthy }: Container): Promise<unknown> =>
  Promise.race([
    eventually(
      // with a pause, because a health check is a process and would compete with the starting one
      async () => (await isHealthy()) || sleep(300, false),
      (is) => is,
      5 * PATIENCE_MS,
    ),
    ended.then((code) => Promise.reject(new Error(`${service} ended with ${code}: ${log.join('')}`))),
  ]);

async function untilDone({ service, log, ended }: Container): Promise<void> {
  if ((await ended) !== 0) throw new Error(`${service} failed: ${log.join('')}`);
}

interface Setup {
  compose: ReturnType<typeof readCompose>;
  image: ReturnType<typeof assembleImage>;
}

/** Runs the service's health check unchanged except for the port. */
function check({ compose, image }: Setup, service: string, port: number, env: Env): Promise<boolean> {
  const [, program, ...args] = compose.services[service]!.healthcheck!.test as [string, string, ...string[]];
  const more = program === 'redis-cli' ? ['-p', String(port)] : [];
  const words = args.map((word) => word.replace('127.0.0.1:8080', `127.0.0.1:${port}`));
  return new Promise((resolve) => {
    execFile(program, [...more, ...words], { ...image.options, env: { ...env, PGPORT: String(port) } }, (error) =>
      resolve(error === null),
    );
  });
}

/** Starts containers; names and ports of the compose file become those of this machine. */
function createStarter(
  setup: Setup,
  places: [string, string][],
  ports: { redis: number; postgres: number },
  of: (service: string) => Container[],
) {
  const { compose, image } = setup;
  let proxy: Awaited<ReturnType<typeof startNginx>> | undefined;
  const here = (text: string): string => places.reduce((all, [name, place]) => all.replaceAll(name, place), text);

  const placedEnvironment = ({ environment = {} }: ServiceSpec): Env =>
    Object.fromEntries(Object.entries(environment).map(([key, value]) => [key, here(value)]));

  const environmentOf = (spec: ServiceSpec, port: number): Env =>
    image.environment({
      ...placedEnvironment(spec),
      HOST: '127.0.0.1',
      PORT: String(port),
    });

  function startFromImage(service: string, spec: ServiceSpec, port: number): Container {
    const command = spec.command?.map(image.place) ?? (JSON.parse(image.last.CMD as string) as string[]);
    const env = environmentOf(spec, port);
    return launch(service, port, command, { ...image.options, env, isHealthy: () => check(setup, service, port, env) });
  }

  async function startContainer(service: string, port?: number): Promise<Container> {
    const spec = compose.services[service] as ServiceSpec;
    if (service === 'postgres') {
      return {
        ...RUNNING_STACK,
        service,
        port: ports.postgres,
        isHealthy: () => check(setup, service, ports.postgres, ownPath),
      };
    }
    if (service === 'redis') {
      const command = [...(spec.command as string[]), '--port', String(ports.redis), '--bind', '127.0.0.1'].map(here);
      return launch(service, ports.redis, command, {
        ...image.options,
        env: { ...ownPath, ...placedEnvironment(spec) },
        isHealthy: () => check(setup, service, ports.redis, ownPath),
      });
    }
    if (service === 'proxy') {
      const [config = ''] = spec.volumes?.[0]?.split(':') ?? [];
      const upstream = { name: 'api:3000', ports: of('api').map((api) => api.port) };
      proxy = await startNginx(join(ROOT, config), upstream, spec.entrypoint as string[]);
      const { port, stop } = proxy;
      return { ...RUNNING_STACK, service, port, stop, isHealthy: () => check(setup, service, port, ownPath) };
    }
    return startFromImage(service, spec, port ?? (await freePort()));
  }

  return { startContainer, environmentOf, proxy: () => proxy as NonNullable<typeof proxy> };
}

export type Topology = Awaited<ReturnType<typeof startTopology>>;

/**
 * docker-compose.yml as processes of this machine: every service's own command with its own environment, in the order
 * of depends_on, once for each replica. Names and ports of containers become ports of 127.0.0.1. PostgreSQL is the one
 * of the tests, with its own database; a webhook receiver replaces n8n.
 * @param settings more of .env
 */
export async function startTopology(settings: Env = {}) {
  const database = createTestDatabase();
  const address = new URL(database.url);
  const password = decodeURIComponent(address.password) || (SECRETS.POSTGRES_PASSWORD as string);
  address.password = '';
  const secrets = writeSecrets({ ...SECRETS, POSTGRES_PASSWORD: password });
  const compose = readCompose({ ...secrets.env, ...settings });
  const image = assembleImage({ isBuilt: true });
  const n8n: Receiver = await startReceiver();
  const ports = { redis: await freePort(), postgres: Number(new URL(POSTGRES_URL).port || 5432) };
  const containers: Container[] = [];
  const of = (service: string): Container[] => containers.filter((one) => one.service === service);

  const isOneShot = (service: string): boolean => compose.services[service]?.restart === 'no';

  const places: [string, string][] = [
    [compose.services.api!.environment!.DATABASE_URL as string, address.href],
    ...Object.entries(compose.secrets).map(([name, { file }]): [string, string] => [`/run/secrets/${name}`, file]),
    ['/tmp/redis.conf', join(secrets.folder, 'redis.conf')],
    ['redis:6379', `127.0.0.1:${ports.redis}`],
    ['n8n:5678', new URL(n8n.url).host],
  ];
  const { startContainer, environmentOf, proxy } = createStarter({ compose, image }, places, ports, of);

  /** @throws Error when a dependency isn't met, like Compose */
  async function up(service: string): Promise<void> {
    if (of(service).length > 0) return;
    const { depends_on = {}, deploy } = compose.services[service] as ServiceSpec;
    for (const [needed, { condition }] of Object.entries(depends_on)) {
      await up(needed);
      for (const container of of(needed)) await (condition === 'service_healthy' ? untilHealthy : untilDone)(container);
    }
    for (let i = 0; i < (deploy?.replicas ?? 1); i++) containers.push(await startContainer(service));
  }

  /** Starts an ended container again, at the same address. */
  async function start(container: Container): Promise<Container> {
    const restarted = await startContainer(container.service, container.port);
    containers[containers.indexOf(container)] = restarted;
    return restarted;
  }

  async function remove(): Promise<void> {
    await Promise.all(containers.map((one) => (one.service === 'proxy' ? one.stop() : one.kill())));
    await n8n.stop();
    database.drop();
    secrets.remove();
    image.remove();
  }

  try {
    for (const service of Object.keys(compose.services).filter((name) => name !== 'n8n')) await up(service);
    await Promise.all(containers.map((one) => (isOneShot(one.service) ? one.ended : untilHealthy(one))));
  } catch (error) {
    await remove();
    throw error;
  }

  return {
    compose,
    n8n,
    proxy: proxy(),
    databaseUrl: database.url,
    /** Where n8n's volume is. */
    n8nFolder: image.place('/n8n'),
    of,

    /** `docker compose exec api farmboard …` */
    exec(args: string[]): Promise<string> {
      const env = environmentOf(compose.services.api as ServiceSpec, 0);
      return new Promise((resolve, reject) => {
        execFile('farmboard', args, { ...image.options, env }, (error, stdout, stderr) =>
          error ? reject(new Error(stderr)) : resolve(stdout.trim()),
        );
      });
    },

    /** Starts a killed container again and waits until it is healthy, like `restart: unless-stopped`. */
    async restart(container: Container): Promise<void> {
      await untilHealthy(await start(container));
    },

    start,

    /** Like `docker compose stop`: dependent services first. @returns the exit code of each */
    async down(): Promise<Record<string, (number | null)[]>> {
      const codes: Record<string, (number | null)[]> = {};
      for (const service of ['proxy', 'worker', 'api', 'redis'])
        codes[service] = await Promise.all(of(service).map((one) => one.stop()));
      containers.length = 0;
      return codes;
    },

    remove,
  };
}
