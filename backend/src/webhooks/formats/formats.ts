import { parseUrl } from '../../shared/url.ts';
import { discord } from './discord.ts';
import { signed } from './signed.ts';
import { slack } from './slack.ts';

/** The formats that a channel can have; each is a file beside this one. */
export const FORMATS = { signed, slack, discord };

export type ChannelFormat = keyof typeof FORMATS;
export const CHANNEL_FORMATS = Object.keys(FORMATS) as [ChannelFormat, ...ChannelFormat[]];

export const isSigned = (format: ChannelFormat): boolean => FORMATS[format].isSigned;

/** Masks a channel's URL for display: in a chat service's URL the path is the secret, so only its origin is kept. */
export function maskUrl(url: string, format: ChannelFormat): string {
  if (isSigned(format)) return url;
  const parsed = parseUrl(url);
  return parsed ? `${parsed.protocol}//${parsed.host}/***` : '***';
}
