import { DomainError } from './errors.ts';

/** How much of a received entity tag an error message repeats, in characters. */
const MAX_TAG = 60;

/** A strong entity tag for a version of a record. */
export const toETag = (version: number | string): string => `"${version}"`;

/**
 * Whether an `If-Match` or `If-None-Match` header matches this version. A proxy that compresses a response makes its
 * tag weak (`W/"1"`), although the record is the same, so `W/` is ignored.
 */
export function matchesETag(header: string, version: number | string): boolean {
  const tags = header.split(',').map((tag) => tag.trim().replace(/^W\//, ''));
  return tags.includes('*') || tags.includes(toETag(version));
}

/**
 * @param what the record, and where its tag is, for the error
 * @throws DomainError precondition_failed
 */
export function checkVersion(
  ifMatch: string | undefined,
  version: number | string,
  what: { name: string; tag: string },
): void {
  if (ifMatch === undefined || matchesETag(ifMatch, version)) return;
  throw new DomainError(
    'precondition_failed',
    // not "has changed": a tag without its quotes matches no version at all
    `If-Match does not name the current version of the ${what.name}; received ${ifMatch.slice(0, MAX_TAG) || 'an empty header'}. Read the ${what.name} again and send its ${what.tag}.`,
  );
}

/**
 * For a record whose version is its `updated_at`.
 * @returns the time of the change: later than the version, even if the clock stands still
 * @throws DomainError precondition_failed
 */
export function nextVersion(
  stored: { updated_at: string },
  ifMatch: string | undefined,
  name: string,
  now: number,
): number {
  checkVersion(ifMatch, stored.updated_at, { name, tag: 'updated_at in quotes' });
  return Math.max(now, Date.parse(stored.updated_at) + 1);
}
