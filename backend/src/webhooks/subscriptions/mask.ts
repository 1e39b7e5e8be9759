import { parseUrl } from '../../shared/url.ts';
import type { ChannelFormat } from '../delivery/attempt.ts';

/** Masks a channel's URL for display: in a chat service's URL the path is the secret, so only its origin is kept. */
export function maskUrl(url: string, format: ChannelFormat): string {
  if (format === 'signed') return url;
  const parsed = parseUrl(url);
  return parsed ? `${parsed.protocol}//${parsed.host}/***` : '***';
}
