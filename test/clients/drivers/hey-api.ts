import { client } from './automation/hey-api/client.gen';
import * as api from './automation/hey-api/sdk.gen';
import { type Farm, type Seen, STATUSES, toSeen } from './flow';

const throwOnError = true;

export async function drive({ token, filament, receiver }: Farm): Promise<Seen> {
  // it has the address from the document
  client.setConfig({ auth: token });
  const { id } = (await api.createOrder({ body: { model_name: 'Bracket' }, throwOnError })).data;
  const path = { id: `ORDER-${id}` };
  const label = (await api.getOrder({ path, throwOnError })).data.model_name;
  const statuses: string[] = [];
  for (const workflow_status of STATUSES)
    statuses.push((await api.updateOrder({ path, body: { workflow_status }, throwOnError })).data.workflow_status);
  const body = { grams: 12.5, order_id: id };
  const consumed = (await api.consumeFilament({ path: { id: filament }, body, throwOnError })).data;
  const finished = (
    await api.listOrders({
      query: { workflow_status: ['done', 'cancelled'], include_closed: true, page: 1, per_page: 1 },
      throwOnError,
    })
  ).data;
  const notLow = (await api.listFilaments({ query: { low_stock: false }, throwOnError })).data;
  const history = (await api.getOrderHistory({ path, query: { per_page: 2 }, throwOnError })).data;
  const subscription = (
    await api.createWebhookSubscription({ body: { url: receiver, events: ['order.created'] }, throwOnError })
  ).data;
  const of = { path: { id: subscription.id }, throwOnError } as const;
  const tests = [
    (await api.testWebhookSubscription(of)).data,
    (await api.testWebhookSubscription({ ...of, body: {} })).data,
  ];
  const missed = (await api.listWebhookSequence({ ...of, query: { after: 0, missed: true } })).data;
  await api.deleteWebhookSubscription(of);
  return toSeen({ label, statuses, consumed, finished, notLow, history, subscription, tests, missed });
}
