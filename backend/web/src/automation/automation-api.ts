import { queryOptions } from '@tanstack/react-query';
import { get, getAll, idempotencyHeader, type List, request, type Schemas } from '../api/client';
import { ifUnchanged } from '../api/if-unchanged';

export type Channel = Schemas['WebhookSubscription'];
export type UpdatedChannel = Schemas['UpdatedWebhookSubscription'];
export type CreatedChannel = Schemas['CreatedWebhookSubscription'];
export type Attempt = Schemas['DeliveryAttempt'];
export type AttemptError = NonNullable<Attempt['error']>;
export type EventEntry = Schemas['EventLogEntry'];
export type EventName = EventEntry['event'];
export type ChoosableEvent = Channel['events'][number];
export type Delivery = Schemas['LoggedDelivery'];
export type Token = Schemas['AccessToken'];

export const MAX_CHANNELS = 10;
export const EVENTS_PER_PAGE = 25;

export const channelsQuery = queryOptions({
  queryKey: ['channels'],
  queryFn: ({ signal }) => get<List<Channel>>('/webhook-subscriptions?per_page=200', signal),
});

export const printerNamesQuery = queryOptions({
  queryKey: ['printers', 'names'],
  queryFn: async ({ signal }) => (await getAll<Schemas['Printer']>('/printers', signal)).items,
});

/** What the account has in stock. */
export const materialsQuery = queryOptions({
  queryKey: ['filaments', 'materials'],
  queryFn: async ({ signal }) => {
    const { items } = await getAll<Schemas['Filament']>('/filaments', signal);
    return [...new Set(items.map(({ type_name, name }) => type_name || name))].sort();
  },
});

export const attemptsQuery = (id: string) =>
  queryOptions({
    queryKey: ['deliveries', id],
    queryFn: ({ signal }) => get<List<Attempt>>(`/webhook-subscriptions/${id}/deliveries`, signal),
    // refetch attempts made while no page was open
    staleTime: 0,
  });

export const tokensQuery = queryOptions({
  queryKey: ['tokens'],
  queryFn: ({ signal }) => get<{ items: Token[] }>('/tokens', signal),
  // the server sends no live update when tokens are used or revoked
  staleTime: 0,
});

export const eventsQuery = (event: EventName | null, page: number) =>
  queryOptions({
    queryKey: ['events', event, page],
    queryFn: ({ signal }) =>
      get<List<EventEntry>>(
        `/event-log?per_page=${EVENTS_PER_PAGE}&page=${page}${event === null ? '' : `&event=${event}`}`,
        signal,
      ),
    staleTime: 0,
  });

/** A sent request never changes, except that its signature can become unknown. */
export const sentQuery = (deliveryId: string) =>
  queryOptions({
    queryKey: ['sent', deliveryId],
    queryFn: ({ signal }) => get<Schemas['SentRequest']>(`/deliveries/${deliveryId}`, signal),
    staleTime: 0,
  });

export const automation = {
  createToken: async (body: Schemas['NewAccessTokenInput']) =>
    (await request<{ token: string }>('POST', '/tokens', { body })).answer.token,
  revokeToken: (id: string) => request('DELETE', `/tokens/${id}`),

  createChannel: async (body: Schemas['NewWebhookSubscriptionInput'], key: string) =>
    (await request<CreatedChannel>('POST', '/webhook-subscriptions', { body, headers: idempotencyHeader(key) })).answer,
  /** @param expected the version the change is based on; the server answers 412 if the channel has changed since */
  updateChannel: async (id: string, body: Schemas['WebhookSubscriptionPatchInput'], expected?: Channel) =>
    (
      await request<UpdatedChannel>('PUT', `/webhook-subscriptions/${id}`, {
        body,
        headers: expected ? ifUnchanged(expected) : {},
      })
    ).answer,
  deleteChannel: (id: string) => request('DELETE', `/webhook-subscriptions/${id}`),
  recreateSecret: async (id: string, overlapHours: number, key: string) =>
    (
      await request<Schemas['RecreatedWebhookSubscription']>('POST', `/webhook-subscriptions/${id}/secret`, {
        body: { overlap_hours: overlapHours },
        headers: idempotencyHeader(key),
      })
    ).answer,
  sendTest: async (id: string, key: string) =>
    (await request<Attempt>('POST', `/webhook-subscriptions/${id}/test`, { headers: idempotencyHeader(key) })).answer,
  resend: async (id: string, deliveryId: string, key: string) =>
    (
      await request<Attempt>('POST', `/webhook-subscriptions/${id}/deliveries/${deliveryId}/resend`, {
        headers: idempotencyHeader(key),
      })
    ).answer,
};
