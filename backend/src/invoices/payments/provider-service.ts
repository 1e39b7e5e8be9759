import type { IncomingHttpHeaders } from 'node:http';
import type { Actor } from '../../accounts/token.ts';
import type { IdempotencyRequest, IdempotentResult, WithIdempotency } from '../../idempotency/with-idempotency.ts';
import { type Clock, toIso } from '../../shared/clock.ts';
import { randomBase62, type SecretBox } from '../../shared/crypto.ts';
import { invalid, notFound } from '../../shared/errors.ts';
import { newId } from '../../shared/ids.ts';
import { checkNames } from '../../shared/names.ts';
import type { Storage, Tx } from '../../storage/open.ts';
import type { Effect, Payments } from './payment.ts';
import * as payments from './payment-store.ts';
import { Forged, type PaymentProvider, type ProviderKind, type Secrets } from './providers/provider.ts';

/** A provider as its owner sees it, without secrets except for one that is shown once. */
export interface ProviderRecord {
  id: string;
  kind: ProviderKind;
  name: string;
  enabled: boolean;
  /** Stripe's test mode, in which no money moves */
  is_test: boolean;
  /** its notifications can be verified; before that it isn't offered to customers */
  is_ready: boolean;
  /** the URL that it sends notifications to */
  notice_url: string;
  created_at: string;
  updated_at: string;
  secret?: string;
}

export interface ProviderInput {
  name?: string | undefined;
  enabled?: boolean | undefined;
  /** Stripe's `sk_…` or `rk_…` */
  secret_key?: string | undefined;
  /** Stripe's `whsec_…` */
  webhook_secret?: string | undefined;
}

const MAX_PROVIDERS = 10;

const keyContext = (id: string) => `payment-provider:${id}:key`;
const secretContext = (id: string) => `payment-provider:${id}:secret`;

const isTestKey = (key: string): boolean => /^[sr]k_test_/.test(key);

/** Without the prefix `whsec_`, because it is neither a Stripe secret nor one of a webhook channel. */
const newNoticeSecret = () => `pnsec_${randomBase62(40)}`;

export type ProviderService = ReturnType<typeof createProviderService>;

/** The payment providers of an account, and their notifications. */
export function createProviderService(deps: {
  storage: Storage;
  clock: Clock;
  withIdempotency: WithIdempotency;
  secretBox: SecretBox;
  bodies: Record<ProviderKind, PaymentProvider>;
  payments: Payments;
  publicUrl(): string;
}) {
  const { storage, clock, withIdempotency, secretBox, bodies, publicUrl } = deps;

  const toRecord = (provider: payments.StoredProvider): ProviderRecord => ({
    id: provider.id,
    kind: provider.kind,
    name: provider.name,
    enabled: provider.enabled,
    is_test: provider.isTest,
    is_ready: provider.secretSealed !== null,
    notice_url: `${publicUrl()}/payments/${provider.kind}/${provider.id}`,
    created_at: toIso(provider.createdAt),
    updated_at: toIso(provider.updatedAt),
  });

  /** undefined: its notifications can't be verified yet */
  const secretsOf = ({ id, keySealed, secretSealed }: payments.StoredProvider): Secrets | undefined =>
    secretSealed === null
      ? undefined
      : {
          key: keySealed === null ? undefined : secretBox.decrypt(keySealed, keyContext(id)),
          signing: secretBox.decrypt(secretSealed, secretContext(id)),
        };

  /** @throws DomainError not_found */
  async function find(tx: Tx, accountId: string, id: string): Promise<payments.StoredProvider> {
    const found = await payments.findProvider(tx.db, id);
    if (!found || found.accountId !== accountId) throw notFound();
    return found;
  }

  return {
    async list(accountId: string): Promise<ProviderRecord[]> {
      return (await payments.listProviders(storage.read, accountId)).map(toRecord);
    },

    /** @throws DomainError validation_error, idempotency_conflict */
    create: (
      { accountId }: Actor,
      { kind, name, enabled = true, secret_key, webhook_secret }: ProviderInput & { kind: ProviderKind },
      idempotency: IdempotencyRequest | undefined,
    ): Promise<IdempotentResult<ProviderRecord>> =>
      withIdempotency(
        accountId,
        idempotency,
        async (tx) => {
          if (kind === 'stripe' && !secret_key) throw invalid('/secret_key', "Enter Stripe's secret key (sk_…).");
          if ((await payments.listProviders(tx.db, accountId)).length >= MAX_PROVIDERS) {
            throw invalid('/kind', `There can be ${MAX_PROVIDERS} at most. Delete one that is not used.`);
          }
          checkNames(['name'], { name });
          const id = newId();
          const at = clock();
          // Stripe creates its secret after it was given the URL for notifications, which contains the id created here
          const secret = kind === 'notice' ? newNoticeSecret() : webhook_secret;
          const created: payments.StoredProvider = {
            id,
            accountId,
            kind,
            name: name ?? (kind === 'stripe' ? 'Stripe' : 'Bank'),
            enabled,
            isTest: kind === 'stripe' && isTestKey(secret_key as string),
            keySealed: kind === 'stripe' ? secretBox.encrypt(secret_key as string, keyContext(id)) : null,
            secretSealed: secret === undefined ? null : secretBox.encrypt(secret, secretContext(id)),
            createdAt: at,
            updatedAt: at,
          };
          await payments.insertProvider(tx.db, created);
          return { ...toRecord(created), ...(kind === 'notice' && secret !== undefined ? { secret } : {}) };
        },
        ({ secret: _, ...kept }) => kept,
      ),

    /** @throws DomainError not_found, validation_error */
    update: (
      { accountId }: Actor,
      id: string,
      { name, enabled, secret_key, webhook_secret }: ProviderInput,
    ): Promise<ProviderRecord> =>
      storage.inTransaction(async (tx) => {
        const before = await find(tx, accountId, id);
        checkNames(['name'], { name }, before);
        const isStripe = before.kind === 'stripe';
        if (!isStripe && (secret_key !== undefined || webhook_secret !== undefined)) {
          throw invalid('/webhook_secret', "Farmboard creates this provider's secret. Replace it with a new one.");
        }
        const changed: payments.StoredProvider = {
          ...before,
          name: name ?? before.name,
          enabled: enabled ?? before.enabled,
          isTest: secret_key === undefined ? before.isTest : isTestKey(secret_key),
          keySealed: secret_key === undefined ? before.keySealed : secretBox.encrypt(secret_key, keyContext(id)),
          secretSealed:
            webhook_secret === undefined ? before.secretSealed : secretBox.encrypt(webhook_secret, secretContext(id)),
          updatedAt: clock(),
        };
        await payments.updateProvider(tx.db, changed);
        return toRecord(changed);
      }),

    /**
     * Creates a new secret for signed notifications; the old one becomes invalid. @throws DomainError not_found,
     * validation_error
     */
    renewSecret: (
      { accountId }: Actor,
      id: string,
      idempotency: IdempotencyRequest | undefined,
    ): Promise<IdempotentResult<ProviderRecord>> =>
      withIdempotency<ProviderRecord>(
        accountId,
        idempotency,
        async (tx) => {
          const before = await find(tx, accountId, id);
          if (before.kind !== 'notice') {
            throw invalid('/kind', 'Stripe creates the secret of its webhook. Enter it here when it changes.');
          }
          const secret = newNoticeSecret();
          const changed = { ...before, secretSealed: secretBox.encrypt(secret, secretContext(id)), updatedAt: clock() };
          await payments.updateProvider(tx.db, changed);
          return { ...toRecord(changed), secret };
        },
        ({ secret: _, ...kept }) => kept,
      ),

    /** Deletes a provider. The payments it reported stay. @throws DomainError not_found */
    remove: ({ accountId }: Actor, id: string): Promise<void> =>
      storage.inTransaction(async (tx) => {
        await find(tx, accountId, id);
        await payments.deleteProvider(tx.db, id);
      }),

    /**
     * Processes a notification. Those of a disabled provider are processed too, because they report money that was
     * paid.
     * @returns `ignored`: authentic, but not about an invoice
     * @throws Forged, DomainError
     */
    async receiveNotification(
      kind: ProviderKind,
      id: string,
      raw: Buffer,
      headers: IncomingHttpHeaders,
    ): Promise<Effect | 'ignored'> {
      const provider = await payments.findProvider(storage.read, id);
      const secrets = provider && secretsOf(provider);
      if (!secrets || provider.kind !== kind) throw new Forged();
      const notification = await bodies[kind].parseNotification(raw, headers, secrets, clock());
      if (!notification) return 'ignored';
      const effect = await deps.payments.take(provider, notification);
      if (!effect) throw new Forged();
      return effect;
    },

    /** The enabled provider that has a payment page, with its API key. */
    async findCheckout(accountId: string) {
      const all = await payments.listProviders(storage.read, accountId);
      // a payment is only offered if its notification can be verified
      const chosen = all.find((one) => one.enabled && one.secretSealed !== null && bodies[one.kind].startCheckout);
      const startCheckout = chosen && bodies[chosen.kind].startCheckout;
      const secrets = chosen && secretsOf(chosen);
      if (!secrets || !startCheckout) return undefined;
      return {
        isTest: chosen.isTest,
        start: (checkout: Parameters<typeof startCheckout>[1]) => startCheckout(secrets, checkout),
      };
    },
  };
}
