import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { z } from 'zod';
import { parseUrl } from '../../backend/src/shared/url.ts';

/** An invalid config file, with all faults, one per line, each with its path. */
export class AgentConfigError extends Error {}

const address = (schemes: string[]) =>
  z.string().transform((text, context): string => {
    const url = parseUrl(text);
    const shown = schemes.map((scheme) => `${scheme}//`).join(' or ');
    if (!url || !schemes.includes(url.protocol)) context.addIssue(`must be a URL that starts with ${shown}`);
    // not repeated, because it may contain a password
    else if (url.username || url.password)
      context.addIssue('must not contain a user name or password; use the separate fields');
    else if (url.search || url.hash) context.addIssue('must not contain a query or fragment');
    else return text.replace(/\/+$/, '');
    return z.NEVER;
  });

const http = () => address(['http:', 'https:']);
const secret = () => z.string().min(1).max(1000);

const token = () =>
  z
    .string()
    .regex(
      /^agt_[0-9A-Za-z]{8,}$/,
      'is not an agent token; agent tokens start with agt_ and are created in the console',
    );

const tokenSource = {
  token: token().optional(),
  token_file: z.string().min(1).optional(),
  token_env: z.string().min(1).optional(),
};

const common = {
  name: z
    .string()
    .min(1)
    .max(60)
    .refine((text) => text.trim() === text, 'must not start or end with a space'),
  printer_id: z.guid('is not a printer ID').optional(),
  filament_density: z.number().min(0.5).max(25).optional(),
  filament_diameter: z.number().min(0.5).max(5).optional(),
  ...tokenSource,
};

const Moonraker = z.strictObject({
  type: z.literal('moonraker'),
  ...common,
  url: http(),
  api_key: secret().optional(),
});

const OctoPrint = z.strictObject({
  type: z.literal('octoprint'),
  ...common,
  url: http(),
  api_key: secret(),
});

const PrusaLink = z
  .strictObject({
    type: z.literal('prusalink'),
    ...common,
    url: http(),
    user: z.string().min(1).max(200).default('maker'),
    password: secret().optional(),
    api_key: secret().optional(),
  })
  .refine((printer) => (printer.password === undefined) !== (printer.api_key === undefined), {
    path: ['password'],
    error: 'set either password (with user) or api_key',
  });

const FINGERPRINT = /^([0-9A-F]{2}:?){31}[0-9A-F]{2}$/i;

const Bambu = z.strictObject({
  type: z.literal('bambu'),
  ...common,
  host: z.string().regex(/^[0-9A-Za-z.:_-]+$/, 'is not a host name or an IP address'),
  port: z.int().min(1).max(65_535).default(8883),
  serial: z.string().regex(/^[0-9A-Za-z_-]{4,40}$/, 'is not a serial number'),
  access_code: secret(),
  tls_fingerprint: z
    .string()
    .regex(FINGERPRINT, 'is not a SHA-256 fingerprint (64 hexadecimal digits, with or without colons)')
    .transform((text) => text.replaceAll(':', '').toUpperCase())
    .optional(),
  tls_ca_file: z.string().min(1).optional(),
});

const Printer = z.discriminatedUnion('type', [Moonraker, OctoPrint, PrusaLink, Bambu], {
  error: (issue) =>
    issue.code === 'invalid_union' ? 'type must be moonraker, octoprint, prusalink or bambu' : undefined,
});

const seconds = (least: number, most: number, fallback: number) =>
  z
    .number()
    .min(least)
    .max(most)
    .default(fallback)
    .transform((value) => value * 1000);

const Timing = z.strictObject({
  poll_seconds: seconds(0.02, 300, 5),
  retry_seconds: seconds(0.02, 60, 1),
  retry_most_seconds: seconds(0.02, 3600, 60),
  heartbeat_seconds: seconds(0.05, 300, 15),
  answer_seconds: seconds(0.1, 120, 10),
  settle_seconds: seconds(0.02, 60, 3),
});

const File = z.strictObject({
  server: http(),
  ...tokenSource,
  state: z.string().min(1).default('agent-state'),
  log_level: z.enum(['error', 'warn', 'info', 'debug', 'silent']).default('info'),
  timing: Timing.prefault({}),
  printers: z.array(Printer).min(1).max(500),
});

export type MoonrakerPrinter = z.output<typeof Moonraker>;
export type OctoPrintPrinter = z.output<typeof OctoPrint>;
export type PrusaLinkPrinter = z.output<typeof PrusaLink>;
export type BambuPrinter = Omit<z.output<typeof Bambu>, 'tls_ca_file'> & {
  /** PEM */
  tls_ca?: string | undefined;
};
export type AnyPrinter = MoonrakerPrinter | OctoPrintPrinter | PrusaLinkPrinter | BambuPrinter;

export interface Timing {
  pollMs: number;
  retryMs: number;
  retryMaxMs: number;
  heartbeatMs: number;
  answerMs: number;
  /** how long contradictory messages about the end of a print are debounced, ms */
  settleMs: number;
}

export interface AgentConfig {
  server: string;
  state: string;
  logLevel: string;
  timing: Timing;
  printers: { printer: AnyPrinter; token: string }[];
}

const locationOf = (path: readonly PropertyKey[]): string =>
  path.map((step, i) => (typeof step === 'number' ? `[${step}]` : `${i === 0 ? '' : '.'}${String(step)}`)).join('') ||
  'the file';

/**
 * Reads the agent's config file. Files it names are resolved relative to it.
 * @param read reads the config and the files it names; replaced in tests
 * @throws AgentConfigError with all faults, each with its path
 */
export function readAgentConfig(file: string, read = (path: string) => readFileSync(path, 'utf8')): AgentConfig {
  const beside = (path: string) => resolve(dirname(resolve(file)), path);
  const faults: string[] = [];
  const fault = (location: string, detail: string) => void faults.push(`${location}: ${detail}`);
  const refuse = () =>
    new AgentConfigError(
      faults.length === 1 ? `${file}: ${faults[0]}` : `${file} is invalid:\n  ${faults.join('\n  ')}`,
    );

  let json: unknown;
  try {
    json = JSON.parse(read(resolve(file)));
  } catch (error) {
    fault('the file', error instanceof SyntaxError ? `is not valid JSON (${error.message})` : (error as Error).message);
    throw refuse();
  }

  const readBeside = (location: string, path: string): string | undefined => {
    try {
      return read(beside(path)).trim();
    } catch (error) {
      fault(location, (error as Error).message);
      return undefined;
    }
  };

  type Source = { token?: string | undefined; token_file?: string | undefined; token_env?: string | undefined };

  /** @returns undefined if there is none, or after reporting a fault */
  function tokenOf(source: Source, location: string): string | undefined {
    const given = (['token', 'token_file', 'token_env'] as const).filter((key) => source[key] !== undefined);
    const [key, second] = given;
    if (key === undefined) return undefined;
    if (second !== undefined) fault(`${location}${second}`, `set only one of ${given.join(' and ')}`);
    if (key === 'token') return source.token;
    const text =
      key === 'token_file'
        ? readBeside(`${location}${key}`, source[key] as string)
        : process.env[source[key] as string] || undefined;
    if (text === undefined) {
      if (key === 'token_env') fault(`${location}${key}`, `the environment variable ${source[key]} is not set`);
      return undefined;
    }
    const result = token().safeParse(text);
    if (!result.success) fault(`${location}${key}`, `its value ${result.error.issues[0]?.message}`);
    return result.data;
  }

  const result = File.safeParse(json);
  if (!result.success) {
    for (const issue of result.error.issues) {
      const unknown = issue.code === 'unrecognized_keys' ? issue.keys : [];
      if (unknown.length === 0) fault(locationOf(issue.path), issue.message);
      for (const key of unknown) fault(locationOf([...issue.path, key]), 'unknown field');
    }
    throw refuse();
  }

  const { server, state, log_level, timing, printers } = result.data;
  const faultsBefore = faults.length;
  const shared = tokenOf(result.data, '');
  const sharedIsWrong = faults.length > faultsBefore;
  const names = new Set<string>();
  const ready: AgentConfig['printers'] = [];
  for (const [i, printer] of printers.entries()) {
    const location = `printers[${i}].`;
    if (names.has(printer.name)) fault(`${location}name`, `${JSON.stringify(printer.name)} is used twice`);
    names.add(printer.name);
    const before = faults.length;
    const own = tokenOf(printer, location) ?? shared;
    if (own === undefined && faults.length === before && !sharedIsWrong) {
      fault(`${location}token`, 'required, here or for all printers (token, token_file or token_env)');
    }
    if (printer.type !== 'bambu') {
      ready.push({ printer, token: own ?? '' });
      continue;
    }
    const { tls_ca_file, ...rest } = printer;
    const tls_ca = tls_ca_file === undefined ? undefined : readBeside(`${location}tls_ca_file`, tls_ca_file);
    ready.push({ printer: { ...rest, tls_ca }, token: own ?? '' });
  }
  if (faults.length > 0) throw refuse();
  return {
    server,
    state: beside(state),
    logLevel: log_level,
    timing: {
      pollMs: timing.poll_seconds,
      retryMs: timing.retry_seconds,
      retryMaxMs: Math.max(timing.retry_most_seconds, timing.retry_seconds),
      heartbeatMs: timing.heartbeat_seconds,
      answerMs: timing.answer_seconds,
      settleMs: timing.settle_seconds,
    },
    printers: ready,
  };
}
