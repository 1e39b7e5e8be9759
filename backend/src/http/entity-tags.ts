import type { NextFunction, Request, Response } from 'express';

/**
 * What proxies append to the tag of a response that they have compressed, within its quotes or behind them: Apache
 * `"1-gzip"` or `"1"-gzip`, Jetty `"1--gzip"`, others `"1;gzip"`. None of our tags ends in one.
 */
const SUFFIX = /(?:--?|;)(?:x-gzip|gzip|deflate|br|zstd)(?="|\s*(?:,|$))/gi;

/** Gives tags back as they left this service, for every route that compares them. */
export function restoreEntityTags({ headers }: Request, _res: Response, next: NextFunction): void {
  for (const name of ['if-match', 'if-none-match'] as const) {
    const sent = headers[name];
    if (sent !== undefined) headers[name] = sent.replace(SUFFIX, '');
  }
  next();
}
