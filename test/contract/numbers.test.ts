import type { Browser } from '../kit/console-client.ts';
import { expectProblem, type Filament, type Order, startFarm } from '../kit/farm.ts';
import { times } from '../kit/length.ts';
import { sentNumber, thousandthsOf, unitsOf } from '../kit/numbers.ts';
import { forSuite } from '../kit/opened.ts';
import { addProviders, issueInvoice, openSeller, send, signNotification } from '../kit/payments.ts';
import { createRandom, seedFrom } from '../kit/random.ts';

const SEED = seedFrom('NUMBERS_SEED');
const random = createRandom(SEED);

const farm = forSuite(startFarm);
let owner: Browser;

beforeAll(async () => {
  owner = await openSeller(farm.service, farm.email);
});

/** Grams of a calculation, above 0 and small enough for a full spool. */
function someGrams(): string {
  for (;;) {
    const { text } = sentNumber(random);
    const grams = thousandthsOf(text);
    if (grams > 0n && grams <= 500_000n) return text;
  }
}

// before what takes long in its long form: afterwards the console asks for the password again
test('a payment notification loses its noise, and is refused with a true fraction', async () => {
  const { bank } = await addProviders(owner);
  const invoice = await issueInvoice(owner, {
    currency: 'EUR',
    lines: [{ description: 'Bracket', quantity: 1, unit_price: 4990 }],
  });
  const notify = (amount: string) => {
    const raw = `{"id":"n ${amount}","type":"payment","invoice":"${invoice.number}","amount":${amount},"currency":"EUR","paid_at":"2026-11-20T10:00:00Z"}`;
    return send(bank.notification_url, raw, signNotification(bank.secret, raw));
  };
  expect(await notify('4990.5')).toMatchObject({ status: 422 });
  expect(await notify('4990.000000000001')).toMatchObject({ status: 200, result: 'recorded' });
  expect((await owner.get(`/invoices/${invoice.id}`)).body).toMatchObject({ status: 'paid', received: 4990 });
});

test('grams that were deducted by every API add up exactly', async () => {
  const filament = await farm.filament({ spool_count: 10_000 });
  const { id: printer_id } = await farm.printer();
  const agent = await farm.agent({ printer_id });
  await owner.put(`/printers/${printer_id}/rules`, { deduct_grams: true, loaded_filament_id: filament.id });
  const path = `/filaments/${filament.id}/consume`;
  const ways: ((grams: string, n: number) => Promise<{ status: number }>)[] = [
    (grams) => farm.client.call('POST', path, { raw: `{"grams":${grams}}` }),
    (grams) => farm.client.call('POST', path, { raw: `{"use_weight":${grams}}` }),
    (grams) => owner.ask('POST', path, { raw: `{"grams":${grams}}` }),
    (grams, n) =>
      agent.client.call('POST', '/reports', {
        raw: `{"event_id":"sum ${n}","filename":"a.gcode","outcome":"finished","grams":${grams}}`,
      }),
  ];
  let sum = 0n;
  const refused: string[] = [];
  for (let n = 0; n < times(200, 10_000); n++) {
    const grams = someGrams();
    const { status } = await (ways[n % ways.length] as (typeof ways)[0])(grams, n);
    if (status >= 300) refused.push(grams);
    sum += thousandthsOf(grams);
  }
  expect(refused).toEqual([]);
  const { body } = await farm.client.get<Filament>(`/filaments/${filament.id}`);
  expect([body.used_grams, body.remaining_grams]).toEqual([Number(sum) / 1000, Number(10_000_000_000n - sum) / 1000]);
});

test('an order stores grams, hours, price and quantity as they were rounded', async () => {
  const { id } = await farm.order({ currency: 'EUR' });
  const wrong: string[] = [];
  for (let n = 0; n < times(50, 5_000); n++) {
    const grams = someGrams();
    const hours = someGrams();
    const raw = `{"material_grams":${grams},"print_hours":${hours},"price":4990.000000000001,"quantity_pieces":2.9999999999999996}`;
    const { body } = await farm.client.call<Order & { price: number }>('PUT', `/print-jobs/${id}`, { raw });
    const stored = [body.material_grams, body.print_hours, body.price, body.quantity_pieces];
    const rounded = [grams, hours].map((text) => Number(thousandthsOf(text)) / 1000);
    if (JSON.stringify(stored) !== JSON.stringify([...rounded, 4990, 3])) wrong.push(raw);
  }
  expect(wrong).toEqual([]);
});

test('the price of a spool is exact to the smallest unit of the currency', async () => {
  const { id } = await farm.filament();
  const wrong: string[] = [];
  for (let n = 0; n < times(60, 5_000); n++) {
    const field = n % 2 ? 'spool_price' : 'spool_price_rub';
    const { text } = sentNumber(random);
    const minor = unitsOf(text, 2);
    const isTaken = minor !== undefined && Number(text) <= 100_000_000;
    const raw = `{"spool_count":1,"${field}":${text}}`;
    const { status, body } = await farm.client.call('POST', `/filaments/${id}/batches`, { raw });
    const { errors, [field]: price } = body as { errors?: { pointer: string }[] } & Record<string, unknown>;
    const isRight = isTaken ? price === Number(minor) / 100 : status === 422 && errors?.[0]?.pointer === `/${field}`;
    if (!isRight) wrong.push(`${raw} → ${status} ${JSON.stringify(body)}`);
  }
  expect(wrong).toEqual([]);
  // the same price twice, though one of them was calculated
  const both = { spool_count: 1, spool_price: 19.989999999999998, spool_price_rub: 19.99 };
  expect(await farm.client.post(`/filaments/${id}/batches`, both)).toMatchObject({
    status: 201,
    body: { spool_price: 19.99 },
  });
});

test('an amount that would become 0 is refused, and the answer says so', async () => {
  const { id } = await farm.filament({ spool_count: 1 });
  const refused = async (path: string, body: unknown) =>
    expectProblem(await farm.client.post(path, body), 422, 'validation_error').detail;
  expect(await refused(`/filaments/${id}/consume`, { grams: 0.0001 })).toBe(
    '/grams: would be rounded to 0: send at least 0.001; received 0.0001',
  );
  expect(await refused('/print-jobs', { model_name: 'x', print_hours: 0.0004 })).toBe(
    '/print_hours: would be rounded to 0: send at least 0.001, or 0; received 0.0004',
  );
});

test('the same body with the same key is the same request, however its grams were calculated', async () => {
  const { id } = await farm.filament({ spool_count: 1 });
  const consume = (raw: string) =>
    farm.client.call<Filament>('POST', `/filaments/${id}/consume`, {
      raw,
      headers: { 'Idempotency-Key': `noisy ${id}` },
    });
  const first = await consume('{"grams":37.019999999999996}');
  const again = await consume('{"grams":37.019999999999996}');
  expect([first.body.used_grams, again.body, again.headers.get('idempotency-replayed')]).toEqual([
    37.02,
    first.body,
    'true',
  ]);
});
