import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SettingError } from '../shared/setting-error.ts';
import { readConfig, SETTINGS } from './config.ts';

const read = (env: Record<string, string>) => readConfig(env);

function refusal(env: Record<string, string>): SettingError {
  try {
    readConfig(env);
  } catch (error) {
    if (error instanceof SettingError) return error;
    throw error;
  }
  throw new Error(`${JSON.stringify(env)} should have been refused`);
}

const DEFAULTS = {
  port: 3000,
  host: '127.0.0.1',
  database: { engine: 'sqlite', file: './data/farmboard.sqlite3' },
  publicUrl: undefined,
  trustedProxies: [],
  signUp: 'closed',
  maxSimulations: 1,
  webhookAllowedHosts: undefined,
  corsAllowedOrigins: [],
  rateLimitPerMinute: 1200,
  redisUrl: undefined,
  role: 'all',
  secretKey: undefined,
  logLevel: 'info',
  accessLogSample: 0,
  backups: undefined,
  invoiceFontFiles: [],
};

test('has a default for every setting', () => {
  expect(read({})).toEqual(DEFAULTS);
});

test('reads a secret from the file that NAME_FILE names', () => {
  const folder = mkdtempSync(join(tmpdir(), 'farmboard-secrets-'));
  const file = join(folder, 'secret');
  try {
    writeFileSync(file, `${'k'.repeat(32)}\n`);
    expect(read({ SECRET_KEY_FILE: file }).secretKey).toBe('k'.repeat(32));
    expect(refusal({ SECRET_KEY_FILE: file, SECRET_KEY: 'k'.repeat(32) }).message).toMatch(
      /^SECRET_KEY_FILE: .*not both/,
    );
    expect(refusal({ OPERATOR_SECRET_FILE: join(folder, 'none') }).message).toMatch(/^OPERATOR_SECRET_FILE: .*read/);
    // of secrets only
    expect(read({ PORT_FILE: file }).port).toBe(3000);
    writeFileSync(file, 'postgres://farm:p@db/farm\r\n');
    expect(read({ DATABASE_URL_FILE: file }).database).toMatchObject({ url: 'postgres://farm:p@db/farm' });
    // a secret is what the file contains, except for a trailing line break
    writeFileSync(file, ' p w \n\n');
    expect(read({ DATABASE_URL: 'postgres://farm@db/farm', DATABASE_PASSWORD_FILE: file }).database).toMatchObject({
      url: 'postgres://farm:%20p%20w%20%0A@db/farm',
    });
    // with what else is wrong
    for (const text of ['', '\n']) {
      writeFileSync(file, text);
      expect(refusal({ SECRET_KEY_FILE: file, PORT: 'x' }).message).toMatch(
        /^PORT: [^;]+; SECRET_KEY_FILE: the file \S+ is empty$/,
      );
    }
    writeFileSync(file, 'k'.repeat(64 * 1024 + 1));
    expect(refusal({ SECRET_KEY_FILE: file }).message).toMatch(/^SECRET_KEY_FILE: .*more than 65536 bytes/);
    expect(refusal({ REDIS_URL_FILE: file, ROLE: 'api' }).message).not.toContain('ROLE');
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test('puts passwords with settings of their own into the addresses', () => {
  const password = 'p:@/%41 ö';
  const { database, redisUrl } = read({
    DATABASE_URL: 'postgres://farm@db:5433/farm?sslmode=require',
    DATABASE_PASSWORD: password,
    REDIS_URL: 'redis://redis:6379/2',
    REDIS_PASSWORD: password,
  });
  const encoded = encodeURIComponent(password);
  expect(database).toMatchObject({ url: `postgres://farm:${encoded}@db:5433/farm?sslmode=require` });
  expect(redisUrl).toBe(`redis://:${encoded}@redis:6379/2`);
  // a backup of that database is migrated with the same settings
  expect(read({ DATABASE_URL: 'sqlite:copy', DATABASE_PASSWORD: password }).database).toEqual({
    engine: 'sqlite',
    file: 'copy',
  });
  for (const url of ['postgres://farm:hunter2@db/farm', 'postgres:///farm'])
    expect(refusal({ DATABASE_URL: url, DATABASE_PASSWORD: 'hunter2' }).message).toBe(
      'DATABASE_PASSWORD: DATABASE_URL must have a host, and no password of its own',
    );
  expect(refusal({ REDIS_URL: 'redis://:hunter2@redis', REDIS_PASSWORD: 'hunter2' }).setting).toBe('REDIS_PASSWORD');
});

test('treats an empty variable as unset', () => {
  expect(read(Object.fromEntries(Object.keys(SETTINGS).map((name) => [name, ''])))).toEqual(DEFAULTS);
});

test('reads every setting', () => {
  expect(
    read({
      PORT: '0',
      HOST: '0.0.0.0',
      DATABASE_URL: 'postgres://farm@db/farm',
      PUBLIC_URL: 'https://farm.example/board//',
      TRUSTED_PROXIES: '10.0.0.1, fd00::/8',
      SIGN_UP: 'open',
      WEBHOOK_ALLOWED_HOSTS: 'external,10.0.0.0/8',
      CORS_ALLOWED_ORIGINS: 'https://app.example.org, http://localhost:5173',
      RATE_LIMIT_PER_MINUTE: '0',
      REDIS_URL: 'rediss://:p@redis:6380/2',
      ROLE: 'worker',
      SECRET_KEY: 'k'.repeat(32),
      LOG_LEVEL: 'trace',
      ACCESS_LOG_SAMPLE: '0.25',
      BACKUP_FOLDER: '/backups',
      BACKUP_EVERY: '12h',
      BACKUP_KEEP: '30',
      INVOICE_FONT_FILES: '/fonts/cjk.ttc, /fonts/thai.ttf',
    }),
  ).toEqual({
    port: 0,
    host: '0.0.0.0',
    database: { engine: 'postgres', url: 'postgres://farm@db/farm', connections: 20 },
    publicUrl: 'https://farm.example/board',
    trustedProxies: ['10.0.0.1', 'fd00::/8'],
    signUp: 'open',
    maxSimulations: 0,
    webhookAllowedHosts: 'external,10.0.0.0/8',
    corsAllowedOrigins: ['https://app.example.org', 'http://localhost:5173'],
    rateLimitPerMinute: 0,
    redisUrl: 'rediss://:p@redis:6380/2',
    role: 'worker',
    secretKey: 'k'.repeat(32),
    logLevel: 'trace',
    accessLogSample: 0.25,
    backups: { folder: '/backups', everyMs: 12 * 60 * 60 * 1000, keep: 30 },
    invoiceFontFiles: ['/fonts/cjk.ttc', '/fonts/thai.ttf'],
  });
});

test.each([
  ['sqlite:farm.db', { engine: 'sqlite', file: 'farm.db' }],
  ['sqlite:/var/lib/farm board.db', { engine: 'sqlite', file: '/var/lib/farm board.db' }],
  ['sqlite::memory:', { engine: 'sqlite', file: ':memory:' }],
  [
    'postgresql://u:p@h:5433/d?sslmode=require',
    { engine: 'postgres', url: 'postgresql://u:p@h:5433/d?sslmode=require', connections: 20 },
  ],
])('DATABASE_URL=%s', (DATABASE_URL, database) => {
  expect(read({ DATABASE_URL }).database).toEqual(database);
});

test.each([
  ['PORT', ['x', '70000', '65536', '-1', '3000.5', '1e3', ' 3000', '0x10', '99999999999']],
  ['DATABASE_URL', ['mysql://h/d', 'sqlite:', 'farm.db', 'postgres://', 'postgres://[', 'http://h', 'SQLITE:a']],
  ['PUBLIC_URL', ['farm.example', 'ftp://farm.example', '//farm.example', 'http://']],
  ['SIGN_UP', ['yes', 'OPEN', 'open ']],
  [
    'CORS_ALLOWED_ORIGINS',
    [
      'app.example.org',
      'https://app.example.org/',
      'https://app.example.org/path',
      'null',
      'ftp://a',
      'https://a,',
      '**',
    ],
  ],
  ['RATE_LIMIT_PER_MINUTE', ['-1', 'many', '1000001', '1.5']],
  ['REDIS_URL', ['localhost:6379', 'http://localhost', 'redis://', 'redis://[']],
  ['ROLE', ['worker', 'api', 'ALL']],
  ['SECRET_KEY', ['short', 'k'.repeat(31)]],
  ['LOG_LEVEL', ['loud', 'INFO']],
  ['BACKUP_EVERY', ['24', 'h', '0s', '1.5h', '-1d', '8d', '169h', '24 h', '1w', '24H']],
  ['BACKUP_KEEP', ['0', '-1', '1001', 'all']],
  ['ACCESS_LOG_SAMPLE', ['2', '-1', '1.5', '50%', '.5', '1e-3', 'yes']],
])('%s refuses %j', (name, wrong) => {
  for (const value of wrong) {
    const error = refusal({ [name]: value });
    expect(error.setting).toBe(name);
    expect(error.message).toMatch(new RegExp(`^${name}: .+`));
    expect(error.message).not.toContain('\n');
  }
});

test.each<[keyof typeof SETTINGS, ...[string, string][]]>([
  ['PORT', ['65535', '65536']],
  ['DATABASE_CONNECTIONS', ['5', '4'], ['500', '501']],
  ['RATE_LIMIT_PER_MINUTE', ['1000000', '1000001']],
  ['BACKUP_KEEP', ['1', '0'], ['1000', '1001']],
  ['BACKUP_EVERY', ['1s', '0s'], ['7d', '8d']],
  ['ACCESS_LOG_SAMPLE', ['0', '-1'], ['1', '1.1']],
])('%s says its bounds where it is described', (name, ...bounds) => {
  for (const [last, beyond] of bounds) {
    read({ [name]: last });
    expect(refusal({ [name]: beyond }).setting).toBe(name);
    expect(SETTINGS[name].about).toMatch(new RegExp(`\\b${last}\\b`));
  }
});

test.each(['SECRET_KEY', 'OPERATOR_SECRET'] as const)('%s says its length where it is described', (name) => {
  expect(SETTINGS[name].about).toContain('at least 32 characters');
});

test('reports all faults at once, in one line, each with its setting', () => {
  const { setting, message } = refusal({ PORT: 'x', SIGN_UP: 'maybe', LOG_LEVEL: 'loud', HOST: '::1', ROLE: 'worker' });
  expect(setting).toBe('PORT');
  for (const name of ['PORT: ', '; SIGN_UP: ', '; LOG_LEVEL: ', '; ROLE: ']) expect(message).toContain(name);
  expect(message).not.toContain('HOST');
  expect(message).not.toContain('\n');
});

test.each([
  ['SECRET_KEY', 'hunter2-too-short'],
  ['OPERATOR_SECRET', 'hunter2'],
  ['REDIS_URL', 'redis://:hunter2@['],
  ['REDIS_URL', 'redis://:hunter2%@redis:6379'],
  ['REDIS_URL', 'me:hunter2@redis:6379'],
  ['DATABASE_URL', 'mysql://farm:hunter2@db/farm'],
  ['DATABASE_URL', 'hunter2@db/farm'],
  ['DATABASE_URL', 'postgres://farm:hunter2@['],
  ['DATABASE_URL', 'postgres://farm:hun/ter2hunter2@db/farm'],
  ['PUBLIC_URL', 'https://me:hunter2@farm.example'],
  ['PUBLIC_URL', 'https://hunter2@farm.example'],
  ['PUBLIC_URL', 'ftp://me:hunter2@farm.example'],
  ['PUBLIC_URL', 'https:/\\me:hunter2@farm.example'],
  ['CORS_ALLOWED_ORIGINS', 'https://me:hunter2@app.example'],
  ['TRUSTED_PROXIES', '10.0.0.1, me:hunter2@proxy'],
  ['LOG_LEVEL', 'redis://:hunter2@redis'],
  ['PORT', 'redis://:hunter2@redis'],
])('an error of %s never repeats a secret: %s', (name, value) => {
  const { setting, message } = refusal({ [name]: value });
  expect(setting).toBe(name);
  expect(message).not.toContain('hunter2');
});
