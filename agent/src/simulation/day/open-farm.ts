import type { FarmClient } from './farm-client.ts';
import { BANK, GROUP, type Language, PRINTERS, SELLER, spoolPrice } from './farm-data.ts';

export interface OpenedFarm {
  currency: string;
  printers: { id: string; name: string; filamentId: string }[];
  /** of the agent beside the printers */
  agentToken: string;
  /** of the shop that orders come from */
  shopToken: string;
  bank: { path: string; secret: string };
}

interface Created {
  id: string;
}

interface Given {
  client: FarmClient;
  language: Language;
  currency: string;
}

async function openPrinter(
  { client, language, currency }: Given,
  groupId: string,
  { name, model, filament }: (typeof PRINTERS)[number],
) {
  const { id: filamentId } = await client.call<Created>('POST', '/filaments', {
    name: filament.name[language],
    brand: filament.brand,
    type_name: filament.type,
    colors: [filament.color],
    spool_count: 1,
    spool_price: spoolPrice(currency),
    low_stock_threshold_grams: filament.threshold,
  });
  const { id } = await client.call<Created>('POST', '/printers', { name, model, group_id: groupId });
  await client.call('PUT', `/printers/${id}/rules`, {
    deduct_grams: true,
    loaded_filament_id: filamentId,
    on_finished: 'packing',
    on_failed: 'print_error',
    on_cancelled: 'confirmed',
  });
  return { id, name, filamentId };
}

/** Sets up the farm of a new account as its owner would: printers, stock, rules, the agent, the shop and the bank. */
export async function openFarm(client: FarmClient, language: Language): Promise<OpenedFarm> {
  const { person } = await client.call<{ person: { currency: string } }>('GET', '/session');
  const { currency } = person;
  const group = await client.call<Created>('POST', '/printer-groups', { name: GROUP[language] });
  const printers: OpenedFarm['printers'] = [];
  for (const data of PRINTERS) printers.push(await openPrinter({ client, language, currency }, group.id, data));
  const agent = await client.call<{ token: string }>('POST', '/agents', {
    name: 'farmboard agent',
    printer_group_id: group.id,
    signed_only: true,
  });
  const shop = await client.call<{ token: string }>('POST', '/tokens', { name: 'shop', days: 1 });
  await client.call('PUT', '/invoice-seller', { name: SELLER.name[language], address: SELLER.address[language] });
  const bank = await client.call<{ id: string; secret: string }>('POST', '/payment-providers', {
    kind: 'notification',
    name: BANK[language],
  });
  return {
    currency,
    printers,
    agentToken: agent.token,
    shopToken: shop.token,
    bank: { path: `/payments/notification/${bank.id}`, secret: bank.secret },
  };
}
