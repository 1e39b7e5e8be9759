import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse } from 'yaml';
import { readConfig, SETTINGS } from '../../backend/src/config/config.ts';
import { createGuard } from '../../backend/src/webhooks/delivery/guard.ts';
import { COMPOSE_FILE, faultsOfCompose, readCompose, SECRETS } from '../kit/compose.ts';
import { createIgnore, ROOT, readDockerfile } from '../kit/image.ts';

const compose = readCompose(SECRETS);
const services = Object.entries(compose.services);
const ours = services.filter(([, { build }]) => build !== undefined);
/** They end by themselves. */
const ONE_SHOTS = ['migrate', 'n8n-nodes'];
const seconds = (duration = '10s'): number => Number(/^(\d+)s$/.exec(duration)?.[1]);

describe('docker-compose.yml', () => {
  test('is valid Compose, unlike a mistyped key', () => {
    expect(faultsOfCompose(COMPOSE_FILE)).toEqual([]);
    for (const [right, wrong] of [
      ['healthcheck:', 'helthcheck:'],
      ['condition: service_healthy', 'conditon: service_healthy'],
      ['read_only: true', 'read_only: perhaps'],
      ['replicas: 2', 'replicas: two'],
      ['start_period: 30s', 'start_period: soon'],
      ['internal: true', 'intrnal: true'],
    ] as const) {
      expect(COMPOSE_FILE).toContain(right);
      expect([wrong, faultsOfCompose(COMPOSE_FILE.replace(right, wrong)).length > 0]).toEqual([wrong, true]);
    }
  });

  test('uses existing settings with valid values', () => {
    expect(ours.map(([name]) => name)).toEqual(['migrate', 'api', 'worker', 'n8n-nodes']);
    for (const [name, { environment }] of ours) {
      // it has nothing to do with the database and gets none of its secrets
      if (!environment) {
        expect(name).toBe('n8n-nodes');
        continue;
      }
      const settings = Object.keys(environment).map((key) => key.replace(/_FILE$/, ''));
      expect([name, settings.filter((key) => !(key in SETTINGS))]).toEqual([name, []]);
      const config = readConfig(environment);
      expect(config.role).toBe(name === 'migrate' ? 'all' : name);
      expect(config.database).toEqual({
        engine: 'postgres',
        url: `postgres://farmboard:${SECRETS.POSTGRES_PASSWORD}@postgres:5432/farmboard`,
        connections: 20,
      });
    }
    const { PUBLIC_URL: _, ...shared } = compose.services.api!.environment!;
    expect({ ...compose.services.worker!.environment, ROLE: 'api' }).toMatchObject(shared);
  });

  test('names missing secrets, and .env.example explains every variable', () => {
    for (const name of Object.keys(SECRETS))
      expect(() => readCompose({ ...SECRETS, [name]: '' })).toThrow(`secret "${name.toLowerCase()}" must declare`);
    const used = new Set([...COMPOSE_FILE.matchAll(/\$\{(\w+)/g)].map(([, name]) => name));
    const example = readFileSync(join(ROOT, '.env.example'), 'utf8');
    const explained = [...example.matchAll(/^# ([A-Z_0-9]+)=(.*)$/gm)].map(([, name, value]) => ({ name, value }));
    expect(explained.map(({ name }) => name).sort()).toEqual([...used].sort());
    const isSecret = (name = '') => name.replace(/_FILE$/, '').toLowerCase() in compose.secrets;
    const withDefault = explained.filter(({ name }) => !isSecret(name));
    for (const { name, value } of withDefault) expect(COMPOSE_FILE).toContain(`\${${name}:-${value}}`);
  });

  /** Runs what .env.example says. @returns the new .env, with its files in a folder */
  function createSecrets(folder: string): Record<string, string> {
    const example = readFileSync(join(ROOT, '.env.example'), 'utf8');
    for (const command of example.matchAll(/^# {3}((?:mkdir|for name in) .*)$/gm))
      execFileSync('sh', ['-ec', command[1] as string], { cwd: folder });
    const lines = readFileSync(join(folder, '.env'), 'utf8').trim().split('\n');
    return Object.fromEntries(lines.map((line) => line.split('=') as [string, string]));
  }

  test('has commands in .env.example that create valid secrets, which no environment or argument contains', () => {
    const folder = mkdtempSync(join(tmpdir(), 'farmboard-env-'));
    try {
      const env = createSecrets(folder);
      expect(Object.keys(env).sort()).toEqual(
        Object.keys(SECRETS)
          .map((name) => `${name}_FILE`)
          .sort(),
      );
      const { services, secrets } = readCompose(env);
      const values = Object.values(env).map((file) => readFileSync(join(folder, file), 'utf8'));
      // n8n takes the file as it is
      for (const value of values) expect(value).toMatch(/^[0-9a-f]{64}$/);
      expect(new Set(values).size).toBe(values.length);
      for (const value of [...values, ...Object.values(env)]) expect(JSON.stringify(services)).not.toContain(value);
      expect(services.n8n!.environment).not.toHaveProperty('N8N_ENCRYPTION_KEY');

      // the files where the containers have them
      for (const [name, spec] of Object.entries(services)) {
        const mounted = spec.secrets?.map((secret) => `/run/secrets/${secret}`) ?? [];
        for (const [key, value] of Object.entries(spec.environment ?? {}))
          if (key.endsWith('_FILE') && value !== '')
            expect([name, mounted]).toEqual([name, expect.arrayContaining([value])]);
        for (const secret of spec.secrets ?? []) expect(Object.keys(secrets)).toContain(secret);
      }
      for (const name of ['migrate', 'api', 'worker']) {
        const placed = Object.entries(services[name]!.environment!).map(([key, value]) => {
          const secret = value.replace('/run/secrets/', '');
          return [key, secret === value ? value : join(folder, secrets[secret]!.file)];
        });
        const config = readConfig(Object.fromEntries(placed));
        const read = (secret: string) => readFileSync(join(folder, env[`${secret}_FILE`]!), 'utf8');
        expect(config.secretKey).toBe(read('SECRET_KEY'));
        expect(config.redisUrl).toBe(`redis://:${read('REDIS_PASSWORD')}@redis:6379`);
        expect(config.database).toMatchObject({
          url: `postgres://farmboard:${read('POSTGRES_PASSWORD')}@postgres:5432/farmboard`,
        });
      }
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
    for (const path of ['.env', 'secrets/SECRET_KEY']) {
      expect(execFileSync('git', ['check-ignore', path], { cwd: ROOT, encoding: 'utf8' }).trim()).toBe(path);
      expect(createIgnore()(path)).toBe(true);
    }
  });

  test('gives Redis its password in a file', () => {
    const redisPassword = (command: string[], environment: Record<string, string>) => {
      const folder = mkdtempSync(join(tmpdir(), 'farmboard-redis-'));
      const words = command.map((word) => word.replaceAll('/tmp/', `${folder}/`).replace('redis-server', 'echo'));
      try {
        const [program = '', ...args] = words;
        const said = execFileSync(program, args, { env: { PATH: process.env.PATH as string, ...environment } });
        expect(String(said)).toBe(`${folder}/redis.conf ${command.slice(4).join(' ')}\n`);
        return readFileSync(join(folder, 'redis.conf'), 'utf8');
      } finally {
        rmSync(folder, { recursive: true, force: true });
      }
    };
    const { api, redis } = readCompose(SECRETS).services;
    expect(readConfig(api!.environment).redisUrl).toBe(`redis://:${SECRETS.REDIS_PASSWORD}@redis:6379`);
    expect(redisPassword(redis!.command!, redis!.environment!)).toBe(`requirepass ${SECRETS.REDIS_PASSWORD}\n`);
  });

  test('takes its settings from .env, and keeps the names of its volumes', () => {
    const env = {
      ...SECRETS,
      PUBLIC_URL: 'https://farm.example',
      BIND_ADDRESS: '127.0.0.1',
      FARMBOARD_PORT: '3001',
      N8N_PORT: '5679',
      WEBHOOK_ALLOWED_HOSTS: 'external,n8n:5678,192.168.1.0/24',
      SIGN_UP: 'open',
      CORS_ALLOWED_ORIGINS: '',
      RATE_LIMIT_PER_MINUTE: '600',
      OPERATOR_SECRET: 'e5'.repeat(32),
      LOG_LEVEL: 'debug',
      N8N_WEBHOOK_URL: 'https://n8n.example/',
      N8N_EDITOR_BASE_URL: 'http://localhost:5679/',
    };
    const { services, volumes } = readCompose(env);
    for (const name of ['migrate', 'api', 'worker'])
      expect(readConfig(services[name]!.environment)).toMatchObject({
        secretKey: SECRETS.SECRET_KEY,
        publicUrl: 'https://farm.example',
        signUp: 'open',
        rateLimitPerMinute: 600,
        operatorSecret: env.OPERATOR_SECRET,
        backups: undefined,
      });
    expect(services.n8n!.environment).toMatchObject({
      N8N_ENCRYPTION_KEY: SECRETS.N8N_ENCRYPTION_KEY,
      WEBHOOK_URL: 'https://n8n.example/',
    });
    expect([services.proxy!.ports, services.n8n!.ports]).toEqual([['127.0.0.1:3001:8080'], ['127.0.0.1:5679:5678']]);
    // their names start with the project's; another major of PostgreSQL would not read its files
    expect(parse(COMPOSE_FILE, { merge: true }).name).toBe('farmboard');
    expect(Object.keys(volumes)).toEqual(expect.arrayContaining(['postgres', 'n8n']));
    expect(services.postgres).toMatchObject({
      image: expect.stringMatching(/^postgres:17-bookworm$/),
      user: 'postgres',
      volumes: ['postgres:/var/lib/postgresql/data'],
      environment: { POSTGRES_USER: 'farmboard', POSTGRES_DB: 'farmboard' },
    });
    expect(services.n8n!.volumes).toEqual(['n8n:/home/node/.n8n']);
  });

  test('pins every image and refers to existing files', () => {
    for (const [name, { image, build, volumes = [] }] of services) {
      if (build === undefined) expect([name, image]).toEqual([name, expect.stringMatching(/:\d+(\.\d+)*(-[a-z]+)?$/)]);
      else expect(existsSync(join(ROOT, build, 'Dockerfile'))).toBe(true);
      for (const [source = ''] of volumes.map((volume) => volume.split(':'))) {
        if (source.startsWith('.')) expect([source, existsSync(join(ROOT, source))]).toEqual([source, true]);
        else expect(Object.keys(compose.volumes)).toContain(source);
      }
    }
    expect(compose.services.n8n!.image).toMatch(/:2\.\d+\.\d+$/);
    const hosts = JSON.parse(readFileSync(join(ROOT, 'test/kit/n8n-hosts/hosts.json'), 'utf8')) as { n8n: string }[];
    // the very version that npm run test:n8n runs
    expect(JSON.stringify(hosts)).toContain(`"${compose.services.n8n!.image.split(':')[1]}`);
  });

  test('has a working health check for every long-running service', () => {
    for (const [name, { healthcheck, build, restart }] of services) {
      if (ONE_SHOTS.includes(name)) expect([healthcheck, restart]).toEqual([{ disable: true }, 'no']);
      else expect([name, healthcheck?.test?.[0]]).toEqual([name, 'CMD']);
      // the image's own check is the same
      if (build && !ONE_SHOTS.includes(name)) {
        const image = readDockerfile()
          .find((one) => one.name === 'HEALTHCHECK')
          ?.text.split('CMD ')[1] as string;
        expect(healthcheck?.test).toEqual(['CMD', ...JSON.parse(image)]);
      }
    }
  });

  test('grants minimal privileges and publishes ports only locally', () => {
    for (const [name, service] of services) {
      expect([name, service.pids_limit]).toEqual([name, expect.any(Number)]);
      expect([name, service.cap_drop, service.security_opt]).toEqual([name, ['ALL'], ['no-new-privileges:true']]);
      expect([name, service.read_only]).toEqual([name, name !== 'n8n']);
      // n8n's image has a user of its own, and so has ours
      if (!service.build && name !== 'n8n')
        expect([name, service.user]).toEqual([name, expect.not.stringMatching(/^(root|0)/)]);
      if (!ONE_SHOTS.includes(name)) {
        expect([name, service.restart]).toEqual([name, 'unless-stopped']);
        expect(service.deploy?.resources?.limits).toEqual({
          cpus: expect.any(String),
          memory: expect.any(String),
        });
      }
      for (const port of service.ports ?? [])
        expect([name, port]).toEqual([name, expect.stringMatching(/^127\.0\.0\.1:/)]);
    }
    expect(compose.networks.data).toEqual({ internal: true });
    const onData = services.filter(([, { networks }]) => networks?.includes('data')).map(([name]) => name);
    expect(onData.sort()).toEqual(['api', 'migrate', 'postgres', 'redis', 'worker']);
    for (const name of ['postgres', 'redis']) expect(compose.services[name]!.networks).toEqual(['data']);
  });

  test('has a sufficient stop timeout and start order', () => {
    const main = readFileSync(join(ROOT, 'backend/src/main.ts'), 'utf8');
    const ownDeadline = Number(/STOP_WITHIN_MS = ([\d_]+);/.exec(main)?.[1]?.replaceAll('_', '')) / 1000;
    for (const [name, { stop_grace_period, init }] of ours) {
      expect([name, seconds(stop_grace_period) > ownDeadline]).toEqual([name, true]);
      expect([name, init]).toEqual([name, true]);
    }
    for (const name of ['api', 'worker'])
      expect(compose.services[name]!.depends_on).toMatchObject({
        migrate: { condition: 'service_completed_successfully' },
        redis: { condition: 'service_healthy' },
      });
    expect(compose.services.migrate!.depends_on).toEqual({ postgres: { condition: 'service_healthy' } });
    expect(compose.services.n8n!.depends_on).toEqual({ 'n8n-nodes': { condition: 'service_completed_successfully' } });
    expect(compose.services.proxy!.depends_on).toEqual({ api: { condition: 'service_healthy' } });
  });

  test('lets n8n triggers and workers reach each other', async () => {
    const { environment } = compose.services.n8n!;
    expect(environment?.N8N_WEBHOOK_URL).toBe(environment?.WEBHOOK_URL);
    const address = new URL(environment?.N8N_WEBHOOK_URL as string);
    expect(Object.keys(compose.services)).toContain(address.hostname);
    expect(compose.services.n8n!.ports?.[0]?.endsWith(`:${address.port}`)).toBe(true);
    expect(compose.services.worker!.networks).toEqual(
      expect.arrayContaining(compose.services.n8n!.networks as string[]),
    );

    const guard = createGuard({
      allowedHosts: compose.services.worker!.environment!.WEBHOOK_ALLOWED_HOSTS,
      signUp: 'closed',
      ownServices: [],
      resolve: async () => ['172.20.0.7'],
    });
    await guard.checkUrl(new URL('webhook/x', address).href);
    for (const other of ['http://n8n:5679/', 'http://proxy:8080/', 'http://192.168.1.1/'])
      await expect(guard.checkUrl(other)).rejects.toMatchObject({ code: 'blocked_address' });
  });
});
