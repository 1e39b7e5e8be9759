import type { IDataObject } from 'n8n-workflow';
import { toApiError } from './errors';
import { type FarmboardContext, type FarmboardRequest, farmboardRequest, readBaseUrl } from './transport';

/** The API's maximum page size. */
export const MAX_PAGE_SIZE = 200;
/** How often reading all pages is restarted because records were removed meanwhile. */
const MAX_READS = 3;

export interface Page {
  items: IDataObject[];
  total: number;
}

export type ListRequest = Omit<FarmboardRequest, 'method' | 'body' | 'headers'>;

export async function getPage(
  context: FarmboardContext,
  list: ListRequest,
  page: number,
  perPage: number,
): Promise<Page> {
  const request = { ...list, method: 'GET' as const, query: { ...list.query, page, per_page: perPage } };
  const { status, body } = await farmboardRequest(context, request);
  if (Array.isArray(body.items)) return { items: body.items as IDataObject[], total: Number(body.total ?? 0) };
  const details = { baseUrl: await readBaseUrl(context), request, itemIndex: list.itemIndex };
  throw toApiError(context.getNode(), status, {}, details);
}

/**
 * Reads the first `limit` records of a list, or all, in order. Pages are offsets into a list that may change meanwhile:
 * an added record pushes others to the next page, where they appear twice and are dropped by their `key`; a removed one
 * makes others move up and be missed. If `total` reveals that, everything is read again.
 */
export async function getRecords(
  context: FarmboardContext,
  request: ListRequest,
  limit = Number.POSITIVE_INFINITY,
  key = 'id',
): Promise<IDataObject[]> {
  if (limit <= 0) return [];
  const perPage = Math.min(limit, MAX_PAGE_SIZE);
  for (let read = 1; ; read++) {
    const { records, hasShrunk } = await readPages(
      (page) => getPage(context, request, page, perPage),
      perPage,
      limit,
      key,
    );
    if (!hasShrunk || read === MAX_READS) return [...records.values()].slice(0, limit);
  }
}

/** Reads pages until `limit` records are known or the list ends. */
async function readPages(read: (page: number) => Promise<Page>, perPage: number, limit: number, key: string) {
  const records = new Map<unknown, IDataObject>();
  let total = 0;
  let hasShrunk = false;
  for (let page = 1; records.size < limit; page++) {
    const { items, total: now } = await read(page);
    if (page > 1 && now < total) hasShrunk = true;
    const hasGrown = now > total;
    const known = records.size;
    total = now;
    for (const item of items) records.set(item[key], item);
    // a partial page is the last one, whatever total says; so is a repeated page, unless records were added before it
    if (items.length < perPage || page * perPage >= total || (records.size === known && !hasGrown)) break;
  }
  return { records, hasShrunk };
}
