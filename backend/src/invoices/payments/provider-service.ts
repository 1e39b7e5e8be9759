import type { IncomingHttpHeaders } from 'node:http';
import { type Clock, toIso } from '../../../../common/src/clock.ts';
import { randomBase62, type SecretBox } from '../../../../common/src/crypto.ts';
import type * as accountStore from '../../accounts/account-store.ts';
import type { Actor } from '../../accounts/token.ts';
import { invalid, notFound } from '../../shared/errors.ts';
import { newId } from '../../shared/ids.ts';
import { checkNames } from '../../shared/names.ts';
import { requireRecentPassword } from '../../shared/recent-password.ts';
import type { IdempotencyRequest, WithIdempotency } from '../../storage/idempotency/with-idempotency.ts';
import type { Storage } from '../../storage/open.ts';
import type { Tx } from '../../storage/transaction.ts';
import type { NewProviderInput, ProviderInput, ProviderRecord } from '../invoice-schema.ts';
import type { Effect, Payments } from './payment.ts';
import * as payments from './payment-store.ts';
import { Forged, type PaymentProvider, type ProviderKind, type Secrets } from './providers/provider.ts';

const MAX_PROVIDERS = 10;

const DEFAULT_NAMES: Record<ProviderKind, string> = { stripe: 'Stripe', notification: 'Bank' };

const isTestKey = (key: string): boolean => /^[sr]k_test_/.test(key);

/** Without the prefix `whsec_`, because it is neither a Stripe secret nor one of a webhook subscription. */
const newNotificationSecret = () => `pnsec_${randomBase62(40)}`;

interface ProviderDeps {
  storage: Storage;
  clock: Clock;
  withIdempotency: WithIdempotency;
  secretBox: SecretBox;
  providers: Record<ProviderKind, PaymentProvider>;
  payments: Payments;
  accounts: Pick<typeof accountStore, 'lockAccount'>;
  publicUrl(): string;
}

export type ProviderService = ReturnType<typeof createProviderService>;

/** The payment providers of an account, and their notifications. */
// biome-ignore lint/complexity/noExcessiveLinesPerFunction: each method is counted by itself
export function createProviderService(deps: ProviderDeps) {
  const { storage, clock, accounts, withIdempotency } = deps;

  /** Finds a provider that nobody else changes until the transaction ends. @throws DomainError not_found */
  async function lock(tx: Tx, accountId: string, id: string): Promise<payments.StoredProvider> {
    await accounts.lockAccount(tx.db, accountId);
    const found = await payments.findProvider(tx.db, id);
    if (!found || found.accountId !== accountId) throw notFound();
    return found;
  }

  return {
    list: async (accountId: string): Promise<ProviderRecord[]> =>
      (await payments.listProviders(storage.read, accountId)).map((provider) => toRecord(deps, provider)),

    /** @throws DomainError validation_error, idempotency_conflict, password_required */
    async create(actor: Actor, input: NewProviderInput, idempotency: IdempotencyRequest | undefined) {
      requireRecentPassword(actor, clock());
      const { accountId } = actor;
      const { kind, name, enabled = true, secret_key, webhook_secret } = input;
      const work = async (tx: Tx): Promise<ProviderRecord> => {
        if (kind === 'stripe' && !secret_key) throw invalid('/secret_key', "Enter Stripe's secret key (sk_…).");
        await accounts.lockAccount(tx.db, accountId);
        if ((await payments.listProviders(tx.db, accountId)).length >= MAX_PROVIDERS) {
          throw invalid(
            '/kind',
            `An account can have at most ${MAX_PROVIDERS} payment providers. Delete one that isn't used.`,
          );
        }
        checkNames(['name'], { name });
        const id = newId();
        const at = clock();
        // Stripe creates its secret after it was given the URL for notifications, which contains the id created here
        const credentials =
          kind === 'notification' ? { secret: newNotificationSecret() } : { key: secret_key, secret: webhook_secret };
        const created: payments.StoredProvider = {
          id,
          accountId,
          kind,
          name: name ?? DEFAULT_NAMES[kind],
          enabled,
          isTest: false,
          encryptedKey: null,
          encryptedSecret: null,
          ...encryptCredentials(deps, id, credentials),
          createdAt: at,
          updatedAt: at,
        };
        await payments.insertProvider(tx.db, created);
        return { ...toRecord(deps, created), ...(kind === 'notification' && { secret: credentials.secret }) };
      };
      return withIdempotency(accountId, idempotency, work, { keep: withoutSecret });
    },

    /** @throws DomainError not_found, validation_error, password_required */
    update: (
      actor: Actor,
      id: string,
      { name, enabled, secret_key, webhook_secret }: ProviderInput,
    ): Promise<ProviderRecord> =>
      storage.inTransaction(async (tx) => {
        requireRecentPassword(actor, clock());
        const before = await lock(tx, actor.accountId, id);
        checkNames(['name'], { name }, before);
        const isStripe = before.kind === 'stripe';
        if (!isStripe && (secret_key !== undefined || webhook_secret !== undefined)) {
          throw invalid('/webhook_secret', "Farmboard creates this provider's secret. Replace it with a new one.");
        }
        const changed: payments.StoredProvider = {
          ...before,
          name: name ?? before.name,
          enabled: enabled ?? before.enabled,
          ...encryptCredentials(deps, id, { key: secret_key, secret: webhook_secret }),
          updatedAt: clock(),
        };
        await payments.updateProvider(tx.db, changed);
        return toRecord(deps, changed);
      }),

    /**
     * Creates a new secret for signed notifications; the old one becomes invalid.
     * @throws DomainError not_found, validation_error, password_required
     */
    async renewSecret(actor: Actor, id: string, idempotency: IdempotencyRequest | undefined) {
      requireRecentPassword(actor, clock());
      const work = async (tx: Tx): Promise<ProviderRecord> => {
        const before = await lock(tx, actor.accountId, id);
        if (before.kind !== 'notification') {
          throw invalid('/kind', 'Stripe creates the secret of its webhook. Enter it here when it changes.');
        }
        const secret = newNotificationSecret();
        const changed = { ...before, ...encryptCredentials(deps, id, { secret }), updatedAt: clock() };
        await payments.updateProvider(tx.db, changed);
        return { ...toRecord(deps, changed), secret };
      };
      return withIdempotency(actor.accountId, idempotency, work, { keep: withoutSecret });
    },

    /** Deletes a provider. The payments it reported stay. @throws DomainError not_found, password_required */
    remove: (actor: Actor, id: string): Promise<void> =>
      storage.inTransaction(async (tx) => {
        requireRecentPassword(actor, clock());
        await lock(tx, actor.accountId, id);
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
      const secrets = provider && secretsOf(deps, provider);
      if (!secrets || provider.kind !== kind) throw new Forged();
      const notification = await deps.providers[kind].parseNotification(raw, headers, secrets, clock());
      if (!notification) return 'ignored';
      const effect = await deps.payments.recordNotification(provider, notification);
      if (!effect) throw new Forged();
      return effect;
    },

    /** The enabled provider that has a payment page, with its API key. */
    async findCheckout(accountId: string) {
      const { providers } = deps;
      const all = await payments.listProviders(storage.read, accountId);
      // a payment is only offered if its notification can be verified
      const chosen = all.find(
        (one) => one.enabled && one.encryptedSecret !== null && providers[one.kind].startCheckout,
      );
      const startCheckout = chosen && providers[chosen.kind].startCheckout;
      const secrets = chosen && secretsOf(deps, chosen);
      if (!secrets || !startCheckout) return undefined;
      return {
        isTest: chosen.isTest,
        start: (checkout: Parameters<typeof startCheckout>[1]) => startCheckout(secrets, checkout),
      };
    },
  };
}

const toRecord = ({ publicUrl }: ProviderDeps, provider: payments.StoredProvider): ProviderRecord => ({
  id: provider.id,
  kind: provider.kind,
  name: provider.name,
  enabled: provider.enabled,
  is_test: provider.isTest,
  is_ready: provider.encryptedSecret !== null,
  notification_url: `${publicUrl()}/payments/${provider.kind}/${provider.id}`,
  created_at: toIso(provider.createdAt),
  updated_at: toIso(provider.updatedAt),
});

/** A repeated request gets the first response, but not its secret. */
const withoutSecret = ({ secret: _, ...kept }: ProviderRecord): ProviderRecord => kept;

/** The stored form of the given credentials; those that are not given stay as they are. */
const encryptCredentials = (
  { secretBox }: ProviderDeps,
  id: string,
  { key, secret }: { key?: string | undefined; secret?: string | undefined },
) => ({
  ...(key !== undefined && { isTest: isTestKey(key), encryptedKey: secretBox.encrypt(key, payments.keyContext(id)) }),
  ...(secret !== undefined && { encryptedSecret: secretBox.encrypt(secret, payments.secretContext(id)) }),
});

/** undefined: its notifications can't be verified, as its secret was not entered yet or its encryption key was lost */
function secretsOf(
  { secretBox }: ProviderDeps,
  { id, encryptedKey, encryptedSecret }: payments.StoredProvider,
): Secrets | undefined {
  const signing =
    encryptedSecret === null ? undefined : secretBox.tryDecrypt(encryptedSecret, payments.secretContext(id));
  if (signing === undefined) return undefined;
  return {
    key: encryptedKey === null ? undefined : secretBox.tryDecrypt(encryptedKey, payments.keyContext(id)),
    signing,
  };
}
