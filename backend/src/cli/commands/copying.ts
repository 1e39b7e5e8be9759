import { statSync } from 'node:fs';
import { createSecretBox } from '../../../../common/src/crypto.ts';
import { clearLost, countSecrets, type LostSecrets } from '../../composition/secret-values.ts';
import type { Config, Database } from '../../config/config.ts';
import { findOrCreateSecretKey, findSecretKey, keyFileOf } from '../../config/secret-key.ts';
import { DomainError } from '../../shared/errors.ts';
import type { Db } from '../../storage/dialect.ts';
import type { Storage } from '../../storage/open.ts';
import type { Progress, TableTally } from '../../storage/transfer/copy.ts';
import { isSigned } from '../../webhooks/formats/formats.ts';
import { type CommandInput, UsageError } from './command.ts';

/** Whether `--name value` was given. @throws UsageError for any other value */
export function hasOptionValue({ options }: CommandInput, name: string, value: string): boolean {
  const given = options[name];
  if (given !== undefined && given !== value) throw new UsageError(`--${name} accepts only "${value}".`);
  return given === value;
}

const isVerbose = ({ options }: CommandInput): boolean => options.verbose === 'true';

/**
 * Runs work that reports its progress on standard error, which keeps standard output parseable: each step with `--verbose`,
 * otherwise only the current one, and only on a terminal.
 */
export async function withProgress<T>(input: CommandInput, work: (progress: Progress) => Promise<T>): Promise<T> {
  const { stderr } = process;
  if (isVerbose(input)) return work((line) => stderr.write(`${line}\n`));
  if (!stderr.isTTY) return work(() => undefined);
  const clear = '\r\x1b[K';
  try {
    return await work((line) => stderr.write(`${clear}${line}`));
  } finally {
    stderr.write(clear);
  }
}

/** With `--verbose`: the rows and the checksum of each table. */
export function printTallies(input: CommandInput, tallies: TableTally[]): void {
  if (!isVerbose(input)) return;
  const width = Math.max(...tallies.map(({ table }) => table.length));
  for (const { table, rows, checksum } of tallies) {
    console.log(`${table.padEnd(width)}  ${String(rows).padStart(9)}  ${checksum}`);
  }
}

/** What was copied, such as "266 orders and 12 files (4.1 MB)". @param file the backup */
export function describeCopied(tallies: TableTally[], file?: string): string {
  const countOf = (name: string): string => {
    const rows = tallies.find(({ table }) => table === `${name}s`)?.rows ?? 0;
    return `${rows} ${name}${rows === 1 ? '' : 's'}`;
  };
  const size = file === undefined ? '' : ` (${(statSync(file).size / 1e6).toFixed(1)} MB)`;
  return `${countOf('order')} and ${countOf('file')}${size}`;
}

/**
 * For `--key lost`: clears in a copy what the key of the target doesn't open. Without a key there, a new one is written.
 * @param db a transaction in the copy
 */
export async function clearLostIn(db: Db, target: Database, config: Config): Promise<LostSecrets> {
  const key = findOrCreateSecretKey(config, target.engine === 'sqlite' ? target.file : undefined);
  return clearLost(db, createSecretBox(key), Date.now());
}

/** Says what was lost, and how to go on. */
export function reportLost({ subscriptions, providers, links }: LostSecrets): void {
  if (subscriptions.length + providers.length + links === 0) {
    console.log('No stored secret was lost.');
    return;
  }
  console.log('Lost with the old key, and cleared:');
  for (const { email, name, format } of subscriptions)
    console.log(
      `  ${email}: the ${isSigned(format) ? 'signing secret' : `${format} address`} of the webhook channel ${JSON.stringify(name)}, which is turned off`,
    );
  for (const { email, name } of providers)
    console.log(`  ${email}: the keys of the payment provider ${JSON.stringify(name)}`);
  if (links > 0)
    console.log(
      links === 1
        ? '  1 payment link of an invoice: the customer can still open it, but the console no longer shows it'
        : `  ${links} payment links of invoices: customers can still open them, but the console no longer shows them`,
    );
  console.log(
    'Everything else is unchanged. The owners can create new signing secrets, enter addresses and payment keys again, and turn their channels on.',
  );
}

/**
 * Checks that the key of the target database decrypts the data to be copied.
 * @throws DomainError if it does not, or there is none
 */
export async function requireKey(source: Storage, target: Database, { secretKey }: Config): Promise<void> {
  const file = target.engine === 'sqlite' ? target.file : undefined;
  const key = findSecretKey(secretKey, file);
  const { readable, unreadable } = await countSecrets(
    source.read,
    key === undefined ? undefined : createSecretBox(key),
  );
  if (unreadable === 0 || readable > 0) return;
  const where = file === undefined ? 'SECRET_KEY' : `SECRET_KEY or ${keyFileOf(file)}`;
  throw new DomainError(
    'validation_error',
    `${unreadable} secrets in this data (of webhook channels, payment providers and payment links) are encrypted, and ${where} ${key === undefined ? 'is missing' : "doesn't match their key"}; nothing was written. Use the SECRET_KEY or the key file (<database>.key) of the service the data comes from. If the key is lost, add "--key lost" to continue without these secrets.`,
  );
}
