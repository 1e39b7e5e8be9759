import { isIP } from 'node:net';
import { z } from 'zod';
import { DAY_MS, HOUR_MS } from '../../../common/src/clock.ts';
import { readFileAtMost } from '../../../common/src/read-file.ts';
import { parseUrl } from '../../../common/src/url.ts';
import { quoteValue, SettingError } from '../shared/setting-error.ts';

/** The database as read from `DATABASE_URL`. */
export type Database = { engine: 'sqlite'; file: string } | { engine: 'postgres'; url: string; connections?: number };

const wholeNumber = (min: number, max: number) =>
  z
    .string()
    .refine((text) => /^\d{1,9}$/.test(text) && Number(text) >= min && Number(text) <= max, {
      error: (issue) => `${quoteValue(issue.input)} is not a whole number from ${min} to ${max}`,
    })
    .transform(Number);

const share = z
  .string()
  .refine((text) => /^(0(\.\d{1,6})?|1(\.0{1,6})?)$/.test(text), {
    error: (issue) => `${quoteValue(issue.input)} is not a number from 0 to 1, such as 0.01`,
  })
  .transform(Number);

const UNITS: ReadonlyMap<string, number> = new Map([
  ['s', 1_000],
  ['m', 60_000],
  ['h', HOUR_MS],
  ['d', DAY_MS],
]);

/** A duration such as `24h`, in ms. */
const duration = (maxDays: number) =>
  z.string().transform((text, context): number => {
    const [, count, unit = ''] = /^(\d{1,5})([smhd])$/.exec(text) ?? [];
    const ms = Number(count) * (UNITS.get(unit) ?? 0);
    if (ms > 0 && ms <= maxDays * DAY_MS) return ms;
    context.addIssue(
      `${quoteValue(text)} is not a duration of at most ${maxDays}d: a whole number with s, m, h or d, such as 24h`,
    );
    return z.NEVER;
  });

/** Of a file with a secret, such as a key or an address with a password. */
export const MAX_SECRET_FILE_BYTES = 64 * 1024;

/** Of every secret that an operator chooses. */
export const MIN_SECRET_LENGTH = 32;
const secret = z.string().min(MIN_SECRET_LENGTH, { error: `must be at least ${MIN_SECRET_LENGTH} characters long` });

const oneOf = <const T extends readonly [string, ...string[]]>(values: T) =>
  z.enum(values, { error: (issue) => `${quoteValue(issue.input)} is not one of ${values.join(', ')}` });

const databaseUrl = z.string().transform((text, context): Database => {
  if (text.startsWith('sqlite:') && text.length > 'sqlite:'.length) {
    return { engine: 'sqlite', file: text.slice('sqlite:'.length) };
  }
  if (/^postgres(ql)?:\/\/./.test(text)) {
    if (parseUrl(text)) return { engine: 'postgres', url: text };
    // not repeated, because it may contain a password
    context.addIssue('is not a valid postgres:// URL; percent-encode special characters in the password');
    return z.NEVER;
  }
  const scheme = text.includes(':') ? text.slice(0, text.indexOf(':') + 1) : text;
  context.addIssue(`unknown scheme ${quoteValue(scheme)}; use sqlite:PATH or postgres://…`);
  return z.NEVER;
});

/** Parses a URL like `DATABASE_URL`. @throws SettingError naming the setting */
export function readDatabase(name: string, text: string): Database {
  const result = databaseUrl.safeParse(text);
  if (result.success) return result.data;
  throw new SettingError(name, result.error.issues.map((issue) => issue.message).join(', '));
}

const publicUrl = z.string().transform((text, context): string => {
  const url = parseUrl(text);
  if (url?.protocol !== 'http:' && url?.protocol !== 'https:')
    context.addIssue(`${quoteValue(text)} is not a URL that starts with http:// or https://`);
  // it is in links that others get
  else if (url.username || url.password) context.addIssue('must not contain a user name or password');
  else return text.replace(/(?<!\/)\/+$/, '');
  return z.NEVER;
});

function isDecodable(text: string): boolean {
  try {
    return decodeURIComponent(text) !== '';
  } catch {
    return false;
  }
}

const redisUrl = z
  .string()
  // not repeated, because it may contain a password
  .refine((text) => /^rediss?:\/\/./.test(text) && parseUrl(text) !== null, 'is not a valid redis:// or rediss:// URL')
  .refine(isDecodable, 'has a % that is not percent-encoded; write %25');

/** An IP address or a network such as `10.0.0.0/8`. */
function isNetwork(text: string): boolean {
  const [address = '', bits, ...more] = text.split('/');
  const version = isIP(address);
  const max = version === 6 ? 128 : 32;
  return version > 0 && more.length === 0 && (bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= max));
}

const trustedProxies = z.string().transform((text, context): string[] => {
  const entries = text.split(',').map((entry) => entry.trim());
  const bad = entries.filter((entry) => !isNetwork(entry));
  if (bad.length === 0) return entries;
  context.addIssue(`${bad.map(quoteValue).join(', ')} is not an IP address or a network such as 10.0.0.0/8`);
  return z.NEVER;
});

const filePaths = z.string().transform((text) =>
  text
    .split(',')
    .map((path) => path.trim())
    .filter(Boolean),
);

const corsOrigins = z.string().transform((text, context): string[] => {
  const entries = text.split(',').map((entry) => entry.trim());
  const bad = entries.filter(
    (entry) => entry !== '*' && !(/^https?:/.test(entry) && parseUrl(entry)?.origin === entry),
  );
  if (bad.length === 0) return entries;
  context.addIssue(`${bad.map(quoteValue).join(', ')} is not an origin (https://app.example.org, without a path) or *`);
  return z.NEVER;
});

interface Setting {
  schema: z.ZodType<unknown, string>;
  /** text used if the variable is unset */
  fallback?: string;
  /** default as shown in the documentation, if it isn't the fallback */
  shown?: string;
  about: string;
  secret?: true;
}

/** All settings. `npm run tables` writes the table of `docs/reference/settings.md` from them. */
export const SETTINGS = {
  PORT: {
    schema: wholeNumber(0, 65_535),
    fallback: '3000',
    about: 'TCP port to listen on, 1 to 65535; 0 picks a free port',
  },
  HOST: {
    schema: z.string().min(1),
    fallback: '127.0.0.1',
    about: 'address to listen on; 0.0.0.0 makes it reachable from the network',
  },
  DATABASE_URL: {
    schema: databaseUrl,
    fallback: 'sqlite:./data/farmboard.sqlite3',
    about: 'the database: sqlite:PATH (the folder is created) or postgres://…',
    secret: true,
  },
  DATABASE_PASSWORD: {
    schema: z.string(),
    about: 'password for a postgres:// DATABASE_URL without one, as it is (not percent-encoded)',
    secret: true,
  },
  DATABASE_CONNECTIONS: {
    schema: wholeNumber(5, 500),
    fallback: '20',
    about:
      "maximum PostgreSQL connections per process, 5 to 500; the total of all processes must stay below the server's max_connections",
  },
  PUBLIC_URL: {
    schema: publicUrl,
    shown: 'http://HOST:PORT',
    about: 'URL under which people and programs reach the service',
  },
  TRUSTED_PROXIES: {
    schema: trustedProxies,
    about:
      'IP addresses or networks of your reverse proxies, comma-separated; only they may set the client address with X-Forwarded-For (used to limit requests per client)',
  },
  SIGN_UP: {
    schema: oneOf(['closed', 'open']),
    fallback: 'closed',
    about:
      'who can create an account: closed (only the operator) or open (anyone); also sets the default of WEBHOOK_ALLOWED_HOSTS',
  },
  SIMULATIONS: {
    schema: wholeNumber(0, 20),
    shown: '1 (0 with SIGN_UP=open)',
    about: 'how many simulated farms may run at a time, 0 to 20, each in a process of about 90 MB; 0 turns them off',
  },
  WEBHOOK_ALLOWED_HOSTS: {
    schema: z.string(),
    shown: 'external,private,loopback (external with SIGN_UP=open)',
    about: 'where webhooks may be sent, comma-separated: external, private, loopback, a CIDR, a host name or host:port',
  },
  CORS_ALLOWED_ORIGINS: {
    schema: corsOrigins,
    about:
      'origins whose pages may use /api/v1 with a token, comma-separated (https://app.example.org), or * for any; unset: none. Cookies are never accepted there',
  },
  RATE_LIMIT_PER_MINUTE: {
    schema: wholeNumber(0, 1_000_000),
    fallback: '1200',
    about: 'requests per minute and account on /api/v1, at most 1000000; 0 turns the limit off',
  },
  REDIS_URL: {
    schema: redisUrl,
    about: 'redis://…; needed to run several processes; unset: a single process without Redis',
    secret: true,
  },
  REDIS_PASSWORD: {
    schema: z.string(),
    about: 'password for a REDIS_URL without one, as it is (not percent-encoded)',
    secret: true,
  },
  ROLE: {
    schema: oneOf(['all', 'api', 'worker']),
    fallback: 'all',
    about:
      'what this process does: api (serves HTTP), worker (sends webhooks) or all (both); api and worker need REDIS_URL',
  },
  SECRET_KEY: {
    schema: secret,
    shown: 'a key file next to the SQLite file',
    about: 'key of at least 32 characters that encrypts stored webhook secrets and URLs; required with PostgreSQL',
    secret: true,
  },
  OPERATOR_SECRET: {
    schema: secret,
    about:
      'password of at least 32 characters for /metrics and the queue dashboard at /operator/queues; unset: both are off',
    secret: true,
  },
  LOG_LEVEL: {
    schema: oneOf(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']),
    fallback: 'info',
    about: 'minimum log level: fatal, error, warn, info, debug, trace or silent',
  },
  ACCESS_LOG_SAMPLE: {
    schema: share,
    fallback: '0',
    about:
      'share of requests that write a log line, from 0 (none) to 1 (all), for example 0.01; needs LOG_LEVEL info or lower',
  },
  BACKUP_FOLDER: {
    schema: z.string(),
    about: 'existing folder for scheduled backups, which this user can write to; unset: none are made',
  },
  BACKUP_EVERY: {
    schema: duration(7),
    fallback: '24h',
    about:
      'how often a scheduled backup is made, counted from midnight UTC: a whole number with s, m, h or d, from 1s to 7d',
  },
  BACKUP_KEEP: {
    schema: wholeNumber(1, 1_000),
    fallback: '7',
    about: 'how many scheduled backups are kept, 1 to 1000; older ones are deleted after a newer one was verified',
  },
  INVOICE_FONT_FILES: {
    schema: filePaths,
    about:
      'font files (.ttf, .otf, .ttc), comma-separated, for letters in invoices that the built-in font lacks, such as Chinese, Hindi or Thai; the first that has a letter is used. The same for every process',
  },
} as const satisfies Record<string, Setting>;

/** The parsed settings. Those without a fallback may be unset. */
type Values = {
  -readonly [Name in keyof typeof SETTINGS]:
    | z.output<(typeof SETTINGS)[Name]['schema']>
    | ((typeof SETTINGS)[Name] extends { fallback: string } ? never : undefined);
};

/** What the settings mean together. */
const toConfig = (values: Values) => ({
  port: values.PORT,
  host: values.HOST,
  database: withConnections(values.DATABASE_URL, values.DATABASE_CONNECTIONS),
  /** no trailing slash; undefined until the port is known */
  publicUrl: values.PUBLIC_URL,
  trustedProxies: values.TRUSTED_PROXIES ?? [],
  signUp: values.SIGN_UP,
  maxSimulations: values.SIMULATIONS ?? (values.SIGN_UP === 'open' ? 0 : 1),
  webhookAllowedHosts: values.WEBHOOK_ALLOWED_HOSTS,
  corsAllowedOrigins: values.CORS_ALLOWED_ORIGINS ?? [],
  rateLimitPerMinute: values.RATE_LIMIT_PER_MINUTE,
  redisUrl: values.REDIS_URL,
  role: values.ROLE,
  secretKey: values.SECRET_KEY,
  operatorSecret: values.OPERATOR_SECRET,
  logLevel: values.LOG_LEVEL,
  accessLogSample: values.ACCESS_LOG_SAMPLE,
  /** undefined: no scheduled backups */
  backups:
    values.BACKUP_FOLDER === undefined
      ? undefined
      : { folder: values.BACKUP_FOLDER, everyMs: values.BACKUP_EVERY, keep: values.BACKUP_KEEP },
  invoiceFontFiles: values.INVOICE_FONT_FILES ?? [],
});

/** The default of a setting, as the documentation shows it. @public `npm run tables` loads it by itself */
export const shownDefault = ({ shown, fallback }: Setting): string => shown ?? fallback ?? 'unset';

export type Config = ReturnType<typeof toConfig>;
export type BackupSettings = NonNullable<Config['backups']>;

const withConnections = (database: Database, connections: number): Database =>
  database.engine === 'postgres' ? { ...database, connections } : database;

interface Fault {
  name: string;
  detail: string;
}

/**
 * The text of a setting; empty counts as unset. A secret can also be in a file that `NAME_FILE` names, as Docker and
 * Kubernetes mount them.
 * @returns a fault if both are set, or the file can't be read or is empty
 */
function readText(
  env: Record<string, string | undefined>,
  name: string,
  { secret, fallback }: Setting,
): string | undefined | Fault {
  const file = secret && env[`${name}_FILE`];
  if (!file) return env[name] || fallback;
  const fault = (detail: string): Fault => ({ name: `${name}_FILE`, detail });
  if (env[name]) return fault(`set either this or ${name}, not both`);
  try {
    // editors and commands put a line break at the end
    return (
      readFileAtMost(file, MAX_SECRET_FILE_BYTES)
        .toString('utf8')
        .replace(/\r?\n$/, '') || fault(`the file ${file} is empty`)
    );
  } catch (error) {
    return fault(`the file cannot be read (${(error as Error).message})`);
  }
}

/** An address with a password of its own setting. @returns undefined if it can't have one, or already does */
function withPassword(address: string, password: string): string | undefined {
  const url = parseUrl(address);
  if (!url?.hostname || url.password !== '') return undefined;
  url.password = encodeURIComponent(password);
  return url.href;
}

/** Puts DATABASE_PASSWORD and REDIS_PASSWORD into the addresses they are for. SQLite needs none. */
function putPasswords(values: Partial<Values>): Fault[] {
  const faults: Fault[] = [];
  const complete = (name: 'DATABASE' | 'REDIS', address: string): string => {
    const password = values[`${name}_PASSWORD`];
    if (password === undefined) return address;
    const whole = withPassword(address, password);
    if (whole === undefined)
      faults.push({ name: `${name}_PASSWORD`, detail: `${name}_URL must have a host, and no password of its own` });
    return whole ?? address;
  };
  const { DATABASE_URL, REDIS_URL } = values;
  if (DATABASE_URL?.engine === 'postgres')
    values.DATABASE_URL = { ...DATABASE_URL, url: complete('DATABASE', DATABASE_URL.url) };
  if (REDIS_URL !== undefined) values.REDIS_URL = complete('REDIS', REDIS_URL);
  return faults;
}

/**
 * Reads all settings.
 * @throws SettingError with all faults in one line, each naming its setting
 */
export function readConfig(env: Record<string, string | undefined> = process.env): Config {
  const parsed: Record<string, unknown> = {};
  const faults: Fault[] = [];
  for (const [name, setting] of Object.entries<Setting>(SETTINGS)) {
    const text = readText(env, name, setting);
    if (text === undefined) continue;
    if (typeof text !== 'string') {
      faults.push(text);
      continue;
    }
    const result = setting.schema.safeParse(text);
    if (result.success) parsed[name] = result.data;
    else faults.push({ name, detail: result.error.issues.map((issue) => issue.message).join(', ') });
  }
  // without faults, they are whole
  const values = parsed as Values;
  if (
    values.ROLE !== 'all' &&
    values.ROLE !== undefined &&
    values.REDIS_URL === undefined &&
    !faults.some(({ name }) => name.startsWith('REDIS_URL'))
  ) {
    faults.push({ name: 'ROLE', detail: `${values.ROLE} requires REDIS_URL` });
  }
  faults.push(...putPasswords(values));
  const [first, ...others] = faults;
  if (first) {
    const rest = others.map((fault) => `; ${fault.name}: ${fault.detail}`).join('');
    throw new SettingError(first.name, first.detail + rest);
  }
  return toConfig(values);
}
