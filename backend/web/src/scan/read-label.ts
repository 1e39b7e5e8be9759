import { LAYOUTS, type Layout, splitKeys, typedOn } from './layouts';

/** A layout may give another character than `-` between the parts, or none. */
const GAP = String.raw`\s*[^0-9a-f\s]?\s*`;
const ID = new RegExp(
  `(order${GAP})?(?<![0-9a-f])${[8, 4, 4, 4, 12].map((length) => `([0-9a-f]{${length}})`).join(GAP)}(?![0-9a-f])`,
  'g',
);
const USUAL = /^(order-)?[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
/** The symbology that scanners name before the text if they are told to: `]Q1`. */
const SYMBOLOGY = /\][a-z]\d(?=order|[0-9a-f]{8})/g;

interface Found {
  id: string;
  /** whether it is a label or names an order, and not only an ID */
  isLabel: boolean;
  /** whether it is written with its hyphens */
  isUsual: boolean;
}

export interface Reading {
  id: string;
  /** the keyboard layout that changed the text */
  layout?: Layout | undefined;
}

const isDigit = (code: number) => /\p{Nd}/u.test(String.fromCodePoint(code));

/** The digits of all scripts; each script has its ten in a row. */
function toLatinDigit(digit: string) {
  const code = digit.codePointAt(0) ?? 0;
  let zero = code;
  while (isDigit(zero - 1)) zero--;
  return String((code - zero) % 10);
}

/** Those that are so, if there are any. */
function prefer<Each>(all: Each[], isSo: (each: Each) => boolean): Each[] {
  const some = all.filter(isSo);
  return some.length > 0 ? some : all;
}

/** The only ID in a text: of labels, if there are any, else of IDs. */
function onlyOne<Each extends Found>(found: Each[]): Each | undefined {
  const [first, ...others] = prefer(found, ({ isLabel }) => isLabel);
  return others.every(({ id }) => id === first?.id) ? first : undefined;
}

/** The only ID of those with their hyphens, if there are any: a key that is `-` in one layout is a digit in another. */
const preferUsual = <Each extends Found>(found: Each[]) => onlyOne(prefer(found, ({ isUsual }) => isUsual));

const findIn = (text: string): Found[] =>
  Array.from(text.matchAll(ID), ([whole, order, ...parts]) => ({
    id: parts.join('-'),
    isLabel: order !== undefined,
    isUsual: USUAL.test(whole),
  }));

/** Finds the label in what a US keyboard types. */
function findLabel(text: string): Found | undefined {
  const plain = text
    .replace(/(?![0-9])\p{Nd}/gu, toLatinDigit)
    .replace(/\p{Cf}/gu, '')
    .replace(/(?!\s)\p{Cc}/gu, ' ')
    .toLowerCase()
    .replace(SYMBOLOGY, '');
  // for a URL, the part that names the order
  const named = /[?&](order=[^&#]*)/.exec(plain)?.[1] ?? plain;
  const found = findIn(named);
  // a text that was wrapped
  return onlyOne(found.length > 0 ? found : findIn(named.replace(/\s/g, '')));
}

type Changed = Found & { layout: Layout };

/** Only labels: some layouts have the digits and letters of a bare ID in other places, so that it is another ID. */
function findThroughLayouts(keys: string): Changed | undefined {
  const found = LAYOUTS.flatMap((layout): Changed[] => {
    const typed = typedOn(layout, keys);
    const label = /order/i.test(typed) ? findLabel(typed) : undefined;
    return label?.isLabel ? [{ ...label, layout }] : [];
  });
  return preferUsual(found);
}

/**
 * Finds the order ID in scanned, typed or pasted text: `ORDER-<id>`, a bare ID or a URL of the console, also as another
 * keyboard layout changed it. A text that has several IDs, or a different one in each of several layouts, is not read.
 */
export function readLabel(text: string): Reading | undefined {
  const keys = splitKeys(text);
  const plain = findLabel(keys);
  const found: (Found & { layout?: Layout }) | undefined = plain?.isLabel ? plain : (findThroughLayouts(keys) ?? plain);
  return found && { id: found.id, layout: found.layout };
}

/**
 * Finds the order ID in the keys of a scanner. By their place they are what a scanner set to a US keyboard types, in any
 * layout of the computer; by their characters, what one set to the computer's layout types.
 */
export function readKeys({ places, characters }: { places: string; characters: string }): string | undefined {
  const keys = splitKeys(characters);
  const read = [findLabel(places), findLabel(keys)]
    .filter((found) => found !== undefined)
    // 32 digits without hyphens may be another code
    .filter(({ isLabel, isUsual }) => isLabel || isUsual);
  // places are certain, and unknown only from a few devices
  return (read.length > 0 ? preferUsual(read) : findThroughLayouts(keys))?.id;
}

/** Digits that tell, behind `ORDER`, that a label was meant. */
const MANY_DIGITS = 16;
const ALL_DIGITS = 32;

const countDigits = (text: string) =>
  (/order(.*)/.exec(text.toLowerCase())?.[1] ?? '').replace(/[^0-9a-f]/g, '').length;

/** The layout that probably changed a label so that it can't be read: the one that gives most of an ID. */
export function guessLayout(text: string): Layout | undefined {
  const keys = splitKeys(text).replace(/\s/g, '');
  let most = Math.max(MANY_DIGITS - 1, countDigits(keys));
  let best: Layout | undefined;
  for (const layout of LAYOUTS) {
    const digits = countDigits(typedOn(layout, keys));
    if (digits > most && digits <= ALL_DIGITS) [best, most] = [layout, digits];
  }
  return best;
}
