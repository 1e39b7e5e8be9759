import type { IDataObject } from 'n8n-workflow';
import { type Item, toIfMatch, toOutput } from '../../shared/operation';
import { path } from '../../shared/transport';
import { ORDER } from './fields';

/**
 * Updates an order with strict handling: by default the API resets an order with an unknown status to `negotiation`; in
 * a workflow a typo must be an error.
 */
export async function putOrder(item: Item, body: IDataObject): Promise<IDataObject> {
  const options = item.options('options');
  const answer = await item.write('PUT', path`/print-jobs/${item.id('orderId', 'order', 'Order')}`, body, {
    headers: { Prefer: 'handling=strict', ...toIfMatch(options) },
    idempotencyKey: options.idempotencyKey as string | undefined,
  });
  return toOutput(item, answer.body, ORDER);
}
