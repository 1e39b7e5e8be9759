import type { SecretBox } from '../../shared/crypto.ts';
import type { Db } from '../../storage/dialect.ts';
import { changeEncrypted } from '../../storage/encrypted-columns.ts';
import { cancelPending } from '../delivery/transitions.ts';
import { isSigned } from '../formats/formats.ts';
import { urlContext } from './subscription.ts';
import {
  disableAsLost,
  ENCRYPTED_CHANNEL_COLUMNS,
  findNamedChannel,
  type NamedChannel,
  updateSubscription,
} from './subscription-store.ts';

/** Recorded as the worker that ended the pending deliveries. */
const WORKER = 'secret-key reset';

/**
 * Clears what the key doesn't open of all channels, and turns those channels off. The address of a signed channel is not
 * a secret and stays.
 * @returns the channels that lost something
 */
export async function clearLostOfChannels(db: Db, secretBox: SecretBox, at: number): Promise<NamedChannel[]> {
  const cleared = new Map<string, string[]>();
  await changeEncrypted(db, ENCRYPTED_CHANNEL_COLUMNS, (value, context, id) => {
    if (secretBox.tryDecrypt(value, context) !== undefined) return value;
    cleared.set(id, [...(cleared.get(id) ?? []), context]);
    // a channel without an address has an empty one
    return context === urlContext(id) ? secretBox.encrypt('', context) : null;
  });
  const lost: NamedChannel[] = [];
  for (const [id, contexts] of cleared) {
    const channel = await findNamedChannel(db, id);
    if (!channel) continue;
    const url = urlContext(id);
    const isUrlKnown = isSigned(channel.format);
    if (isUrlKnown && contexts.includes(url))
      await updateSubscription(db, id, { encryptedUrl: secretBox.encrypt(channel.url, url) }, at);
    if (isUrlKnown && contexts.every((context) => context === url)) continue;
    await disableAsLost(db, id, at);
    await cancelPending(db, id, WORKER);
    lost.push(channel);
  }
  return lost;
}
