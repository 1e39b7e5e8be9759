import type { INode } from 'n8n-workflow';
import { toFieldError } from './errors';

const UUID = '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}';
const BARE = new RegExp(`^${UUID}$`, 'i');
const LABEL = new RegExp(`^ORDER-(${UUID})$`, 'i');
const IN_PATH = new RegExp(`/(${UUID})(?=[/?#]|$)`, 'gi');
/** the console's order drawer: `/console/?order=<id>` */
const IN_QUERY = new RegExp(`[?&]order=(${UUID})(?=[&#]|$)`, 'i');

/** The content of an order's QR label. */
export const toLabel = (orderId: string): string => `ORDER-${orderId}`;

/**
 * Extracts the ID from a bare ID, an order label `ORDER-<id>`, a URL with the ID in its path (the first one of nested
 * records) or, for orders, the URL of the console's drawer.
 * @returns undefined if there is none
 */
export function findRecordId(value: unknown, kind: string): string | undefined {
  if (typeof value !== 'string') return undefined;
  const text = value.trim();
  if (BARE.test(text)) return text.toLowerCase();
  if (kind === 'order') {
    const label = LABEL.exec(text);
    if (label) return label[1].toLowerCase();
  }
  if (!/^https?:\/\//i.test(text)) return undefined;
  const inQuery = kind === 'order' ? IN_QUERY.exec(text) : null;
  return (inQuery ?? [...text.matchAll(IN_PATH)][0])?.[1].toLowerCase();
}

/** @throws NodeOperationError that names the field if there is no ID */
export function readRecordId(node: INode, field: string, kind: string, value: unknown, itemIndex?: number): string {
  const id = findRecordId(value, kind);
  if (id !== undefined) return id;
  const shown =
    value === undefined || value === null || value === '' ? 'it is empty' : `there is no ID in ${quote(value)}`;
  const label = kind === 'order' ? ', a scanned label (ORDER-<ID>)' : '';
  const remedy = `Choose the ${kind} from the list, or enter its ID (a UUID)${label} or its URL. If the value comes from an expression, check what it returns for this item.`;
  throw toFieldError(node, field, shown, remedy, itemIndex);
}

function quote(value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return `"${text.length > 80 ? `${text.slice(0, 80)}…` : text}"`;
}
