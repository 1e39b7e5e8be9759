import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import { request } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readConfig, SETTINGS } from '../../backend/src/config/config.ts';
import { makeCertificate } from '../kit/certificate.ts';
import { COMPOSE_FILE, faultsOfCompose, readCompose } from '../kit/compose.ts';
import { eventually } from '../kit/eventually.ts';
import { ROOT, readDockerfile } from '../kit/image.ts';
import { freePort } from '../kit/ports.ts';

// What people copy who run Farmboard without the whole Compose setup. What a machine has no program for is skipped there.

const { PATH, needsAll } = require('../kit/engines.cjs') as { PATH: string; needsAll: () => boolean };
const ENV = { ...process.env, PATH };
const has = (program: string): boolean => spawnSync('which', [program], { env: ENV }).status === 0;
const isRequired = needsAll();
const testWith = (program: string) => (isRequired || has(program) ? test : test.skip);

const read = (file: string): string => readFileSync(join(ROOT, file), 'utf8');

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'farmboard-recipes-'));
  // nginx started by root runs its workers as another user
  chmodSync(folder, 0o755);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('systemd', () => {
  const UNITS = ['farmboard', 'farmboard-agent'];
  const readUnit = (name: string): string => read(`deploy/systemd/${name}.service`);
  const settingOf = (unit: string, key: string): string => new RegExp(`^${key}=(.*)$`, 'm').exec(unit)?.[1] ?? '';

  /** With a program that exists, because systemd looks for it. @returns the path */
  function place(name: string, change = (unit: string) => unit): string {
    const file = join(folder, `${name}.service`);
    writeFileSync(file, change(readUnit(name)).replace(/^ExecStart=\S+/m, 'ExecStart=/bin/true'));
    return file;
  }
  const analyze = (args: string[]) => spawnSync('systemd-analyze', args, { encoding: 'utf8' });

  testWith('systemd-analyze')('accepts the units, unlike a mistyped setting', () => {
    for (const name of UNITS)
      expect(analyze(['verify', '--man=no', place(name)])).toMatchObject({ status: 0, stdout: '', stderr: '' });
    const wrong = place('farmboard', (unit) => unit.replace('ProtectHome=', 'ProtectHomes='));
    expect(analyze(['verify', '--man=no', wrong]).stderr).toContain("'ProtectHomes'");
  });

  testWith('systemd-analyze')('rates what the units may do as low', () => {
    // from 0 (nothing) to 10 (everything), times ten
    for (const name of UNITS)
      expect(analyze(['security', '--offline=true', '--threshold=16', '--no-pager', place(name)]).status).toBe(0);
    const open = place('farmboard', (unit) => unit.replace(/^SystemCallFilter=.*\n/gm, ''));
    expect(analyze(['security', '--offline=true', '--threshold=16', '--no-pager', open]).status).toBe(1);
  });

  test('starts what the packed files install, and waits until it has ended', () => {
    for (const name of UNITS) {
      const bins = read(`deploy/pack/${name === 'farmboard' ? 'server' : 'agent'}.mjs`);
      const [program = ''] = settingOf(readUnit(name), 'ExecStart').split(' ');
      expect(program).toBe(`/opt/${name}/node_modules/.bin/${name}`);
      expect(bins).toMatch(new RegExp(`bin: \\{ '?${name}'?:`));
    }
    const main = read('backend/src/main.ts');
    const ownDeadline = Number(/STOP_WITHIN_MS = ([\d_]+);/.exec(main)?.[1]?.replaceAll('_', '')) / 1000;
    expect(Number(settingOf(readUnit('farmboard'), 'TimeoutStopSec'))).toBeGreaterThan(ownDeadline);
  });

  test('has settings that exist and a database in the state folder', () => {
    const text = read('deploy/systemd/farmboard.env');
    const settings = [...text.matchAll(/^(?:# )?([A-Z_]+)=(.*)$/gm)].map(([, key = '', value = '']) => [key, value]);
    for (const [key] of settings) expect(Object.keys(SETTINGS)).toContain(key);
    const config = readConfig(Object.fromEntries(settings));
    expect(config.database).toMatchObject({ file: expect.stringMatching(/^\/var\/lib\/farmboard\//) });
    expect(settingOf(readUnit('farmboard'), 'StateDirectory')).toBe('farmboard');
    expect(settingOf(readUnit('farmboard'), 'ReadWritePaths')).toBe(`-${Object.fromEntries(settings).BACKUP_FOLDER}`);
    expect(settingOf(readUnit('farmboard'), 'EnvironmentFile')).toBe('/etc/farmboard/farmboard.env');
  });
});

describe('TLS', () => {
  let service: Server;
  let seen: { url: string; headers: IncomingHttpHeaders }[];
  let proxy: ChildProcess | undefined;

  beforeEach(async () => {
    seen = [];
    service = createServer((req, res) => {
      seen.push({ url: req.url as string, headers: req.headers });
      res.end('the service');
    });
    await new Promise<void>((resolve) => service.listen(0, '127.0.0.1', resolve));
  });
  afterEach(async () => {
    if (proxy?.exitCode === null && proxy.kill('SIGTERM')) await once(proxy, 'exit');
    service.closeAllConnections();
    await new Promise((resolve) => service.close(resolve));
  });

  /** @returns the status and the body, or undefined while nothing answers */
  const ask = (port: number, path: string) =>
    new Promise<{ status: number; text: string; headers: IncomingHttpHeaders } | undefined>((resolve) => {
      const headers = {
        Host: `localhost:${port}`,
        'X-Forwarded-For': '203.0.113.9',
        Referer: 'https://farm.example.org/?q=secret',
      };
      const options = { host: '127.0.0.1', port, path, servername: 'localhost', rejectUnauthorized: false, headers };
      const asked = request(options, (res) => {
        let text = '';
        res.setEncoding('utf8').on('data', (part) => {
          text += part;
        });
        res.on('end', () => resolve({ status: res.statusCode as number, text, headers: res.headers }));
      });
      asked.on('error', () => resolve(undefined)).end();
    });

  /** Asks for a payment link. @param log its access log */
  async function expectProxy(port: number, log: string): Promise<void> {
    const answer = await eventually(
      () => ask(port, '/pay/pay_Abcdefgh12345678?q=secret'),
      (found) => found !== undefined || proxy?.exitCode !== null,
    );
    expect(answer).toMatchObject({ status: 200, text: 'the service' });
    expect(answer?.headers['strict-transport-security']).toContain('max-age=');
    expect(seen).toMatchObject([
      {
        url: '/pay/pay_Abcdefgh12345678?q=secret',
        headers: { 'x-forwarded-for': '127.0.0.1', 'x-forwarded-proto': 'https' },
      },
    ]);
    const logged = await eventually(
      () => (existsSync(log) ? readFileSync(log, 'utf8') : ''),
      (text) => text.includes('\n'),
    );
    expect(logged).toContain('/pay/-');
    expect(logged).not.toMatch(/Abcdefgh|secret/);
  }

  /** Sends 100 requests whose bodies never end. @returns how many the proxy lets through, and the refusals of the others */
  async function countAtOnce(port: number, path: string) {
    let held = 0;
    const refused: string[] = [];
    service.removeAllListeners('request').on('request', () => {
      held += 1;
    });
    const headers = { Host: `localhost:${port}`, 'Content-Type': 'application/json', 'Content-Length': '10' };
    const options = { host: '127.0.0.1', port, path, method: 'POST', headers, rejectUnauthorized: false, agent: false };
    const open = Array.from({ length: 100 }, () => request(options));
    for (const sent of open) {
      sent.on('error', () => undefined);
      sent.on('response', (res) => {
        res.setEncoding('utf8').once('data', (text) => refused.push(`${res.statusCode} ${JSON.parse(text).code}`));
      });
      sent.write('{');
    }
    await eventually(
      () => held + refused.length,
      (answered) => answered === open.length,
    );
    for (const sent of open) sent.destroy();
    return { held, refused: [...new Set(refused)] };
  }

  const upstream = (): string => `127.0.0.1:${(service.address() as AddressInfo).port}`;

  testWith('nginx')('ends in nginx, which hands on the real client and logs no secret', async () => {
    const { key, cert } = makeCertificate(folder, 'farm.example.org');
    const [port, plain] = [await freePort(), await freePort()];
    const site = read('deploy/nginx-tls.conf')
      .replace(/listen \[::\].*\n/g, '')
      .replace('listen 443', `listen 127.0.0.1:${port}`)
      .replace('listen 80', `listen 127.0.0.1:${plain}`)
      .replace('127.0.0.1:3000', upstream())
      .replace(/\/etc\/letsencrypt\S+fullchain\.pem/, cert)
      .replace(/\/etc\/letsencrypt\S+privkey\.pem/, key)
      .replaceAll('/var/log/nginx/', `${folder}/`);
    const own = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
      (name) => `${name}_temp_path ${folder}/${name};`,
    );
    const config = join(folder, 'nginx.conf');
    writeFileSync(config, `pid ${folder}/nginx.pid; events {} http { ${own.join(' ')} server_tokens off;\n${site}\n}`);
    const nginx = (args: string[]) => ['-c', config, '-e', join(folder, 'nginx.log'), ...args];
    expect(spawnSync('nginx', nginx(['-t']), { env: ENV, encoding: 'utf8' })).toMatchObject({ status: 0 });
    proxy = spawn('nginx', nginx(['-g', 'daemon off;']), { env: ENV, stdio: 'ignore' });
    await expectProxy(port, join(folder, 'farmboard.log'));
    const refused = ['429 rate_limited'];
    expect(await countAtOnce(port, '/api/v1/print-jobs')).toEqual({ held: 64, refused });
    expect(await countAtOnce(port, '/agent/v1/octoprint')).toEqual({ held: 24, refused });
    const moved = await fetch(`http://127.0.0.1:${plain}/console/`, { redirect: 'manual' });
    expect([moved.status, moved.headers.get('location')]).toEqual([301, 'https://127.0.0.1/console/']);
  });

  testWith('caddy')('ends in Caddy, which hands on the real client and logs no secret', async () => {
    const config = join(folder, 'Caddyfile');
    const env = { ...ENV, HOME: folder, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder };
    const caddy = (command: string) =>
      spawnSync('caddy', [command, '--config', config, '--adapter', 'caddyfile'], { env, encoding: 'utf8' });
    const text = read('deploy/Caddyfile');
    writeFileSync(config, text);
    expect(execFileSync('caddy', ['fmt', config], { env, encoding: 'utf8' })).toBe(text);
    expect(caddy('validate')).toMatchObject({ status: 0 });

    const { key, cert } = makeCertificate(folder, 'localhost');
    const port = await freePort();
    const placed = text
      .replace('farm.example.org {', `localhost:${port} {\n\ttls ${cert} ${key}`)
      .replace('127.0.0.1:3000', upstream())
      .replace('/var/log/caddy/farmboard.log', join(folder, 'caddy.log'));
    writeFileSync(config, `{\n\tadmin off\n\tauto_https disable_redirects\n}\n${placed}`);
    proxy = spawn('caddy', ['run', '--config', config, '--adapter', 'caddyfile'], { env, stdio: 'ignore' });
    await expectProxy(port, join(folder, 'caddy.log'));
  });
});

describe('compose.small.yml', () => {
  const text = read('compose.small.yml');
  const compose = readCompose({}, text);
  const { farmboard } = compose.services;

  test('is valid Compose with one container, and its data in volumes', () => {
    expect(faultsOfCompose(text)).toEqual([]);
    expect(faultsOfCompose(text.replace('read_only: true', 'read_only: perhaps'))).not.toEqual([]);
    expect(Object.keys(compose.services)).toEqual(['farmboard']);
    expect(farmboard!.volumes).toEqual(['data:/data', 'backups:/backups']);
    expect(Object.keys(compose.volumes)).toEqual(['data', 'backups']);
  });

  test('has settings that exist, on SQLite as the image says', () => {
    const image = Object.fromEntries(
      readDockerfile()
        .filter(({ name }) => name === 'ENV')
        .flatMap(({ text: pairs }) => pairs.split(/\s+/).map((pair) => pair.split('='))),
    );
    for (const key of Object.keys(farmboard!.environment!)) expect(Object.keys(SETTINGS)).toContain(key);
    const config = readConfig({ ...image, ...farmboard!.environment });
    expect(config).toMatchObject({ database: { file: '/data/farmboard.sqlite3' }, role: 'all', host: '0.0.0.0' });
  });

  test('is as closed as the services of the whole setup', () => {
    const { api } = readCompose({}, COMPOSE_FILE.replace(/^secrets:[\s\S]*?\n(?=\S)/m, '')).services;
    for (const key of ['read_only', 'cap_drop', 'security_opt', 'pids_limit', 'init', 'stop_grace_period'] as const)
      expect([key, farmboard![key]]).toEqual([key, api![key]]);
    expect(farmboard!.healthcheck).toEqual(api!.healthcheck);
    expect(farmboard!.ports).toEqual(['127.0.0.1:3000:3000']);
    expect(farmboard!.deploy?.resources?.limits?.memory).toBe(api!.deploy?.resources?.limits?.memory);
  });
});
