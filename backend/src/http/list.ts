import type { Request } from 'express';
import { sha256 } from '../../../common/src/crypto.ts';
import { type Cursor, encodeCursor } from '../shared/cursor.ts';
import { invalid } from '../shared/errors.ts';
import { type Listed, type Page, toEnvelope } from '../shared/pagination.ts';
import type { NextPage, Reply, Route } from './route.ts';

/** Answers a page of a list, with a link to the next page if there is one. */
export const listReply = <T>(listed: Listed<T>, page: Page): Reply => ({
  status: 200,
  body: toEnvelope(listed, page),
  ...(listed.next && { next: { page: page.page + 1, position: listed.next } }),
});

/** Identifies a list: cursors continue it with the same filters in the same order, but with pages of any length. */
function identify({ path }: Route, params: unknown, query: Record<string, unknown>): string {
  const { page: _page, per_page: _perPage, cursor: _cursor, ...filters } = query;
  return sha256(JSON.stringify([path, params, filters])).slice(0, 16);
}

/** @throws DomainError validation_error if the cursor is of another list, or comes with a page number */
export function checkCursor(spec: Route, req: Request, params: unknown, query: Record<string, unknown>): void {
  const { cursor } = query as { cursor?: Cursor };
  if (!cursor) return;
  if (req.query.page !== undefined) {
    throw invalid('query/page', 'A cursor already says where the page begins. Send either cursor or page.');
  }
  if (cursor.list !== identify(spec, params, query)) {
    throw invalid(
      'query/cursor',
      'This cursor belongs to another list, or to this one with other filters or another sort order. Follow the link as it is, or start again from the first page.',
    );
  }
}

/** The link to the next page: the address of this one with a cursor (RFC 8288). */
export function linkToNext(
  spec: Route,
  req: Request,
  { params, query }: { params: unknown; query: Record<string, unknown> },
  next: NextPage,
): string {
  const { pathname, searchParams } = new URL(req.originalUrl, 'http://localhost');
  searchParams.delete('page');
  searchParams.set('cursor', encodeCursor({ list: identify(spec, params, query), ...next }));
  return `<${pathname}?${searchParams}>; rel="next"`;
}
