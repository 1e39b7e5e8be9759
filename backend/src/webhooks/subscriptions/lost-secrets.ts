import type { SecretBox } from '../../../../common/src/crypto.ts';
import { invalid } from '../../shared/errors.ts';
import type { Db } from '../../storage/dialect.ts';
import { changeEncrypted } from '../../storage/encrypted-columns.ts';
import { cancelPending } from '../delivery/transitions.ts';
import { isSigned } from '../formats/formats.ts';
import { headerContext, previousSecretContext, secretContext, urlContext } from './subscription.ts';
import {
  disableAsLost,
  ENCRYPTED_SUBSCRIPTION_COLUMNS,
  findNamedSubscription,
  type NamedSubscription,
  type StoredSubscription,
  updateSubscription,
} from './subscription-store.ts';

/** Recorded as the worker that ended the pending deliveries. */
const WORKER = 'secret-key reset';

/**
 * Clears what the key doesn't open of all subscriptions, and turns those subscriptions off. The address of a signed
 * subscription is not a secret and stays.
 * @returns the subscriptions that lost something
 */
export async function clearLostOfSubscriptions(db: Db, secretBox: SecretBox, at: number): Promise<NamedSubscription[]> {
  const cleared = new Map<string, string[]>();
  await changeEncrypted(db, ENCRYPTED_SUBSCRIPTION_COLUMNS, (value, context, id) => {
    if (secretBox.tryDecrypt(value, context) !== undefined) return value;
    cleared.set(id, [...(cleared.get(id) ?? []), context]);
    // a subscription without an address has an empty one
    return context === urlContext(id) ? secretBox.encrypt('', context) : null;
  });
  const lost: NamedSubscription[] = [];
  for (const [id, contexts] of cleared) {
    const subscription = await findNamedSubscription(db, id);
    if (!subscription) continue;
    const url = urlContext(id);
    const isUrlKnown = isSigned(subscription.format);
    if (isUrlKnown && contexts.includes(url))
      await updateSubscription(db, id, { encryptedUrl: secretBox.encrypt(subscription.url, url) }, at);
    // a secret that was replaced already is only lost early
    if (isUrlKnown && contexts.every((context) => context === url || context === previousSecretContext(id))) continue;
    await disableAsLost(db, id, at);
    await cancelPending(db, id, WORKER);
    lost.push(subscription);
  }
  return lost;
}

/** @throws DomainError validation_error if something that the subscription needs was lost with the secret key */
export function requireSecrets(
  secretBox: SecretBox,
  { subscription: { id, format }, encryptedUrl, encryptedSecret, encryptedHeader }: StoredSubscription,
): void {
  if (!secretBox.tryDecrypt(encryptedUrl, urlContext(id)))
    throw invalid(
      '/enabled',
      'The address of this subscription was lost with the secret key of the service. Enter it again, then turn the subscription on.',
    );
  if (isSigned(format) && !secretBox.tryDecrypt(encryptedSecret ?? '', secretContext(id)))
    throw invalid(
      '/enabled',
      'The signing secret of this subscription was lost with the secret key of the service. Create a new one and give it to the receiver, then turn the subscription on.',
    );
  if (encryptedHeader !== null && secretBox.tryDecrypt(encryptedHeader, headerContext(id)) === undefined)
    throw invalid(
      '/enabled',
      'The value of the extra header of this subscription was lost with the secret key of the service. Enter it again, or remove the header, then turn the subscription on.',
    );
}
