import { createLogger } from '../../common/src/logger.ts';
import type { Actor } from '../src/accounts/token.ts';
import { readConfig } from '../src/config/config.ts';
import { createFarmboard, type Farmboard } from '../src/main.ts';

export const OWNER = { email: 'bench@bench.example', password: 'a bench needs no secret' };

export interface Farm {
  actor: Actor;
  token: string;
  orderIds: string[];
  filamentId: string;
}

export const ORDERS = 10_000;

export const openFarmboard = (): Promise<Farmboard> => createFarmboard(readConfig(), createLogger('silent'));

/** Creates an account with many orders and an inexhaustible spool, and a signed subscription for each receiver. */
export async function createFarm(
  farmboard: Farmboard,
  receiverUrls: readonly string[],
  { email, orders }: { email: string; orders: number } = { email: OWNER.email, orders: ORDERS },
): Promise<Farm> {
  const { id: accountId } = await farmboard.accounts.createAccount({ ...OWNER, email, name: 'Bench' });
  const token = await farmboard.accounts.createToken({ email, passwordCheckedAt: null }, { name: 'bench' });
  const actor: Actor = {
    accountId,
    accountName: '',
    email,
    tokenId: '',
    tokenName: 'bench',
    tokenExpiresAt: null,
    passwordCheckedAt: null,
  };
  const orderIds: string[] = [];
  await farmboard.storage.inTransaction(async (tx) => {
    for (let i = 0; i < orders; i++) {
      const { id } = await farmboard.orders.backfill(tx, actor, {
        model_name: `Part ${i}`,
        quantity_pieces: 3,
        material_name: 'PETG',
        color_hex: '#1E90FF',
        material_grams: 123.456,
        print_hours: 4.5,
        due_date: '2027-01-31',
        order_notes: 'a note of usual length about this order',
        printer_id: null,
        customer_name: 'A customer',
        customer_contact: null,
        price: 250_000,
        currency: 'RUB',
        workflow_status: 'assigned',
        at: Date.now() - (orders - i) * 1000,
      });
      orderIds.push(id);
    }
  });
  const { result: filament } = await farmboard.filaments.create(
    actor,
    { name: 'Spool', spool_count: 900_000, spool_price_rub: 1500 },
    undefined,
  );
  for (const url of receiverUrls) {
    const subscription = { url, events: ['order.status_changed'], format: 'signed' as const, enabled: true };
    await farmboard.webhooks.create(actor, subscription, undefined);
  }
  return { actor, token, orderIds: orderIds.slice(-200), filamentId: filament.id };
}
