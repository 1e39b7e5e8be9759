import type { IDataObject } from 'n8n-workflow';
import { type Item, toWriteOutput } from '../../shared/operation';
import { path } from '../../shared/transport';
import { ORDER } from './fields';

/** Headers that make a write fail where the order is no longer the version it was meant for. */
export const toIfMatch = (options: IDataObject): Record<string, string> =>
  options.ifMatch ? { 'If-Match': String(options.ifMatch) } : {};

/**
 * Writes fields of the order that the node names, with strict handling: by the contract an unknown status silently resets
 * the order to `negotiation`; in a workflow it is a typo, and an error.
 */
export async function putOrder(item: Item, body: IDataObject): Promise<IDataObject> {
  const options = item.options('options');
  const answer = await item.write('PUT', path`/print-jobs/${item.id('orderId', 'order', 'Order')}`, body, {
    headers: { Prefer: 'handling=strict', ...toIfMatch(options) },
    idempotencyKey: options.idempotencyKey as string | undefined,
  });
  return toWriteOutput(item, answer.body, ORDER);
}
