import type { SecretBox } from '../../../common/src/crypto.ts';
import type { Config } from '../config/config.ts';
import { placeOfKey } from '../config/secret-key.ts';
import { ENCRYPTED_INVOICE_COLUMNS } from '../invoices/invoice-store.ts';
import { ENCRYPTED_PROVIDER_COLUMNS, listNamedProviders } from '../invoices/payments/payment-store.ts';
import { SettingError } from '../shared/setting-error.ts';
import type { Db } from '../storage/dialect.ts';
import { changeEncrypted } from '../storage/encrypted-columns.ts';
import type { Storage } from '../storage/open.ts';
import { clearLostOfSubscriptions } from '../webhooks/subscriptions/lost-secrets.ts';
import {
  ENCRYPTED_SUBSCRIPTION_COLUMNS,
  type NamedSubscription,
} from '../webhooks/subscriptions/subscription-store.ts';

/** Everything that is encrypted with the secret key. */
export const ENCRYPTED = [ENCRYPTED_SUBSCRIPTION_COLUMNS, ENCRYPTED_INVOICE_COLUMNS, ENCRYPTED_PROVIDER_COLUMNS];

/** Counts the stored values by whether the key decrypts them. @param secretBox undefined without a key */
export async function countSecrets(db: Db, secretBox?: SecretBox) {
  const counts = { readable: 0, unreadable: 0 };
  for (const columns of ENCRYPTED)
    await changeEncrypted(db, columns, (value, context) => {
      counts[secretBox?.tryDecrypt(value, context) === undefined ? 'unreadable' : 'readable'] += 1;
      return value;
    });
  return counts;
}

/**
 * Checks that the key is the one of this database. One value that it opens is enough, because the key of others may have
 * been lost long ago.
 * @param secretBox undefined without a key
 * @returns how many values it doesn't open
 * @throws SettingError if there are values and it opens none
 */
export async function requireKeyFor(
  config: Pick<Config, 'secretKey'>,
  { read, file }: Pick<Storage, 'read' | 'file'>,
  secretBox: SecretBox | undefined,
): Promise<number> {
  const { readable, unreadable } = await countSecrets(read, secretBox);
  if (unreadable === 0 || readable > 0) return unreadable;
  const place = placeOfKey(config, file);
  const key = secretBox ? `the key in ${place} opens none of them` : `${place} is missing`;
  throw new SettingError(
    'SECRET_KEY',
    `${unreadable} stored secrets (of webhook channels, payment providers and payment links) are encrypted, and ${key}. Put the key back that they were encrypted with. If it is lost, run "farmboard secret-key reset": it lists what is lost with it, and everything else goes on.`,
  );
}

/** What was lost with the secret key. */
export interface LostSecrets {
  /** those that lost their signing secret or, of a chat service, their address */
  subscriptions: NamedSubscription[];
  providers: { name: string; email: string }[];
  /** how many invoices lost their payment link */
  links: number;
}

/** Clears every stored value that this key doesn't open, and turns the subscriptions off that need them. */
export async function clearLost(db: Db, secretBox: SecretBox, at: number): Promise<LostSecrets> {
  const subscriptions = await clearLostOfSubscriptions(db, secretBox, at);
  const lost = new Set<string>();
  const clear = (value: string, context: string, id: string) => {
    if (secretBox.tryDecrypt(value, context) !== undefined) return value;
    lost.add(id);
    return null;
  };
  await changeEncrypted(db, ENCRYPTED_PROVIDER_COLUMNS, clear);
  const providers = (await listNamedProviders(db)).filter(({ id }) => lost.has(id));
  lost.clear();
  await changeEncrypted(db, ENCRYPTED_INVOICE_COLUMNS, clear);
  return { subscriptions, providers, links: lost.size };
}
