import type { OpenApiDocument } from '../kit/checker.ts';
import { createClient } from '../kit/client.ts';
import type { Browser } from '../kit/console-client.ts';
import { expectProblem, type Farm, type Filament, type Order, startFarm, UNKNOWN_ID } from '../kit/farm.ts';
import { times } from '../kit/length.ts';
import { isWithin, kindOf, readAs, sentNumber, thousandthsOf, unitsOf } from '../kit/numbers.ts';
import { addProviders, issueInvoice, openSeller, send, signNotification } from '../kit/payments.ts';
import { createRandom, seedFrom } from '../kit/random.ts';

const SEED = seedFrom('NUMBERS_SEED');
const random = createRandom(SEED);

let farm: Farm;
let owner: Browser;

beforeAll(async () => {
  farm = await startFarm();
  owner = await openSeller(farm.service, farm.email);
});
afterAll(() => farm.close());

interface Schema {
  $ref?: string;
  type?: string | string[];
  minimum?: number;
  maximum?: number;
  anyOf?: Schema[];
  properties?: Record<string, Schema>;
  items?: Schema;
}

/** A number in a body: where it is, and what its schema says. */
interface Field {
  pointer: string[];
  schema: Schema;
}

const typesOf = ({ type }: Schema): unknown[] => [type].flat();

function createReader({ components }: OpenApiDocument) {
  const resolve = (schema: Schema): Schema =>
    schema.$ref ? (components.schemas[schema.$ref.split('/').at(-1) as string] as Schema) : schema;

  /** The numbers of a body. Of a list, its first entry. */
  function numbersIn(given: Schema, pointer: string[] = []): Field[] {
    const schema = resolve(given);
    if (typesOf(schema).some((type) => type === 'number' || type === 'integer')) return [{ pointer, schema }];
    return [
      ...Object.entries(schema.properties ?? {}).flatMap(([name, part]) => numbersIn(part, [...pointer, name])),
      ...(schema.items ? numbersIn(schema.items, [...pointer, '0']) : []),
      ...(schema.anyOf ?? []).flatMap((part) => numbersIn(part, pointer)),
    ];
  }

  /** A field that gets a value of the wrong type, so that nothing is ever written. */
  function textIn(schema: Schema): string | undefined {
    const isText = (part: Schema): boolean => typesOf(part).includes('string') || (part.anyOf ?? []).some(isText);
    return Object.entries(schema.properties ?? {}).find(([, part]) => isText(resolve(part)))?.[0];
  }

  /** The forms of a body: one, unless it is a union of objects. */
  const formsOf = (given: Schema): Schema[] => resolve(given).anyOf?.map(resolve) ?? [resolve(given)];

  return { numbersIn, textIn, formsOf };
}

interface Target {
  method: string;
  path: string;
  fields: Field[];
  /** refused in every request */
  wrong: Record<string, boolean>;
}

/** Every body of an API that contains numbers. */
function targetsOf(document: OpenApiDocument): Target[] {
  const { numbersIn, textIn, formsOf } = createReader(document);
  return Object.entries(document.paths).flatMap(([template, methods]) =>
    Object.entries(methods).flatMap(([method, operation]) => {
      const { requestBody } = operation as { requestBody?: { content: Record<string, { schema: Schema }> } };
      const schema = requestBody?.content['application/json']?.schema;
      return (schema ? formsOf(schema) : []).flatMap((form) => {
        const fields = numbersIn(form);
        const text = textIn(form);
        const path = template.replace(/\{\w+\}/g, UNKNOWN_ID);
        // without a text, an unknown id keeps it from being written
        const wrong: Record<string, boolean> = text === undefined ? {} : { [text]: true };
        return fields.length > 0 ? [{ method: method.toUpperCase(), path, fields, wrong }] : [];
      });
    }),
  );
}

/** JSON with the numbers as they were written. */
function toJson(fields: [string[], string][], wrong: Record<string, boolean>): string {
  const body: Record<string, unknown> = { ...wrong };
  const numbers = new Map<string, string>();
  for (const [[name = '', index, inner], text] of fields) {
    const mark = `number ${numbers.size}`;
    numbers.set(`"${mark}"`, text);
    if (index === undefined) body[name] = mark;
    else body[name] = [{ ...(body[name] as object[] | undefined)?.[0], [inner as string]: mark }];
  }
  return JSON.stringify(body).replace(/"number \d+"/g, (mark) => numbers.get(mark) as string);
}

type Ask = (method: string, path: string, raw: string) => Promise<{ status: number; body: unknown }>;

/** The first number of a target that is not taken or refused as its kind says; undefined if there is none. */
async function findWrong(ask: Ask, { method, path, fields, wrong }: Target): Promise<string | undefined> {
  const sent = fields.map(({ pointer }): [string[], string] => [pointer, sentNumber(random).text]);
  const raw = toJson(sent, wrong);
  const { status, body } = await ask(method, path, raw);
  const refused = new Set((body as { errors?: { pointer: string }[] }).errors?.map(({ pointer }) => pointer));
  const bad = fields.find(({ pointer, schema }, index) => {
    const name = pointer.at(-1) as string;
    const type = typesOf(schema).find((one) => one === 'integer' || one === 'number');
    const kind = kindOf(name, type);
    const text = sent[index]?.[1] as string;
    // which places a price may have depends on the account, so a body that is wrong elsewhere says nothing
    const value = kind === 'money' ? Number(text) : readAs(kind, text);
    const isTaken = value !== undefined && isWithin(value, schema);
    return isTaken === refused.has(`/${pointer.join('/')}`);
  });
  const isWritten = status < 300;
  return bad || isWritten ? `${method} ${path} ${raw} → ${status} ${JSON.stringify(body)}` : undefined;
}

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

test(
  'grams that were deducted by every API add up exactly',
  async () => {
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
  },
  times(120_000, 3_600_000),
);

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

const REQUESTS = times(40, 10_000);

test(
  `every number of every API is taken or refused as its kind says (NUMBERS_SEED=${SEED})`,
  async () => {
    const { id } = await farm.printer();
    const { token } = await farm.agent({ printer_id: id });
    const agent = await createClient(farm.origin, token, '/agent/v1');
    const apis: [string, OpenApiDocument, Ask][] = [
      ['automation', farm.client.document, (method, path, raw) => farm.client.call(method, path, { raw })],
      ['console', owner.document, (method, path, raw) => owner.ask(method, path, { raw })],
      ['agent', agent.document, (method, path, raw) => agent.call(method, path, { raw })],
    ];
    const wrong: string[] = [];
    for (const [name, document, ask] of apis) {
      const targets = targetsOf(document);
      for (const target of targets) {
        for (let sent = 0; sent < REQUESTS && wrong.length < 5; sent++) {
          const found = await findWrong(ask, target);
          if (found) wrong.push(found);
        }
      }
      const fields = targets.reduce((sum, target) => sum + target.fields.length, 0);
      process.stdout.write(`numbers.test: ${name}: ${fields} numbers in ${targets.length} bodies\n`);
      expect(fields).toBeGreaterThan(name === 'agent' ? 0 : 10);
    }
    expect(wrong).toEqual([]);
  },
  times(120_000, 3_600_000),
);
