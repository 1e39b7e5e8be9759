import * as api from './automation/orval';
import { type Farm, type Seen, STATUSES, toSeen } from './flow';

/** The data of a response with this status. */
function must<A extends { data: unknown; status: number }, S extends A['status']>(
  answer: A,
  status: S,
): Extract<A, { status: S }>['data'] {
  if (answer.status !== status) throw new Error(JSON.stringify(answer));
  return answer.data;
}

export async function drive({ token, filament, receiver }: Farm): Promise<Seen> {
  const options = { headers: { Authorization: `Bearer ${token}` } };
  const { id } = must(await api.createOrder({ model_name: 'Bracket' }, undefined, options), 201);
  const label = must(await api.getOrder(`ORDER-${id}`, options), 200).model_name;
  const statuses: string[] = [];
  for (const workflow_status of STATUSES)
    statuses.push(
      must(await api.updateOrder(`ORDER-${id}`, { workflow_status }, undefined, options), 200).workflow_status,
    );
  const consumed = must(await api.consumeFilament(filament, { grams: 12.5, order_id: id }, undefined, options), 200);
  const query = { include_closed: true, page: 1, per_page: 1 };
  const finished = must(await api.listOrders({ ...query, workflow_status: ['done', 'cancelled'] }, options), 200);
  const notLow = must(await api.listFilaments({ low_stock: false }, options), 200);
  const history = must(await api.getOrderHistory(id, { per_page: 2 }, options), 200);
  const subscription = must(
    await api.createWebhookSubscription({ url: receiver, events: ['order.created'] }, options),
    201,
  );
  const tests = [
    must(await api.testWebhookSubscription(subscription.id, undefined, options), 200),
    must(await api.testWebhookSubscription(subscription.id, {}, options), 200),
  ];
  const missed = must(await api.listWebhookSequence(subscription.id, { after: 0, missed: true }, options), 200);
  await api.deleteWebhookSubscription(subscription.id, options);
  return toSeen({ label, statuses, consumed, finished, notLow, history, subscription, tests, missed });
}
