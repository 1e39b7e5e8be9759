import { z } from 'zod';
import { createLogger } from '../../../common/src/logger.ts';
import { times } from '../../../test/kit/length.ts';
import {
  isWithin,
  kindOf,
  type Limits,
  type NumberKind,
  readAs,
  sentNumbers,
  unitsOf,
} from '../../../test/kit/numbers.ts';
import { seedFrom } from '../../../test/kit/random.ts';
import { readConfig } from '../config/config.ts';
import type { Route } from '../http/route.ts';
import { NotificationBody } from '../invoices/payments/providers/notification.ts';
import { createFarmboard } from '../main.ts';
import { agentRoutes } from '../prints/report-routes.ts';
import { digitsOf, toMinor } from '../shared/currency.ts';

const SEED = seedFrom('NUMBERS_SEED');
/** The currencies of a price: their smallest units have 0, 2 and 3 decimals. */
const CURRENCIES = ['JPY', 'EUR', 'KWD'];

const numberOf = (units: bigint | undefined) => (units === undefined ? undefined : Number(units));

/** Numbers, and what each kind of field makes of them. */
const NUMBERS = sentNumbers(times(2_000, 100_000), SEED).map(({ text }) => ({
  text,
  value: JSON.parse(text) as number,
  thousandths: readAs('thousandths', text),
  whole: readAs('whole', text),
  money: CURRENCIES.map((currency) => numberOf(unitsOf(text, digitsOf(currency)))),
}));

interface NumberField {
  where: string;
  schema: z.ZodType;
  kind: NumberKind;
  limits: Limits;
}

/** What a schema is made of, by the name of the field where it has one. */
function partsOf(schema: z.ZodType, name: string): [string, z.ZodType][] {
  if (schema instanceof z.ZodObject) return Object.entries(schema.shape);
  if (schema instanceof z.ZodUnion) return schema.options.map((option) => [name, option as z.ZodType]);
  if (schema instanceof z.ZodArray) return [[name, schema.element as z.ZodType]];
  if (schema instanceof z.ZodPipe) return [[name, schema.in as z.ZodType]];
  const { innerType } = schema.def as { innerType?: z.ZodType };
  return innerType ? [[name, innerType]] : [];
}

/** Every number that a body may contain. */
function numbersIn(schema: z.ZodType, where: string, name = ''): NumberField[] {
  if (schema instanceof z.ZodNumber) {
    const { type, minimum, maximum } = z.toJSONSchema(schema, { io: 'input' });
    return [{ where: `${where} ${name}`, schema, kind: kindOf(name, type), limits: { minimum, maximum } }];
  }
  return partsOf(schema, name).flatMap(([inner, part]) => numbersIn(part, where, inner));
}

const fieldsOf = (routes: Route[]): NumberField[] =>
  routes.flatMap(({ method, path, body }) => (body ? numbersIn(body, `${method.toUpperCase()} ${path}`) : []));

async function allFields(): Promise<NumberField[]> {
  const env = { DATABASE_URL: 'sqlite::memory:', SECRET_KEY: 'for tests only, and with enough characters' };
  const farmboard = await createFarmboard(readConfig(env), createLogger('silent'));
  try {
    const { routes, consoleApi } = farmboard;
    // only their schemas are read
    const agents = agentRoutes({} as Parameters<typeof agentRoutes>[0]);
    // routes of the automation API are part of the console API as well
    const all = new Set([...routes, ...consoleApi.openRoutes, ...consoleApi.routes, ...agents]);
    return [...fieldsOf([...all]), ...numbersIn(NotificationBody, 'POST /payments')];
  } finally {
    await farmboard.close();
  }
}

type Expected = (typeof NUMBERS)[number];

/** Whether a field takes the number for what it is, or refuses it. */
function isRight({ schema, kind, limits }: NumberField, number: Expected): boolean {
  const { success, data } = schema.safeParse(number.value);
  if (kind !== 'money') {
    const wanted = number[kind];
    return wanted !== undefined && isWithin(wanted, limits) ? data === wanted : !success;
  }
  if (!isWithin(number.value, limits)) return !success;
  return CURRENCIES.every((currency, index) => toMinor(data as number, currency) === number.money[index]);
}

test(`every number of a body takes products and quotients as its kind does (NUMBERS_SEED=${SEED})`, async () => {
  const fields = await allFields();
  const wrong = fields.flatMap((field) =>
    NUMBERS.filter((number) => !isRight(field, number)).map(({ text }) => `${field.where}: ${text}`),
  );
  expect(wrong.slice(0, 5)).toEqual([]);
  expect(new Set(fields.map(({ kind }) => kind)).size).toBe(3);
  expect(fields.length).toBeGreaterThan(20);
});
