import type { IDataObject, ILoadOptionsFunctions, INodeListSearchItems, INodeListSearchResult } from 'n8n-workflow';
import { getPage, getRecords, type ListRequest } from '../shared/paging';
import { findRecordId, toLabel } from '../shared/record-id';
import { readBaseUrl } from '../shared/transport';
import { STATUS_NAMES } from '../shared/vocabulary';

const PER_PAGE = 50;
/** A user is waiting in the editor, so long rate-limit pauses are reported as errors. */
const EDITOR_REQUEST = { maxPauseMs: 5_000 };

type Label = (record: IDataObject) => INodeListSearchItems;

/** Path of a record's page in the console. */
type ConsolePage = (id: string) => string;

/** Adds the console URL of its record to each entry. */
async function withUrls(
  context: ILoadOptionsFunctions,
  results: INodeListSearchItems[],
  toPath: ConsolePage,
): Promise<INodeListSearchItems[]> {
  const [, origin] = /^(.*)\/api\/v1$/.exec(await readBaseUrl(context)) ?? [];
  // with another path the API is behind a proxy, which may not serve the console
  if (origin === undefined) return results;
  return results.map((result) => ({ ...result, url: `${origin}/console${toPath(String(result.value))}` }));
}

/** One page of a list for a dropdown. n8n passes `paginationToken`, which must be a string, back for the next page. */
async function search(
  context: ILoadOptionsFunctions,
  request: ListRequest,
  label: Label,
  toPath: ConsolePage,
  paginationToken?: string,
): Promise<INodeListSearchResult> {
  const page = Math.max(1, Number(paginationToken) || 1);
  const { items, total } = await getPage(context, { ...EDITOR_REQUEST, ...request }, page, PER_PAGE);
  const isLast = items.length < PER_PAGE || page * PER_PAGE >= total;
  const results = await withUrls(context, items.map(label), toPath);
  return { results, ...(isLast ? {} : { paginationToken: String(page + 1) }) };
}

/** For short lists without server-side search: reads all records and filters them here. */
async function searchAll(
  context: ILoadOptionsFunctions,
  path: string,
  label: Label,
  toPath: ConsolePage,
  filter = '',
): Promise<INodeListSearchResult> {
  const wanted = filter.trim().toLowerCase();
  const results = await withUrls(context, (await getRecords(context, { ...EDITOR_REQUEST, path })).map(label), toPath);
  return { results: results.filter(({ name }) => name.toLowerCase().includes(wanted)) };
}

const orderPath: ConsolePage = (id) => `/?order=${id}`;

const orderLabel: Label = ({ id, model_name, workflow_status, due_date, customer_name }) => ({
  name: [model_name, customer_name, STATUS_NAMES.get(String(workflow_status)), `due ${due_date}`]
    .filter(Boolean)
    .join(' · '),
  value: String(id),
  description: toLabel(String(id)),
});

export async function searchOrders(
  this: ILoadOptionsFunctions,
  filter?: string,
  paginationToken?: string,
): Promise<INodeListSearchResult> {
  // an order label or ID scanned or pasted into the search box finds its order
  const id = findRecordId(filter, 'order');
  if (id !== undefined) return { results: await withUrls(this, [{ name: toLabel(id), value: id }], orderPath) };
  const query = filter?.trim() ? { q: filter.trim(), include_closed: 'true' } : {};
  return await search(this, { path: '/print-jobs', query }, orderLabel, orderPath, paginationToken);
}

export async function searchFilaments(
  this: ILoadOptionsFunctions,
  filter?: string,
  paginationToken?: string,
): Promise<INodeListSearchResult> {
  const query = filter?.trim() ? { q: filter.trim() } : {};
  const label: Label = ({ id, name, brand, type_name, remaining_grams }) => ({
    name: [name, brand, type_name, `${remaining_grams} g left`].filter(Boolean).join(' · '),
    value: String(id),
  });
  return await search(this, { path: '/filaments', query }, label, (id) => `/stock/${id}`, paginationToken);
}

export async function searchPrinters(this: ILoadOptionsFunctions, filter?: string): Promise<INodeListSearchResult> {
  const label: Label = ({ id, name, model, group_name }) => ({
    name: [name, model, group_name].filter(Boolean).join(' · '),
    value: String(id),
  });
  return await searchAll(this, '/printers', label, () => '/printers', filter);
}

export async function searchSubscriptions(
  this: ILoadOptionsFunctions,
  filter?: string,
): Promise<INodeListSearchResult> {
  const label: Label = ({ id, name, url, enabled }) => ({
    name: [name, url, enabled ? '' : 'off'].filter(Boolean).join(' · '),
    value: String(id),
  });
  return await searchAll(this, '/webhook-subscriptions', label, () => '/automation/channels', filter);
}

/** Shortens a long text to one line. */
const truncate = (text: unknown): string => {
  const [line] = String(text ?? '')
    .trim()
    .split('\n');
  return line.length > 60 ? `${line.slice(0, 60)}…` : line;
};

export async function searchLeads(
  this: ILoadOptionsFunctions,
  filter?: string,
  paginationToken?: string,
): Promise<INodeListSearchResult> {
  const query = filter?.trim() ? { q: filter.trim() } : {};
  const label: Label = ({ id, description, contact, client_email }) => ({
    name: [truncate(description), contact || client_email].filter(Boolean).join(' · ') || String(id),
    value: String(id),
  });
  return await search(this, { path: '/leads', query }, label, (id) => `/requests/${id}`, paginationToken);
}

export async function searchInvoices(
  this: ILoadOptionsFunctions,
  filter?: string,
  paginationToken?: string,
): Promise<INodeListSearchResult> {
  const query = filter?.trim() ? { q: filter.trim() } : {};
  const label: Label = ({ id, number, customer_name, status }) => ({
    name: [number ?? 'Draft', customer_name, number ? status : ''].filter(Boolean).join(' · '),
    value: String(id),
  });
  return await search(this, { path: '/invoices', query }, label, (id) => `/invoices/${id}`, paginationToken);
}
