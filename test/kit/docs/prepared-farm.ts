import { dirname } from 'node:path';
import { write } from '../database.ts';
import { startFarm } from '../farm.ts';
import { addProviders, issueInvoice, openSeller } from '../payments.ts';

export type PreparedFarm = Awaited<ReturnType<typeof prepareFarm>>;

/**
 * What the reader of a page has that starts with a service: an account with records. Its service has stopped, so that
 * each session of blocks gets a copy.
 */
export async function prepareFarm() {
  const farm = await startFarm({ PUBLIC_URL: 'http://127.0.0.1:3000' });
  const printer = await farm.printer();
  const order = await farm.order();
  const filament = await farm.filament({ spool_count: 1 });
  const agent = await farm.agent({ printer_id: printer.id });
  const owner = await openSeller(farm.service, farm.email);
  const { bank } = await addProviders(owner);
  const invoice = await issueInvoice(owner);
  await farm.service.stop();
  await write(farm.file, `UPDATE accounts SET email = 'you@example.org' WHERE email = '${farm.email}'`);

  const variables: Record<string, string> = {
    TOKEN: farm.token,
    AGENT_TOKEN: agent.token,
    ORDER: order.id,
    FILAMENT: filament.id,
    PRINTER: printer.id,
    INVOICE: invoice.number as string,
    NOTIFICATION_URL: bank.notification_url,
    NOTIFICATION_SECRET: bank.secret,
    NEW_DATABASE_URL: 'sqlite:moved.sqlite3',
  };
  return { folder: dirname(farm.file), variables, remove: () => farm.remove() };
}
