import { toIso, toIsoOrNull } from '../../../../common/src/clock.ts';
import type { SecretBox } from '../../../../common/src/crypto.ts';
import type { EventName } from '../../events/catalog.ts';
import type * as eventStore from '../../events/event-store.ts';
import { DomainError, notFound } from '../../shared/errors.ts';
import type { Listed, Page } from '../../shared/pagination.ts';
import type { Storage } from '../../storage/open.ts';
import { isSigned } from '../formats/formats.ts';
import type { Describe } from '../formats/message.ts';
import { MASKED_VALUE } from '../subscriptions/header.ts';
import { urlContext } from '../subscriptions/subscription.ts';
import * as store from './delivery-history-store.ts';
import { decryptSecrets, render } from './render.ts';

/** The headers that depend on the secret. */
const SIGNATURES = ['X-Svc-Signature', 'webhook-id', 'webhook-timestamp', 'webhook-signature'];

export type EventLogService = ReturnType<typeof createEventLog>;

/** The event log of the console: events with their deliveries, and the request of each attempt. */
export function createEventLog({
  storage,
  secretBox,
  describe,
  events,
}: {
  storage: Storage;
  secretBox: SecretBox;
  describe: Describe;
  events: Pick<typeof eventStore, 'listEvents'>;
}) {
  return {
    /** Lists the account's events, newest first, each with its stored body and its deliveries. */
    async list(accountId: string, event: EventName | undefined, page: Page) {
      const { items: found, total } = await events.listEvents(storage.read, accountId, {
        ...page,
        event,
        sort: '-occurred_at',
      });
      const deliveries = await store.listDeliveriesOf(
        storage.read,
        found.map(({ seq }) => seq),
      );
      const items = found.map(({ seq, id, event: name, subject, body, occurred_at }) => ({
        id,
        event: name,
        subject,
        body,
        occurred_at: toIso(occurred_at),
        deliveries: deliveries
          .filter(({ event_seq }) => event_seq === seq)
          .map(({ event_seq: _, state, attempted_at, ...delivery }) => ({
            ...delivery,
            status: state,
            attempted_at: toIsoOrNull(attempted_at),
          })),
      }));
      return { items, total } satisfies Listed<unknown>;
    },

    /**
     * Renders an attempt's headers and body again. The signature is computed with the subscription's secrets, so
     * it is returned only if the subscription has not changed since the attempt. So is the extra header, masked.
     * @throws DomainError not_found
     */
    async request(accountId: string, id: string) {
      const sent = await store.findSent(storage.read, accountId, id);
      if (!sent) throw notFound();
      const url = secretBox.tryDecrypt(sent.url_encrypted, urlContext(sent.subscription_id));
      if (url === undefined) {
        const detail =
          'The subscription is encrypted with a secret key that the service does not have. Enter its URL again.';
        throw new DomainError('not_found', detail);
      }
      const secrets = withMaskedHeader(decryptSecrets(secretBox, sent));
      const { format } = sent;
      const context = isSigned(format) ? {} : await describe(accountId, sent.event, sent.body);
      const { headers, body } = render({ format, url, ...secrets }, sent, context);
      const isSecretUnchanged = sent.attempted_at > sent.subscription_updated_at;
      const signature = isSigned(format) ? (isSecretUnchanged ? 'shown' : 'unknown') : 'none';
      return { headers: isSecretUnchanged ? headers : withoutSecrets(headers, secrets), body, signature } as const;
    },
  };
}

type Secrets = ReturnType<typeof decryptSecrets>;

const withMaskedHeader = ({ header, ...secrets }: Secrets): Secrets => ({
  ...secrets,
  header: header && { name: header.name, value: MASKED_VALUE },
});

const withoutSecrets = (headers: Record<string, string>, { header }: Secrets): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => !SIGNATURES.includes(name) && name !== header?.name));
