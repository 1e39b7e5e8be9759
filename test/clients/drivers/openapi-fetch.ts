import { createFarmboard, dataOf } from './farmboard';
import { type Farm, type Seen, STATUSES, toSeen } from './flow';

export async function drive({ baseUrl, token, filament, receiver }: Farm): Promise<Seen> {
  const api = createFarmboard({ url: baseUrl.replace('/api/v1', ''), token });
  const { id } = await dataOf(api.POST('/print-jobs', { body: { model_name: 'Bracket' } }));
  const byLabel = { params: { path: { id: `ORDER-${id}` } } };
  const label = (await dataOf(api.GET('/print-jobs/{id}', byLabel))).model_name;
  const statuses: string[] = [];
  for (const workflow_status of STATUSES)
    statuses.push(
      (await dataOf(api.PUT('/print-jobs/{id}', { ...byLabel, body: { workflow_status } }))).workflow_status,
    );
  const path = { id: filament };
  const consumed = await dataOf(
    api.POST('/filaments/{id}/consume', { params: { path }, body: { grams: 12.5, order_id: id } }),
  );
  const finished = await dataOf(
    api.GET('/print-jobs', {
      params: { query: { workflow_status: ['done', 'cancelled'], include_closed: true, page: 1, per_page: 1 } },
    }),
  );
  const notLow = await dataOf(api.GET('/filaments', { params: { query: { low_stock: false } } }));
  const history = await dataOf(
    api.GET('/print-jobs/{id}/history', { params: { path: { id }, query: { per_page: 2 } } }),
  );
  const subscription = await dataOf(
    api.POST('/webhook-subscriptions', { body: { url: receiver, events: ['order.created'] } }),
  );
  const of = { path: { id: subscription.id } };
  const tests = [
    await dataOf(api.POST('/webhook-subscriptions/{id}/test', { params: of })),
    await dataOf(api.POST('/webhook-subscriptions/{id}/test', { params: of, body: {} })),
  ];
  const query = { after: 0, missed: true };
  const missed = await dataOf(api.GET('/webhook-subscriptions/{id}/events', { params: { ...of, query } }));
  await api.DELETE('/webhook-subscriptions/{id}', { params: of });
  return toSeen({ label, statuses, consumed, finished, notLow, history, subscription, tests, missed });
}
