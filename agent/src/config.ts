import { dirname, resolve } from 'node:path';
import { z } from 'zod';
import { readFileAtMost } from '../../common/src/read-file.ts';
import type { Protocol } from './printers/protocol.ts';
import { PROTOCOLS } from './printers/protocols.ts';
import { http, type PrinterSettings, token, tokenFields } from './printers/settings.ts';
import type { Timing } from './printers/watcher.ts';

/** Of the config and of each file it names: many times what 500 printers need. */
const MAX_FILE_BYTES = 4 * 1024 * 1024;

/** An invalid config file, with all faults, one per line, each with its path. */
export class AgentConfigError extends Error {}

type PrinterSchema = (typeof PROTOCOLS)[keyof typeof PROTOCOLS]['schema'];
const SCHEMAS = Object.values(PROTOCOLS).map(({ schema }) => schema) as [PrinterSchema, ...PrinterSchema[]];
const TYPES = Object.keys(PROTOCOLS);

const Printer = z.discriminatedUnion('type', SCHEMAS, {
  error: (issue) =>
    issue.code === 'invalid_union' ? `type must be ${TYPES.slice(0, -1).join(', ')} or ${TYPES.at(-1)}` : undefined,
});

const seconds = (min: number, max: number, fallback: number) =>
  z
    .number()
    .min(min)
    .max(max)
    .default(fallback)
    .transform((value) => value * 1000);

const TimingSettings = z.strictObject({
  poll_seconds: seconds(0.02, 300, 5),
  retry_seconds: seconds(0.02, 60, 1),
  max_retry_seconds: seconds(0.02, 3600, 60),
  heartbeat_seconds: seconds(0.05, 300, 15),
  timeout_seconds: seconds(0.1, 120, 10),
  settle_seconds: seconds(0.02, 60, 3),
});

const File = z.strictObject({
  server: http(),
  ...tokenFields,
  state: z.string().min(1).default('agent-state'),
  log_level: z.enum(['error', 'warn', 'info', 'debug', 'silent']).default('info'),
  timing: TimingSettings.prefault({}),
  printers: z.array(Printer).min(1).max(500),
});

interface ConfiguredPrinter {
  printer: PrinterSettings;
  protocol: Protocol;
  token: string;
}

export interface AgentConfig {
  server: string;
  state: string;
  logLevel: string;
  timing: Timing;
  printers: ConfiguredPrinter[];
}

const locationOf = (path: readonly PropertyKey[]): string =>
  path.map((step, i) => (typeof step === 'number' ? `[${step}]` : `${i === 0 ? '' : '.'}${String(step)}`)).join('') ||
  'the file';

/** How the config is read: faults are collected, to be reported all at once. */
interface Reading {
  fault(location: string, detail: string): void;
  /** Reads a file, relative to the config. @returns undefined after a fault */
  read(location: string, path: string): string | undefined;
}

const TOKEN_FIELDS = ['token', 'token_file', 'token_env'] as const;
type TokenSource = { [field in (typeof TOKEN_FIELDS)[number]]?: string | undefined };

const tokenFieldsOf = (source: TokenSource) => TOKEN_FIELDS.filter((field) => source[field] !== undefined);

/** @returns undefined if the source has no token, or after a fault */
function readToken(source: TokenSource, location: string, { fault, read }: Reading): string | undefined {
  const given = tokenFieldsOf(source);
  const [field, second] = given;
  if (second !== undefined) fault(`${location}${second}`, `set only one of ${given.join(' and ')}`);
  if (field === undefined || field === 'token') return source.token;
  const place = `${location}${field}`;
  const value = source[field] ?? '';
  const text = field === 'token_file' ? read(place, value)?.trim() : process.env[value] || undefined;
  if (text === undefined) {
    if (field === 'token_env') fault(place, `the environment variable ${value} is not set`);
    return undefined;
  }
  const result = token().safeParse(text);
  if (!result.success) fault(place, `its value ${result.error.issues[0]?.message}`);
  return result.data;
}

function readPrinters(config: z.output<typeof File>, reading: Reading): ConfiguredPrinter[] {
  const { fault, read } = reading;
  const shared = readToken(config, '', reading);
  const names = new Set<string>();
  return config.printers.map((printer, i) => {
    const location = `printers[${i}].`;
    if (names.has(printer.name)) fault(`${location}name`, `${JSON.stringify(printer.name)} is used twice`);
    names.add(printer.name);
    const own = readToken(printer, location, reading);
    if (tokenFieldsOf(printer).length === 0 && tokenFieldsOf(config).length === 0) {
      fault(`${location}token`, 'required, here or for all printers (token, token_file or token_env)');
    }
    const protocol: Protocol = PROTOCOLS[printer.type];
    const complete = protocol.readFiles?.(printer, (field, path) => read(`${location}${field}`, path)) ?? printer;
    return { printer: complete, protocol, token: own ?? shared ?? '' };
  });
}

/** @returns undefined after a fault */
function parseConfig(text: string, { fault }: Reading): z.output<typeof File> | undefined {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (error) {
    // without the text around the place, which may be a password
    const reason = (error as Error).message.replace(/, (\.\.\.)?".*" is not valid JSON$/s, '');
    fault('the file', `is not valid JSON (${reason})`);
    return undefined;
  }
  const { data, error } = File.safeParse(json);
  for (const issue of error?.issues ?? []) {
    if (issue.code !== 'unrecognized_keys') fault(locationOf(issue.path), issue.message);
    else for (const key of issue.keys) fault(locationOf([...issue.path, key]), 'unknown field');
  }
  return data;
}

/**
 * Reads the agent's config file. Files it names are resolved relative to it.
 * @param read reads the config and the files it names; replaced in tests
 * @throws AgentConfigError with all faults, each with its path
 */
export function readAgentConfig(
  file: string,
  read = (path: string) => readFileAtMost(path, MAX_FILE_BYTES).toString('utf8'),
): AgentConfig {
  const faults: string[] = [];
  const beside = (path: string) => resolve(dirname(resolve(file)), path);
  const reading: Reading = {
    fault: (location, detail) => void faults.push(`${location}: ${detail}`),
    read(location, path) {
      try {
        return read(beside(path));
      } catch (error) {
        reading.fault(location, (error as Error).message);
        return undefined;
      }
    },
  };
  const text = reading.read('the file', resolve(file));
  const config = text === undefined ? undefined : parseConfig(text, reading);
  const printers = config && readPrinters(config, reading);
  if (!config || !printers || faults.length > 0) {
    const list = faults.length === 1 ? `: ${faults[0]}` : ` is invalid:\n  ${faults.join('\n  ')}`;
    throw new AgentConfigError(`${file}${list}`);
  }
  const { server, state, log_level, timing } = config;
  return {
    server,
    state: beside(state),
    logLevel: log_level,
    timing: {
      pollMs: timing.poll_seconds,
      retryMs: timing.retry_seconds,
      maxRetryMs: Math.max(timing.max_retry_seconds, timing.retry_seconds),
      heartbeatMs: timing.heartbeat_seconds,
      timeoutMs: timing.timeout_seconds,
      settleMs: timing.settle_seconds,
    },
    printers,
  };
}
