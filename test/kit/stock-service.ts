import { holdCurrency } from '../../backend/src/accounts/account-store.ts';
import { createFilamentService, type FilamentService } from '../../backend/src/filaments/filament-service.ts';
import type { Storage } from '../../backend/src/storage/open.ts';
import { createOrders } from './order-service.ts';

/** When the clock of a stock stands still at first. */
export const START = Date.UTC(2026, 10, 21, 12);

type NewFilament = Parameters<FilamentService['create']>[1];

export type Stock = Awaited<ReturnType<typeof createStock>>;

/** The filaments and orders of a new account, composed as in the service, and the usual fields of a new filament. */
export async function createStock(storage: Storage, usual: NewFilament) {
  const { actor, time, events, shared, orders } = await createOrders(storage);
  const filaments = createFilamentService({ ...shared, orders, accounts: { holdCurrency } });
  return {
    actor,
    time,
    events,
    orders,
    filaments,
    create: async (input: Partial<NewFilament> = {}) =>
      (await filaments.create(actor, { ...usual, ...input }, undefined)).result,
    receive: async (id: string, input: Parameters<FilamentService['addBatch']>[2]) =>
      (await filaments.addBatch(actor, id, input, undefined)).result,
    take: async (id: string, grams: number, more: object = {}) =>
      (await filaments.consume(actor, id, { grams, ...more }, undefined)).result,
    /** Used grams by batch, in the order in which they were entered. */
    usedByBatch: async (id: string) =>
      (await filaments.batches(actor.accountId, id, { page: 1, per_page: 50 })).items
        .map((batch) => batch.used_grams)
        .reverse(),
  };
}
