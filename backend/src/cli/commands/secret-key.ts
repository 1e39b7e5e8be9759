import { createSecretBox, type SecretBox } from '../../../../common/src/crypto.ts';
import { readFileAtMost } from '../../../../common/src/read-file.ts';
import { clearLost, ENCRYPTED } from '../../composition/secret-values.ts';
import { type Config, MAX_SECRET_FILE_BYTES, MIN_SECRET_LENGTH, readConfig } from '../../config/config.ts';
import { checkSecretKey, findOrCreateSecretKey, findSecretKey, placeOfKey } from '../../config/secret-key.ts';
import { DomainError } from '../../shared/errors.ts';
import type { Db } from '../../storage/dialect.ts';
import { changeEncrypted } from '../../storage/encrypted-columns.ts';
import { lockSchema } from '../../storage/migrate.ts';
import type { Storage } from '../../storage/open.ts';
import { requireCurrentSchema } from '../../storage/schema.ts';
import type { Progress } from '../../storage/transfer/copy.ts';
import { openExclusively } from '../../storage/transfer/source.ts';
import { type CommandInput, readStandardInput, UsageError } from './command.ts';
import { hasOptionValue, reportLost, withProgress } from './copying.ts';
import { requireNoBusyWorkers } from './move.ts';

/** How many values were encrypted with which key. */
interface Counts {
  /** with the old key, until now */
  old: number;
  /** with the new one already, by an earlier run */
  new: number;
  unreadable: number;
}

/**
 * `farmboard secret-key replace FILE`: encrypts everything in the database of a stopped service with the key in a file.
 * One transaction: until its commit the old key is valid, from then on the new one, and a repetition changes nothing.
 */
export async function replaceSecretKey(input: CommandInput): Promise<void> {
  const [file] = input.words;
  if (file === undefined) throw new UsageError('Name the file with the new key: farmboard secret-key replace FILE');
  const keepsUnreadable = hasOptionValue(input, 'unreadable', 'keep');
  const newKey = await readNewKey(file);
  await withStoppedService(async (config, storage) => {
    const oldKey = findSecretKey(config.secretKey, storage.file);
    const place = placeOfKey(config, storage.file);
    if (oldKey === undefined)
      throw new UsageError(
        `The current key is missing. Set SECRET_KEY to it${place === 'SECRET_KEY' ? '' : `, or put back ${place}`}.`,
      );
    if (oldKey === newKey) throw new UsageError(`The key in ${file} is the one that ${place} already has.`);
    const counts = await withProgress(input, (progress) =>
      storage.inTransaction(async ({ db }) => {
        // a service that starts now waits
        await lockSchema(db);
        const keys = { old: createSecretBox(oldKey), new: createSecretBox(newKey) };
        return encryptAgain(db, keys, { place, keepsUnreadable, progress });
      }),
    );
    report(counts, place);
  });
}

/**
 * `farmboard secret-key reset`: clears what the key of a stopped service doesn't open, because its key is lost. Without
 * a key, a new one is written first.
 */
export function resetSecretKey(): Promise<void> {
  return withStoppedService(async (config, storage) => {
    const isNew = findSecretKey(config.secretKey, storage.file) === undefined;
    const secretBox = createSecretBox(findOrCreateSecretKey(config, storage.file));
    const lost = await storage.inTransaction(async ({ db }) => {
      await lockSchema(db);
      return clearLost(db, secretBox, Date.now());
    });
    reportLost(lost);
    const place = placeOfKey(config, storage.file);
    console.log(
      isNew ? `A new key is in ${place}. Keep a copy elsewhere.` : `From now on, the key is the one in ${place}.`,
    );
  });
}

/** Opens the current database of a service that is stopped, so that nothing else uses its secrets meanwhile. */
async function withStoppedService(work: (config: Config, storage: Storage) => Promise<void>): Promise<void> {
  const config = readConfig();
  checkSecretKey(config);
  const storage = await openExclusively(config.database, 'DATABASE_URL');
  try {
    await requireCurrentSchema(storage.read, 'The database');
    await requireNoBusyWorkers(storage);
    await work(config, storage);
  } finally {
    await storage.close();
  }
}

async function readNewKey(file: string): Promise<string> {
  let text: string;
  try {
    text = file === '-' ? await readStandardInput() : readFileAtMost(file, MAX_SECRET_FILE_BYTES).toString('utf8');
  } catch (error) {
    throw new UsageError(`The file with the new key cannot be read (${(error as Error).message}).`);
  }
  const key = text.trim();
  if (key.length >= MIN_SECRET_LENGTH) return key;
  throw new UsageError(
    `The new key must have at least ${MIN_SECRET_LENGTH} characters; create one with: openssl rand -hex 32`,
  );
}

/** @throws DomainError if a value can't be read, or if not all can be read with the new key afterwards */
async function encryptAgain(
  db: Db,
  keys: { old: SecretBox; new: SecretBox },
  { place, keepsUnreadable, progress }: { place: string; keepsUnreadable: boolean; progress: Progress },
): Promise<Counts> {
  const counts: Counts = { old: 0, new: 0, unreadable: 0 };
  await changeAll(
    db,
    (table) => progress(`encrypting ${table}`),
    (value, context) => {
      const plain = keys.old.tryDecrypt(value, context);
      if (plain !== undefined) {
        counts.old += 1;
        return keys.new.encrypt(plain, context);
      }
      counts[keys.new.tryDecrypt(value, context) === undefined ? 'unreadable' : 'new'] += 1;
      return value;
    },
  );
  const readable = counts.old + counts.new;
  if (counts.unreadable > 0 && !(keepsUnreadable && readable > 0)) throw unreadable(counts, place);
  let verified = 0;
  await changeAll(
    db,
    (table) => progress(`verifying ${table}`),
    (value, context) => {
      if (keys.new.tryDecrypt(value, context) !== undefined) verified += 1;
      return value;
    },
  );
  if (verified !== readable)
    throw new DomainError(
      'internal_error',
      `Only ${verified} of ${readable} values could be read again; nothing was changed.`,
    );
  return counts;
}

async function changeAll(
  db: Db,
  begin: (table: string) => void,
  change: (value: string, context: string) => string,
): Promise<void> {
  for (const columns of ENCRYPTED) {
    begin(columns.table);
    await changeEncrypted(db, columns, change);
  }
}

function unreadable({ old, new: done, unreadable: count }: Counts, place: string): DomainError {
  const total = old + done + count;
  const advice =
    count === total
      ? 'Use the key that the service had.'
      : 'If their key is lost, add "--unreadable keep" to leave them as they are.';
  return new DomainError(
    'validation_error',
    `${count} of ${total} encrypted values can't be read with ${place}; nothing was changed. ${advice}`,
  );
}

function report(counts: Counts, place: string): void {
  console.log(`Encrypted ${counts.old} values with the new key and verified them.`);
  if (counts.new > 0) console.log(`${counts.new} values had already been encrypted by an earlier run.`);
  if (counts.unreadable > 0)
    console.log(`${counts.unreadable} values can't be read with either key and were left as they are.`);
  const next =
    place === 'SECRET_KEY' ? 'set SECRET_KEY of every process to the new key' : `move the new key to ${place}`;
  console.log(`Before you start the service, ${next}. Backups made so far need the old key.`);
}
