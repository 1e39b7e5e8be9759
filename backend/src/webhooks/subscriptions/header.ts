import { z } from 'zod';
import type { SecretBox } from '../../../../common/src/crypto.ts';
import { invalid } from '../../shared/errors.ts';
import { headerContext, urlContext } from './subscription.ts';

/** Shown instead of the value. A client that sends back what it read sends it, too. */
export const MASKED_VALUE = '••••••••';

/**
 * Names that a subscription can't have. `*` stands for any characters. Names are compared in lower case and with a hyphen
 * for whatever isn't a letter or digit, because receivers that get headers as CGI variables read `X_Real.IP` as
 * `X-Real-IP`.
 */
export const RESERVED = {
  /** HTTP uses them for the connection or the message, and browsers let no script set them. */
  http: [
    ...['accept-charset', 'accept-encoding', 'access-control-*', 'connection', 'content-*', 'cookie*', 'date', 'dnt'],
    ...['early-data', 'expect', 'host', 'http2-settings', 'if-*', 'keep-alive', 'max-forwards', 'origin', 'range'],
    ...['referer', 'sec-*', 'set-cookie*', 'te', 'trailer', 'transfer-encoding', 'upgrade*', 'via', 'x-http-host*'],
    ...['x-http-method*', 'x-method-override'],
  ],
  /**
   * Proxies and gateways say with them who sent a request, and how, and the servers behind them trust that. Of Cloudflare
   * not all: a service token of Access is sent in `CF-Access-Client-Id` and `CF-Access-Client-Secret`.
   */
  proxies: [
    ...['*-clientip', '*-ip', 'cdn-loop', 'cf-ipcountry', 'cf-ray', 'cf-visitor', 'client-cert*', 'cloudfront-*'],
    ...['fastly-client', 'fastly-ff', 'fastly-ssl', 'fly-forwarded-*', 'forwarded*', 'front-end-https', 'proxy'],
    ...['proxy-*', 'remote-*', 'script-name', 'ssl-*', 'tailscale-*', 'wl-proxy-*', 'x-accel-*', 'x-akamai-*'],
    ...['x-amzn-mtls-*', 'x-amzn-oidc-*', 'x-amzn-tls-*', 'x-amzn-trace-id', 'x-apigateway-*', 'x-appengine-*'],
    ...['x-arr-*', 'x-auth-request-*', 'x-authenticated-*', 'x-authentik-*', 'x-azure-*', 'x-client-cert*'],
    ...['x-client-dn', 'x-client-verify', 'x-consumer-custom-id', 'x-consumer-groups', 'x-consumer-id'],
    ...['x-consumer-username', 'x-envoy-*', 'x-forward*', 'x-goog-authenticated-*', 'x-goog-iap-*', 'x-host*'],
    ...['x-middleware-*', 'x-ms-client-principal*', 'x-ms-token-*', 'x-original-*', 'x-originating-*', 'x-pomerium-*'],
    ...['x-real-*', 'x-remote-*', 'x-rewrite-*', 'x-scheme', 'x-script-name', 'x-sendfile-*', 'x-ssl-*', 'x-tls-*'],
    ...['x-url-scheme', 'x-vercel-forwarded-*', 'x-vercel-ip-*', 'x-vercel-proxied-*', 'x-webauth-*'],
  ],
  /** The service or tracing sends them. */
  webhooks: ['traceparent', 'tracestate', 'user-agent', 'webhook-*', 'x-svc-*'],
};

const REASONS: [string[], string][] = [
  [RESERVED.http, 'HTTP uses it for the connection or the message'],
  [RESERVED.proxies, 'proxies use it to say where a request comes from'],
  [RESERVED.webhooks, 'webhooks have it themselves'],
];

const toPattern = (names: string[]): RegExp => new RegExp(`^(${names.join('|').replaceAll('*', '.*')})$`);

const REFUSALS = REASONS.map(([names, reason]) => ({ pattern: toPattern(names), reason }));

/** Why a subscription can't have a header of this name; undefined if it can. */
function findRefusal(name: string): string | undefined {
  const compared = name.toLowerCase().replaceAll(/[^a-z0-9]/g, '-');
  return REFUSALS.find(({ pattern }) => pattern.test(compared))?.reason;
}

const name = z
  .string()
  .max(100)
  .regex(/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/, 'must be the name of an HTTP header: letters, digits and hyphens')
  .refine((sent) => findRefusal(sent) === undefined, {
    error: ({ input }) => `must be another name: ${findRefusal(String(input))}`,
  })
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
