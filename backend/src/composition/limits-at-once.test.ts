import { createInvoices } from '../../../test/kit/invoice-service.ts';
import { forTest } from '../../../test/kit/opened.ts';
import { newActor } from '../../../test/kit/order-service.ts';
import { openTestStorage } from '../../../test/kit/storage.ts';
import { lockAccount } from '../accounts/account-store.ts';
import type { Actor } from '../accounts/token.ts';
import { createProfileService } from '../leads/profile/profile-service.ts';
import { insertGroup, listPrintersOf } from '../printers/printer-store.ts';
import { createRefusedReportService } from '../prints/refused-report-service.ts';
import { query } from '../storage/dialect.ts';

// What a check alone would not keep: others add or change the same at the same moment.

const clock = () => Date.UTC(2026, 10, 21);
const accounts = { lockAccount };
const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

const storage = forTest(openTestStorage);
let actor: Actor;

beforeEach(async () => {
  actor = await newActor(storage);
});

const MEMBERS: [string, number, string, () => Promise<(place: number) => Promise<unknown>>][] = [
  [
    'photos of a new profile',
    8,
    'files',
    async () => {
      const profiles = createProfileService({ storage, clock, accounts });
      return () => profiles.addPhoto(actor, PNG);
    },
  ],
  [
    'payment providers',
    10,
    'payment_providers',
    async () => {
      const { providers, actor: owner } = await createInvoices(storage);
      return () => providers.create(owner, { kind: 'notification' }, undefined);
    },
  ],
  [
    'refused reports of a group',
    100,
    'refused_reports',
    async () => {
      const group = await storage.inTransaction(({ db }) =>
        insertGroup(db, actor.accountId, { id: 'group', name: 'G', sort_order: 0, at: 0 }),
      );
      const refused = createRefusedReportService({
        ...{ storage, clock, accounts },
        printers: {
          listOfAgent: (agent: Parameters<typeof listPrintersOf>[1]) => listPrintersOf(storage.read, agent),
        } as never,
        reports: {} as never,
      });
      const agent = { ...actor, agent: { printer_id: null, printer_group_id: group.id } };
      return (place) =>
        refused.keep(agent as never, { source: 'report', body: { place }, code: 'validation_error', reason: '' });
    },
  ],
];

test.each(MEMBERS)('%s: %i at most, of twice as many at once', async (_, max, table, prepare) => {
  const add = await prepare();
  await Promise.allSettled(Array.from({ length: 2 * max }, (_one, place) => add(place)));
  expect(await query(storage.read, `SELECT 1 FROM ${table}`)).toHaveLength(max);
  // none is stored that its record doesn't name
  const [profile] = await query<{ photos: string }>(storage.read, 'SELECT photos FROM profiles');
  if (profile) expect(JSON.parse(profile.photos)).toHaveLength(max);
});

test('changes at once of a payment provider, and of the business details, undo none of each other', async () => {
  const { providers, invoices, actor: owner } = await createInvoices(storage);
  const secretOf = async () => (await query(storage.read, 'SELECT secret_encrypted FROM payment_providers'))[0];
  const { result } = await providers.create(owner, { kind: 'notification' }, undefined);
  const before = await secretOf();
  const rename = (n: number) => providers.update(owner, result.id, { name: `Name ${n}` });
  await Promise.all([
    ...[rename(1), rename(2), providers.renewSecret(owner, result.id, undefined), rename(3), rename(4)],
    ...[invoices.updateSeller(owner, { address: 'Street' }), invoices.updateSeller(owner, { tax_id: '1' })],
    ...[
      invoices.updateSeller(owner, { bank_details: 'IBAN' }),
      invoices.updateSeller(owner, { payment_note: 'Thanks' }),
    ],
  ]);
  // the old secret is not put back
  expect(await secretOf()).not.toEqual(before);
  const seller = { address: 'Street', tax_id: '1', bank_details: 'IBAN', payment_note: 'Thanks' };
  expect(await invoices.seller(owner.accountId)).toMatchObject(seller);
});
