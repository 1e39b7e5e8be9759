import createClient from 'openapi-fetch';
import type { paths } from './automation/openapi-fetch';
import { type Farm, type Seen, STATUSES, toSeen } from './flow';

function must<T>({ data, error }: { data?: T; error?: unknown }): T {
  if (data === undefined) throw new Error(JSON.stringify(error));
  return data;
}

export async function drive({ baseUrl, token, filament, receiver }: Farm): Promise<Seen> {
  const api = createClient<paths>({ baseUrl, headers: { Authorization: `Bearer ${token}` } });
  const { id } = must(await api.POST('/print-jobs', { body: { model_name: 'Bracket' } }));
  const byLabel = { params: { path: { id: `ORDER-${id}` } } };
  const label = must(await api.GET('/print-jobs/{id}', byLabel)).model_name;
  const statuses: string[] = [];
  for (const workflow_status of STATUSES)
    statuses.push(must(await api.PUT('/print-jobs/{id}', { ...byLabel, body: { workflow_status } })).workflow_status);
  const path = { id: filament };
  const consumed = must(
    await api.POST('/filaments/{id}/consume', { params: { path }, body: { grams: 12.5, order_id: id } }),
  );
  const finished = must(
    await api.GET('/print-jobs', {
      params: { query: { workflow_status: ['done', 'cancelled'], include_closed: true, page: 1, per_page: 1 } },
    }),
  );
  const notLow = must(await api.GET('/filaments', { params: { query: { low_stock: false } } }));
  const history = must(await api.GET('/print-jobs/{id}/history', { params: { path: { id }, query: { per_page: 2 } } }));
  const subscription = must(
    await api.POST('/webhook-subscriptions', { body: { url: receiver, events: ['order.created'] } }),
  );
  const of = { path: { id: subscription.id } };
  const tests = [
    must(await api.POST('/webhook-subscriptions/{id}/test', { params: of })),
    must(await api.POST('/webhook-subscriptions/{id}/test', { params: of, body: {} })),
  ];
  const query = { after: 0, missed: true };
  const missed = must(await api.GET('/webhook-subscriptions/{id}/events', { params: { ...of, query } }));
  await api.DELETE('/webhook-subscriptions/{id}', { params: of });
  return toSeen({ label, statuses, consumed, finished, notLow, history, subscription, tests, missed });
}
