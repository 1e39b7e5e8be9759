import { createRandom } from './random.ts';

/** A number as a program sends it, and the exact result of the calculation it comes from. */
export interface SentNumber {
  /** JSON */
  text: string;
  exact: Fraction;
}

/** `over` is above 0. */
export interface Fraction {
  whole: bigint;
  over: bigint;
}

type Random = ReturnType<typeof createRandom>;

/** Digits and point without an exponent, as on paper: `1e-7` is `0.0000001`. */
function writeOut(text: string): { sign: '' | '-'; whole: string; places: string } {
  const [, sign = '', digits = '', fraction = '', exponent = '0'] =
    /^(-?)(\d+)(?:\.(\d+))?(?:e([+-]?\d+))?$/i.exec(text) ?? [];
  const shift = Number(exponent);
  const padded = `${'0'.repeat(Math.max(0, 1 - digits.length - shift))}${digits}${fraction}`.padEnd(
    digits.length + shift,
    '0',
  );
  const point = padded.length - Math.max(0, fraction.length - shift);
  return { sign: sign as '' | '-', whole: padded.slice(0, point) || '0', places: padded.slice(point) };
}

const toBigInt = (sign: string, digits: string, add: boolean): bigint => {
  const size = BigInt(digits) + (add ? 1n : 0n);
  return sign ? -size : size;
};

/** The shortest text of the double that a JSON number is read as. */
const asDouble = (text: string): string => String(JSON.parse(text));

/** What a JSON number is in thousandths, rounded digit by digit, as one does it on paper. */
export function thousandthsOf(text: string): bigint {
  const { sign, whole, places } = writeOut(asDouble(text));
  return toBigInt(sign, whole + places.slice(0, 3).padEnd(3, '0'), (places[3] ?? '0') >= '5');
}

/** What a JSON number is in units of 10^-`digits`, if only noise differs: six zeros or more than six nines follow. */
export function unitsOf(text: string, digits: number): bigint | undefined {
  const { sign, whole, places } = writeOut(asDouble(text));
  const rest = places.slice(digits).padEnd(6, '0');
  const isBelow = /^9{6}0*[1-9]/.test(rest);
  if (!isBelow && !rest.startsWith('000000')) return undefined;
  return toBigInt(sign, whole + places.slice(0, digits).padEnd(digits, '0'), isBelow);
}

/** What a field makes of a JSON number before its limits apply; undefined: it refuses it. */
export function readAs(kind: 'thousandths' | 'whole', text: string): number | undefined {
  if (kind === 'whole') {
    const units = unitsOf(text, 0);
    return units === undefined ? undefined : Number(units);
  }
  const thousandths = thousandthsOf(text);
  const isLost = thousandths === 0n && Number(text) > 0 && unitsOf(text, 3) === undefined;
  return isLost ? undefined : Number(thousandths) / 1000;
}

export interface Limits {
  minimum?: number | undefined;
  maximum?: number | undefined;
}

export const isWithin = (value: number, { minimum = -Number.MAX_VALUE, maximum = Number.MAX_VALUE }: Limits): boolean =>
  value >= minimum && value <= maximum;

export type NumberKind = 'thousandths' | 'whole' | 'money';

/** What a field of a request counts. A new name fails here, so that somebody decides it. */
export function kindOf(name: string, type: unknown): NumberKind {
  if (type === 'integer') return 'whole';
  if (/price/.test(name)) return 'money';
  if (/grams|weight|hours/.test(name)) return 'thousandths';
  throw new Error(`${name}: which places may it have? Add it to kindOf, and see decimal and wholeNumber`);
}

/** Two decimals of at most three places. */
interface Decimal {
  digits: number;
  places: number;
}
const toNumber = ({ digits, places }: Decimal): number => Number(`${digits}e-${places}`);

/** `repr` of Python, which Jinja prints as well. */
function toPython(value: number): string {
  const size = Math.abs(value);
  if (size !== 0 && (size < 1e-4 || size >= 1e16)) return value.toExponential().replace(/e([+-])(\d)$/, 'e$10$2');
  return Number.isInteger(value) ? `${value}.0` : String(value);
}

/** The first digits of a fraction, as Python's `Decimal` prints a quotient. */
function toDecimalText({ whole, over }: Fraction): string {
  const places = 24;
  const digits = String((whole * 10n ** BigInt(places)) / over).padStart(places + 1, '0');
  return `${digits.slice(0, -places)}.${digits.slice(-places)}`;
}

const WRITERS: ((value: number, exact: Fraction) => string)[] = [
  (value) => JSON.stringify(value),
  toPython,
  // {{ (a * b) | round(2) }}
  (value) => toPython(Number(value.toFixed(2))),
  (_, exact) => toDecimalText(exact),
  (value) => value.toExponential().toUpperCase(),
];

/** A decimal and what it is multiplied with or divided by; in half of the cases the exact result is a whole number. */
function chooseDecimals({ between, pick, next }: Random): [Decimal, Decimal] {
  const places = between(0, 3);
  const first = { digits: between(1, pick([99, 9_999, 999_999])), places };
  if (next() < 0.5) return [first, { digits: between(1, pick([9, 99, 9_999])), places: between(0, 2) }];
  const power = { digits: 10 ** between(places, 3), places: 0 };
  return next() < 0.5 ? [first, power] : [first, { digits: 1, places: between(places, 3) }];
}

/** Whether it differs from a whole number only by noise, or from the half between two thousandths not at all. */
const isTelling = ({ text }: SentNumber): boolean =>
  (unitsOf(text, 0) !== undefined && !Number.isInteger(Number(text))) || /^\d+\.\d{3}5$/.test(text);

/**
 * The product or the quotient of two decimals, calculated in doubles and printed as one of several languages does. A third
 * of them are such that only the right rule reads them rightly.
 */
export function sentNumber(random: Random): SentNumber {
  let number = calculate(random);
  if (random.next() < 1 / 3) while (!isTelling(number)) number = calculate(random);
  return number;
}

function calculate(random: Random): SentNumber {
  const [a, b] = chooseDecimals(random);
  const isProduct = random.next() < 0.5 || b.digits === 0;
  const value = isProduct ? toNumber(a) * toNumber(b) : toNumber(a) / toNumber(b);
  const scale = isProduct ? a.places + b.places : a.places - b.places;
  const [whole, over] = isProduct ? [BigInt(a.digits) * BigInt(b.digits), 1n] : [BigInt(a.digits), BigInt(b.digits)];
  const exact =
    scale >= 0 ? { whole, over: over * 10n ** BigInt(scale) } : { whole: whole * 10n ** BigInt(-scale), over };
  const write = random.pick(WRITERS);
  return { text: write(value, exact), exact };
}

/** So many of them from one seed. */
export function sentNumbers(count: number, seed: number): SentNumber[] {
  const random = createRandom(seed);
  return Array.from({ length: count }, () => sentNumber(random));
}
