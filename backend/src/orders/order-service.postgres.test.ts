import { waitForLock } from '../../../test/kit/open-transaction.ts';
import { forSuite } from '../../../test/kit/opened.ts';
import { insertTestAccount, openTestStorage } from '../../../test/kit/storage.ts';
import { createPrinter } from '../printers/printer-service.ts';
import { holdPrinter, updatePrinter } from '../printers/printer-store.ts';
import { createWithIdempotency } from '../storage/idempotency/with-idempotency.ts';
import { createOrderService } from './order-service.ts';

const storage = forSuite(openTestStorage);

test('an empty update that waited for a printer to be renamed returns the name that belongs to its version', async () => {
  const clock = () => Date.UTC(2026, 10, 22);
  const accountId = await insertTestAccount(storage);
  const actor = { accountId, tokenName: 'tests' };
  const withIdempotency = createWithIdempotency({ storage, clock });
  const outbox = { append: async () => undefined };
  const orders = createOrderService({ storage, clock, withIdempotency, outbox, printers: { holdPrinter } });
  const printer = await storage.inTransaction((tx) =>
    createPrinter(tx, accountId, { name: 'old name', model: 'MK4', at: clock() }),
  );
  const input = { model_name: 'Bracket', printer_id: printer.id, quantity_pieces: 1 };
  const { order } = (await orders.create(actor, input, undefined)).result;

  const waiting = await storage.inTransaction(async (tx) => {
    await updatePrinter(tx.db, printer.id, { name: 'new name' }, clock());
    await orders.printerChanged(tx, accountId, printer.id, 'renamed');
    const change = orders.update(actor, order.id, { quantity_pieces: 1 }, { strict: false, ifMatch: undefined });
    await waitForLock(storage);
    return { change };
  });
  const { order: answered, version } = await waiting.change;
  const read = await orders.get(accountId, order.id);
  expect({ name: answered.printer_name, version }).toEqual({ name: 'new name', version: read.version });
});
