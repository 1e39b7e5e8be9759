import { codeOf } from '../../../test/kit/failure.ts';
import { insertAccount } from '../accounts/account-store.ts';
import { newId } from '../shared/ids.ts';
import { createWithIdempotency } from '../storage/idempotency/with-idempotency.ts';
import { migrate } from '../storage/migrate.ts';
import { openStorage, type Storage } from '../storage/open.ts';
import {
  PrinterGroupQuery,
  PrinterGroupRecord,
  type PrinterInput,
  PrinterQuery,
  PrinterRecord,
} from './printer-schema.ts';
import { createGroup, createPrinter, createPrinterService, type PrinterService } from './printer-service.ts';

const START = Date.UTC(2026, 10, 21, 12);
const page = { page: 1, per_page: 50 };

let storage: Storage;
let printers: PrinterService;
let accountId: string;

async function newAccount(email: string): Promise<string> {
  const id = newId();
  await storage.inTransaction(({ db }) =>
    insertAccount(db, { id, email, name: 'Farm', currency: 'RUB', passwordHash: 'x', at: START }),
  );
  return id;
}

beforeEach(async () => {
  storage = await openStorage({ engine: 'sqlite', file: ':memory:' });
  await migrate(storage);
  printers = createPrinterService({
    storage,
    clock: () => START,
    withIdempotency: createWithIdempotency({ storage, clock: () => START }),
    printerChanged: async () => {},
  });
  accountId = await newAccount('owner@example.com');
});
afterEach(() => storage.close());

const add = (input: Partial<PrinterInput & { at: number }> = {}) =>
  storage.inTransaction((tx) => createPrinter(tx, accountId, { name: 'P', model: 'MK4', at: START, ...input }));
const addGroup = (name: string, at = START) => storage.inTransaction((tx) => createGroup(tx, accountId, { name, at }));

test('a printer has the fields of the specification and the name of its group', async () => {
  const group = await addGroup('Hall 1');
  const input = { internal_name: 'A-01', group_id: group.id, is_favorite: true, sort_order: 3 };
  const printer = await add({ name: 'Prusa', ...input });
  expect(printer).toEqual({
    id: printer.id,
    name: 'Prusa',
    internal_name: 'A-01',
    model: 'MK4',
    technology: 'fdm',
    group_id: group.id,
    group_name: 'Hall 1',
    is_favorite: true,
    sort_order: 3,
    created_at: '2026-11-21T12:00:00.000Z',
    updated_at: '2026-11-21T12:00:00.000Z',
  });
  expect(await printers.get(accountId, printer.id)).toEqual(printer);
  expect(PrinterRecord.strict().parse(printer)).toEqual(printer);
});

test('the group of a printer without a group is null', async () => {
  expect(await add()).toMatchObject({
    group_id: null,
    group_name: null,
    is_favorite: false,
    sort_order: 0,
    internal_name: '',
  });
});

test('a group counts its printers', async () => {
  const group = await addGroup('Hall 1');
  expect(group).toMatchObject({ name: 'Hall 1', sort_order: 0, printer_count: 0 });
  await add({ group_id: group.id });
  await add({ group_id: group.id });
  await add();
  const found = await printers.getGroup(accountId, group.id);
  expect(found).toEqual({ ...group, printer_count: 2 });
  expect(PrinterGroupRecord.strict().parse(found)).toEqual(found);
});

test('lists are newest first, ties by id, and can be reversed, filtered and paged', async () => {
  const group = await addGroup('Hall 1');
  const later = await addGroup('Hall 2', START + 1);
  const first = await add({ group_id: group.id });
  const second = await add();
  const third = await add({ at: START + 1, group_id: group.id });
  const ids = async (...args: Parameters<PrinterService['list']>) =>
    (await printers.list(...args)).items.map(({ id }) => id);
  expect(await ids(accountId, page)).toEqual([third.id, second.id, first.id]);
  expect(await ids(accountId, page, { sort: 'created_at' })).toEqual([first.id, second.id, third.id]);
  expect(await ids(accountId, page, { group_id: group.id })).toEqual([third.id, first.id]);
  expect(await ids(accountId, page, { group_id: newId() })).toEqual([]);
  expect(await printers.list(accountId, { page: 2, per_page: 2 })).toMatchObject({
    total: 3,
    items: [{ id: first.id }],
  });
  expect((await printers.listGroups(accountId, page)).items.map(({ id }) => id)).toEqual([later.id, group.id]);
  expect((await printers.listGroups(accountId, page, 'created_at')).items.map(({ id }) => id)).toEqual([
    group.id,
    later.id,
  ]);
});

test('another account sees nothing of it', async () => {
  const group = await addGroup('Hall 1');
  const printer = await add({ group_id: group.id, is_favorite: true });
  const stranger = await newAccount('stranger@example.com');
  expect(await codeOf(printers.get(stranger, printer.id))).toBe('not_found');
  expect(await codeOf(printers.getGroup(stranger, group.id))).toBe('not_found');
  expect(await printers.holdPrinter(storage.writer, stranger, printer.id)).toBe(false);
  expect(await printers.holdPrinter(storage.writer, accountId, printer.id)).toBe(true);
  expect((await printers.list(stranger, page)).total).toBe(0);
  expect((await printers.listGroups(stranger, page)).total).toBe(0);
  expect(await printers.counts(stranger)).toEqual({ printers: 0, groups: 0, favorites: 0 });
  expect(await printers.counts(accountId)).toEqual({ printers: 1, groups: 1, favorites: 1 });
  const foreign = storage.inTransaction((tx) =>
    createPrinter(tx, stranger, { name: 'P', model: 'M', group_id: group.id, at: START }),
  );
  expect(await codeOf(foreign)).toBe('validation_error');
});

test('queries refuse unknown parameters', () => {
  expect(PrinterQuery.parse({})).toEqual({ page: 1, per_page: 50, sort: '-created_at' });
  for (const query of [{ colour: 'red' }, { per_page: '201' }, { page: '0' }, { group_id: 'x' }, { sort: 'name' }]) {
    expect(PrinterQuery.safeParse(query).success).toBe(false);
  }
  expect(PrinterGroupQuery.safeParse({ group_id: newId() }).success).toBe(false);
});
