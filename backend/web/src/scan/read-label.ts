/** Scanners and people may write another character than `-` between the parts, or none. */
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

/** The only ID in a text: of labels, if there are any, else of IDs. */
function onlyOne(found: Found[]): Found | undefined {
  const labels = found.filter(({ isLabel }) => isLabel);
  const [first, ...others] = labels.length > 0 ? labels : found;
  return others.every(({ id }) => id === first?.id) ? first : undefined;
}

const findIn = (text: string): Found[] =>
  Array.from(text.matchAll(ID), ([whole, order, ...parts]) => ({
    id: parts.join('-'),
    isLabel: order !== undefined,
    isUsual: USUAL.test(whole),
  }));

function findLabel(text: string): Found | undefined {
  const plain = text
    .normalize('NFKC')
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

/**
 * Finds the order ID in scanned, typed or pasted text: `ORDER-<id>`, a bare ID or a URL of the console. A text that has
 * several IDs is not read.
 */
export const readLabel = (text: string): string | undefined => findLabel(text)?.id;

/** Finds the order ID in the keys of a scanner, of which 32 digits without hyphens may be another code. */
export function readScan(keys: string): string | undefined {
  const found = findLabel(keys);
  return found?.isLabel || found?.isUsual ? found.id : undefined;
}
