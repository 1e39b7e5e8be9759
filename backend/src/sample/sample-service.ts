import type { Clock } from '../../../common/src/clock.ts';
import type * as accountStore from '../accounts/account-store.ts';
import type { Actor } from '../accounts/token.ts';
import type * as eventStore from '../events/event-store.ts';
import { invalid } from '../shared/errors.ts';
import type { Language } from '../shared/language.ts';
import type { Storage } from '../storage/open.ts';
import { fillAccount, type TransactionalServices } from './fill-account.ts';
import { ACTOR } from './sample-data.ts';
import * as store from './sample-store.ts';

interface SampleDeps {
  storage: Storage;
  clock: Clock;
  accounts: Pick<typeof accountStore, 'findCurrency' | 'lockAccount'>;
  events: Pick<typeof eventStore, 'deleteEvents'>;
  transactionalServices: TransactionalServices;
}

const LONG = { isLong: true };

export type SampleService = ReturnType<typeof createSampleService>;

export function createSampleService({ storage, clock, accounts, events, transactionalServices }: SampleDeps) {
  return {
    /** Whether the account has sample data, and whether it is empty enough for some to be added. */
    async state(accountId: string): Promise<{ has_sample: boolean; is_empty: boolean }> {
      return {
        has_sample: await store.hasSample(storage.read, accountId),
        is_empty: await store.isEmpty(storage.read, accountId),
      };
    },

    /**
     * Adds a plausible farm to an account: over 60 orders in every status with their history, 8 printers in 2 groups,
     * 12 filaments in 20 batches, requests, invoices and print reports. Its events have no deliveries. Texts are in the
     * given language, prices in the account's currency.
     * @param onlyEmpty refuse an account that has any data; otherwise another farm is added
     * @throws DomainError validation_error
     */
    fill: (accountId: string, { onlyEmpty, language }: { onlyEmpty: boolean; language: Language }) =>
      storage.inTransaction(async (tx) => {
        await accounts.lockAccount(tx.db, accountId);
        if (onlyEmpty && !(await store.isEmpty(tx.db, accountId))) {
          throw invalid('', 'Sample data can only be added to an account without orders, filaments or printers.');
        }
        const currency = await accounts.findCurrency(tx.db, accountId);
        const actor = asSample(accountId, language);
        return fillAccount(transactionalServices, { tx, actor, language, currency, now: clock() });
      }, LONG),

    /** Removes what `fill` added, with all later changes to it. What the owner added stays. */
    clear: (accountId: string): Promise<void> =>
      storage.inTransaction(async (tx) => {
        await accounts.lockAccount(tx.db, accountId);
        const actor = asSample(accountId, 'en');
        const { orders, filaments, printers, leads, invoices } = transactionalServices(tx, clock);
        const removeAll = async (kind: store.SampleKind, remove: (id: string) => Promise<unknown>) => {
          for (const id of await store.listSampleRecords(tx.db, accountId, kind)) await remove(id);
        };
        await removeAll('invoice', (id) => invoices.removeSample(tx, actor, id));
        await removeAll('lead', (id) => leads.remove(actor, id));
        await removeAll('order', (id) => orders.remove(actor, id, undefined));
        await removeAll('filament', (id) => filaments.remove(actor, id));
        await removeAll('printer', (id) => printers.remove(actor, id));
        await removeAll('printer_group', (id) => printers.removeGroup(actor, id));
        await events.deleteEvents(tx.db, accountId, await store.listSampleEvents(tx.db, accountId));
        await store.deleteSampleRecords(tx.db, accountId);
      }, LONG),
  };
}

const asSample = (accountId: string, language: Language): Actor => ({
  accountId,
  accountName: '',
  email: '',
  tokenId: '',
  tokenName: ACTOR[language],
  tokenExpiresAt: null,
  passwordCheckedAt: null,
});
