import { parseUrl } from '../../../../common/src/url.ts';
import { discord } from './discord.ts';
import { signed } from './signed.ts';
import { slack } from './slack.ts';

/** The formats that a subscription can have; each is a file beside this one. */
export const FORMATS = { signed, slack, discord };

export type SubscriptionFormat = keyof typeof FORMATS;
export const SUBSCRIPTION_FORMATS = Object.keys(FORMATS) as SubscriptionFormat[];

export const isSigned = (format: SubscriptionFormat): boolean => FORMATS[format].isSigned;

/**
 * Masks a subscription's URL for display: in a chat service's URL the path is the secret, so only its origin is kept.
 */
export function maskUrl(url: string, format: SubscriptionFormat): string {
  if (isSigned(format)) return url;
  const parsed = parseUrl(url);
  return parsed ? `${parsed.protocol}//${parsed.host}/***` : '***';
}
