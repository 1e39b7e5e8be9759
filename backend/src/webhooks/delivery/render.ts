import type { SecretBox } from '../../../../common/src/crypto.ts';
import type { Delivery, Subscription } from '../formats/format.ts';
import { FORMATS, type SubscriptionFormat } from '../formats/formats.ts';
import type { MessageContext } from '../formats/message.ts';
import { headerContext, previousSecretContext, secretContext } from '../subscriptions/subscription.ts';

export interface RenderedRequest {
  url: string;
  headers: Record<string, string>;
  body: string;
}

/** The encrypted secrets of a subscription, and when it is asked to send. */
export interface EncryptedSecrets {
  subscription_id: string;
  secret_encrypted: string | null;
  header_name: string | null;
  header_value_encrypted: string | null;
  previous_secret_encrypted: string | null;
  /** ms */
  previous_secret_until: number | null;
  /** ms */
  attempted_at: number;
}

/** The secrets that are valid at the time of an attempt. @throws Error if one can't be decrypted */
export function decryptSecrets(secretBox: SecretBox, encrypted: EncryptedSecrets) {
  const { subscription_id: id, secret_encrypted: current, previous_secret_encrypted: previous } = encrypted;
  const { header_name: name, header_value_encrypted: value } = encrypted;
  const isPreviousValid = encrypted.attempted_at < (encrypted.previous_secret_until ?? 0);
  return {
    secret: current && secretBox.decrypt(current, secretContext(id)),
    previousSecret: previous && isPreviousValid ? secretBox.decrypt(previous, previousSecretContext(id)) : null,
    header: name === null || value === null ? null : { name, value: secretBox.decrypt(value, headerContext(id)) },
  };
}

/** Renders the complete request of a delivery. */
export function render(
  subscription: Subscription & { format: SubscriptionFormat; header?: { name: string; value: string } | null },
  delivery: Delivery & { sequence: number },
  context: MessageContext = {},
): RenderedRequest {
  const { url, headers, body } = FORMATS[subscription.format].render(subscription, delivery, context);
  return {
    url,
    body,
    headers: {
      'Content-Type': 'application/json',
      'User-Agent': 'Farmboard',
      'X-Svc-Event': delivery.event,
      'X-Svc-Delivery': delivery.id,
      'X-Svc-Sequence': String(delivery.sequence),
      ...headers,
      ...(subscription.header ? { [subscription.header.name]: subscription.header.value } : {}),
    },
  };
}
