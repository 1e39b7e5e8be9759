import { z } from 'zod';
import type { SecretBox } from '../../../../common/src/crypto.ts';
import { invalid } from '../../shared/errors.ts';
import { headerContext, urlContext } from './subscription.ts';

/** Shown instead of the value. A client that sends back what it read sends it, too. */
export const MASKED_VALUE = '••••••••';

/**
 * Names that a subscription can't have: HTTP uses them for the connection, the message or the way of it, or the service
 * sends them. A name that ends with `*` stands for all that begin with it.
 */
const RESERVED = [
  ...['accept-encoding', 'connection', 'content-*', 'cookie', 'date', 'expect', 'forwarded', 'host', 'http2-settings'],
  ...['keep-alive', 'proxy-*', 'set-cookie', 'te', 'trailer', 'transfer-encoding', 'upgrade', 'via', 'x-forwarded-*'],
  ...['traceparent', 'tracestate', 'user-agent', 'webhook-*', 'x-svc-*'],
];

const isReserved = (name: string): boolean =>
  RESERVED.some((one) =>
    one.endsWith('*') ? name.toLowerCase().startsWith(one.slice(0, -1)) : name.toLowerCase() === one,
  );

const name = z
  .string()
  .max(100)
  .regex(/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/, 'must be the name of an HTTP header: letters, digits and hyphens')
  .refine((sent) => !isReserved(sent), `must be another name: reserved are ${RESERVED.join(', ')}`)
  .meta({ example: 'Authorization' });

export const NewHeader = z
  .object({
    name,
    value: z
      .union([
        z.literal(MASKED_VALUE),
        z
          .string()
          .max(1000)
          .regex(/^[!-~](?:[ -~]*[!-~])?$/, 'must be visible ASCII characters, with spaces only between them'),
      ])
      .describe('kept encrypted')
      .meta({ example: 'Bearer 4f9d…' }),
  })
  .meta({ id: 'NewWebhookHeader' })
  .nullable()
  .describe('a header that every request to the receiver has besides ours; null: none');
export type NewHeader = z.output<typeof NewHeader>;

export const ShownHeader = z
  .object({ name: z.string().meta({ example: 'Authorization' }), value: z.literal(MASKED_VALUE) })
  .meta({ id: 'WebhookHeader' })
  .nullable()
  .describe('the header that every request to the receiver has besides ours; its value is never shown');
export type ShownHeader = z.output<typeof ShownHeader>;

/** A header as it is stored; null: none. */
export type StoredHeader = { name: string; encryptedValue: string } | null;

/** @throws DomainError validation_error for the masked value, which isn't one */
export function toStoredHeader(secretBox: SecretBox, id: string, sent: NewHeader): StoredHeader {
  if (sent === null) return null;
  if (sent.value === MASKED_VALUE)
    throw invalid('/header/value', 'must be the actual value: none is stored for a header of this name');
  return { name: sent.name, encryptedValue: secretBox.encrypt(sent.value, headerContext(id)) };
}

/**
 * What a change makes of the header. A client that sends back what it read sends the masked value, which is not a change.
 * The value goes to no other host than the one that it was entered for.
 * @returns undefined: it stays
 * @throws DomainError validation_error
 */
export function toHeaderChange(
  secretBox: SecretBox,
  id: string,
  { header: sent, url }: { header?: NewHeader | undefined; url?: string | undefined },
  stored: { header: ShownHeader; encryptedUrl: string },
): StoredHeader | undefined {
  const isKept =
    sent === undefined ||
    (sent === null ? stored.header === null : sent.value === MASKED_VALUE && sent.name === stored.header?.name);
  if (!isKept) return toStoredHeader(secretBox, id, sent);
  if (stored.header === null || url === undefined) return undefined;
  const before = secretBox.tryDecrypt(stored.encryptedUrl, urlContext(id));
  if (before && new URL(before).origin === new URL(url).origin) return undefined;
  throw invalid('/header/value', 'must be sent again with a URL on another host, or header must be null');
}
