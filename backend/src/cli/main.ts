import { parseArgs } from 'node:util';
import { lookupTable } from '../../../common/src/lookup-table.ts';
import { version } from '../../../common/src/version.ts';
import { DomainError } from '../shared/errors.ts';
import { SettingError } from '../shared/setting-error.ts';
import { isUnavailable } from '../storage/dialect.ts';
import { describeStorageFault } from '../storage/storage-faults.ts';
import { type CommandInput, UsageError } from './commands/command.ts';

interface Command {
  usage: string;
  about: string;
  options: string[];
  /** options without a value */
  flags?: string[];
  /** maximum number of positional arguments; default 0 */
  words?: number;
  /** loaded on demand, so that starting the server does not load other commands */
  load(): Promise<(input: CommandInput) => Promise<void>>;
}

const COMMANDS = lookupTable<Command>({
  serve: {
    usage: 'farmboard serve',
    about: 'Start the service (same as npm start)',
    options: [],
    load: async () => (await import('./commands/serve.ts')).serve,
  },
  agent: {
    usage: 'farmboard agent --config FILE [--check]',
    about: 'Watch the printers in FILE and report their prints; --check only tests the connections',
    options: ['config', 'check'],
    flags: ['check'],
    load: async () => (await import('./commands/agent.ts')).agent,
  },
  'account create': {
    usage: 'farmboard account create --email E --name N --password P [--currency C]',
    about: 'Create an account; --password - reads the password from standard input; --currency defaults to RUB',
    options: ['email', 'name', 'password', 'currency'],
    load: async () => (await import('./commands/account.ts')).createAccount,
  },
  'account reset-password': {
    usage: 'farmboard account reset-password --email E --password P',
    about: 'Set a new password and end all sessions of an account; --password - reads it from standard input',
    options: ['email', 'password'],
    load: async () => (await import('./commands/account.ts')).resetPassword,
  },
  'token create': {
    usage: 'farmboard token create --email E --name N [--days D|never] [--read-only]',
    about: 'Create an access token and print it (shown only once); --read-only: it can change nothing',
    options: ['email', 'name', 'days', 'read-only'],
    flags: ['read-only'],
    load: async () => (await import('./commands/token.ts')).createToken,
  },
  'token list': {
    usage: 'farmboard token list --email E',
    about: "List an account's access tokens (names only, not the tokens themselves)",
    options: ['email'],
    load: async () => (await import('./commands/token.ts')).listTokens,
  },
  'token revoke': {
    usage: 'farmboard token revoke --email E --name N',
    about: 'Revoke an access token immediately',
    options: ['email', 'name'],
    load: async () => (await import('./commands/token.ts')).revokeToken,
  },
  demo: {
    usage: 'farmboard demo [--email E | --live [--seed N] [--speed N]] [--language en|ru]',
    about:
      'Fill an account with sample data; without --email, run the whole order flow on a temporary farm, or with --live a simulated day of three minutes',
    options: ['email', 'live', 'seed', 'speed', 'language'],
    flags: ['live'],
    load: async () => (await import('./commands/demo.ts')).demo,
  },
  migrate: {
    usage: 'farmboard migrate',
    about: 'Upgrade the database schema',
    options: [],
    load: async () => (await import('./commands/database.ts')).migrateDatabase,
  },
  backup: {
    usage: 'farmboard backup FILE [--faults accept] [--verbose]',
    about: 'Write a verified backup to a SQLite file; safe while the service is running',
    options: ['faults', 'verbose'],
    flags: ['verbose'],
    words: 1,
    load: async () => (await import('./commands/database.ts')).backup,
  },
  restore: {
    usage: 'farmboard restore FILE [--faults accept] [--key lost] [--verbose]',
    about: 'Restore a backup into an empty SQLite or PostgreSQL database',
    options: ['faults', 'key', 'verbose'],
    flags: ['verbose'],
    words: 1,
    load: async () => (await import('./commands/restore.ts')).restore,
  },
  move: {
    usage: 'farmboard move --from URL --to URL [--key lost] [--verbose]',
    about: 'Move all data to an empty SQLite or PostgreSQL database; stop the service first',
    options: ['from', 'to', 'key', 'verbose'],
    flags: ['verbose'],
    load: async () => (await import('./commands/move.ts')).move,
  },
  'secret-key replace': {
    usage: 'farmboard secret-key replace FILE [--unreadable keep] [--verbose]',
    about: 'Encrypt all stored secrets with the key in FILE (-: standard input); stop the service first',
    options: ['unreadable', 'verbose'],
    flags: ['verbose'],
    words: 1,
    load: async () => (await import('./commands/secret-key.ts')).replaceSecretKey,
  },
  'secret-key reset': {
    usage: 'farmboard secret-key reset',
    about: 'Go on without a lost secret key: list and clear the secrets that it encrypted; stop the service first',
    options: [],
    load: async () => (await import('./commands/secret-key.ts')).resetSecretKey,
  },
  health: {
    usage: 'farmboard health',
    about: 'Check whether the local service is ready; exits with status 1 if not',
    options: [],
    load: async () => (await import('./commands/health.ts')).health,
  },
  check: {
    usage: 'farmboard check [--counters recount]',
    about: 'Check the stored data for inconsistencies; --counters recount corrects the counters of lists first',
    options: ['counters'],
    load: async () => (await import('./commands/check.ts')).check,
  },
});

function help(): string {
  const width = Math.max(...[...COMMANDS.values()].map(({ usage }) => usage.length));
  const lines = [...COMMANDS.values()].map(({ usage, about }) => `  ${usage.padEnd(width)}  ${about}`);
  return `Farmboard: order management for 3D-printing farms\n\nUsage:\n\n${lines.join('\n')}\n\nfarmboard --version prints the version. Settings are environment variables, described in docs/reference/settings.md.\n`;
}

const OPTIONS = Object.fromEntries(
  [...COMMANDS.values()].flatMap(({ options, flags }) =>
    options.map((name) => [name, { type: flags?.includes(name) ? ('boolean' as const) : ('string' as const) }]),
  ),
);

function parse(args: string[]): { command: Command; input: CommandInput } {
  // not strict, because errors show the usage of the command
  const { values, positionals } = parseArgs({ args, options: OPTIONS, strict: false });
  const pair = positionals.slice(0, 2).join(' ');
  const name = COMMANDS.has(pair) ? pair : (positionals[0] ?? '');
  const command = COMMANDS.get(name);
  if (!command) {
    const given = positionals.join(' ') || args[0];
    throw new UsageError(`Unknown command "${given}". Run "farmboard help" for a list of commands.`);
  }
  const unknown = Object.keys(values).find((option) => !command.options.includes(option));
  if (unknown) throw new UsageError(`Unknown option --${unknown}. Usage: ${command.usage}`);
  const incomplete = Object.keys(values).find((option) => values[option] === true && !command.flags?.includes(option));
  if (incomplete) throw new UsageError(`--${incomplete} needs a value.`);
  const words = positionals.slice(name.split(' ').length);
  const extra = words[command.words ?? 0];
  if (extra !== undefined) throw new UsageError(`Unexpected argument "${extra}". Usage: ${command.usage}`);
  const options = Object.fromEntries(Object.entries(values).map(([option, value]) => [option, String(value)]));
  return { command, input: { words, options } };
}

/** Loads all commands, so that the build can store their compiled code (bin/bundle.js). */
export async function loadCommands(): Promise<void> {
  for (const { load } of COMMANDS.values()) await load();
}

/** Describes the error that ended a command, in one line. @throws the error if it is none of an operator's concern */
function describe(error: unknown): string {
  const isOurs = error instanceof SettingError || error instanceof DomainError || error instanceof UsageError;
  if (isOurs) {
    const isSetting = error instanceof SettingError && !error.setting.startsWith('--');
    return `${isSetting ? "Farmboard can't start: " : ''}${error.message}`;
  }
  const fault =
    describeStorageFault(error) ??
    (isUnavailable(error) ? `The database isn't available: ${(error as Error).message}` : undefined);
  if (fault === undefined) throw error;
  return fault;
}

/** Runs a command line. Usage errors, invalid settings and faults of disks and databases end it with one line and status 1. */
export async function run(args: string[]): Promise<void> {
  if (args.length === 0 || ['help', '--help', '-h'].includes(args[0] as string)) {
    process.stdout.write(help());
    return;
  }
  if (args.length === 1 && args[0] === '--version') {
    process.stdout.write(`${version}\n`);
    return;
  }
  try {
    const { command, input } = parse(args);
    await (await command.load())(input);
  } catch (error) {
    process.stderr.write(`${describe(error)}\n`);
    process.exitCode = 1;
  }
}
