import type { Config, Database } from '../../config/config.ts';
import { findSecretKey, keyFileOf } from '../../config/secret-key.ts';
import { findStockFaults } from '../../filaments/stock-check-store.ts';
import { findInvoiceFaults } from '../../invoices/invoice-check-store.ts';
import { createSecretBox } from '../../shared/crypto.ts';
import { DomainError } from '../../shared/errors.ts';
import { findMiscounts } from '../../storage/counters.ts';
import type { Storage } from '../../storage/open.ts';
import type { TableTally } from '../../storage/transfer/copy.ts';
import { findFaults as findDeliveryFaults } from '../../webhooks/delivery/delivery-check-store.ts';
import { canDecryptChannels } from '../../webhooks/subscriptions/subscription-store.ts';
import { type CommandInput, UsageError } from './command.ts';

/** Checks stored invariants. @returns violations as sentences */
export const findFaults = async ({ read }: Pick<Storage, 'read'>): Promise<string[]> => [
  ...(await findStockFaults(read)),
  ...(await findDeliveryFaults(read)),
  ...(await findInvoiceFaults(read)),
  ...(await findMiscounts(read)),
];

/** Whether `--name value` was given. @throws UsageError for any other value */
export function hasOptionValue({ options }: CommandInput, name: string, value: string): boolean {
  const given = options[name];
  if (given !== undefined && given !== value) throw new UsageError(`--${name} accepts only "${value}".`);
  return given === value;
}

/** Reports progress on standard error, which keeps standard output parseable. */
export const reportProgress = (line: string): void => void process.stderr.write(`${line}\n`);

export function printTallies(tallies: TableTally[]): void {
  const width = Math.max(...tallies.map(({ table }) => table.length));
  for (const { table, rows, checksum } of tallies) {
    console.log(`${table.padEnd(width)}  ${String(rows).padStart(9)}  ${checksum}`);
  }
}

/**
 * Checks that the key of the target database decrypts the data to be copied.
 * @throws DomainError if it does not, or there is none
 */
export async function requireKey(source: Storage, target: Database, { secretKey }: Config): Promise<void> {
  const file = target.engine === 'sqlite' ? target.file : undefined;
  const key = findSecretKey(secretKey, file);
  if (await canDecryptChannels(source.read, key === undefined ? undefined : createSecretBox(key))) return;
  const where = file === undefined ? 'SECRET_KEY' : `SECRET_KEY or ${keyFileOf(file)}`;
  throw new DomainError(
    'validation_error',
    `The webhook channels in this data are encrypted, and ${where} ${key === undefined ? 'is missing' : "doesn't match their key"}; nothing was written. Use the SECRET_KEY or the key file (<database>.key) of the service the data comes from. If the key is lost, add "--key lost" to continue; the channels must then be created again.`,
  );
}
