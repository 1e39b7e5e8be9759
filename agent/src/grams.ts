const DEFAULT_DIAMETER_MM = 1.75;

/** The configured properties of the filament on a printer. */
export interface FilamentOnPrinter {
  /** g/cm³ */
  density?: number | undefined;
  /** mm; default 1.75 */
  diameter?: number | undefined;
}

/** Converts a filament length (mm) to grams; undefined without a density. */
export function gramsOfLength(mm: number, { density, diameter = DEFAULT_DIAMETER_MM }: FilamentOnPrinter) {
  if (density === undefined || !(mm > 0)) return undefined;
  return ((Math.PI / 4) * diameter ** 2 * mm * density) / 1000;
}

/**
 * Grams used by a print: the slicer's total weight scaled by the extruded length, or calculated from the length if the
 * file contains no weight.
 */
export function gramsUsed(
  used: { usedMm?: number | undefined; totalMm?: number | undefined; totalGrams?: number | undefined },
  filament: FilamentOnPrinter,
): number | undefined {
  const { usedMm, totalMm, totalGrams } = used;
  if (usedMm === undefined || usedMm < 0) return undefined;
  if (totalGrams !== undefined && totalMm !== undefined && totalGrams > 0 && totalMm > 0) {
    return (totalGrams * usedMm) / totalMm;
  }
  return gramsOfLength(usedMm, filament);
}

/** Grams used of a print's estimated total: all of it, or the share that an unfinished print has reached. */
export function gramsOfShare(total: number | undefined, isFinished: boolean, percent: number): number | undefined {
  return total === undefined ? undefined : total * (isFinished ? 1 : percent / 100);
}

/** A number, or numbers as text, such as `20.5` or one for each tool: `0.34, 0.00, 3.1`. */
const readNumbers = (value: unknown): number[] => {
  if (Array.isArray(value)) return value.flatMap(readNumbers);
  if (typeof value !== 'string') return [typeof value === 'number' ? value : Number.NaN];
  return value
    .split(/[,;\s]+/)
    .filter((text) => text !== '')
    .map(Number);
};

/** Adds up an amount that is given as a number, as text, or for each tool. @returns undefined if it is not positive */
export function sumOf(value: unknown): number | undefined {
  const sum = readNumbers(value).reduce((total, one) => total + one, 0);
  return sum > 0 && Number.isFinite(sum) ? sum : undefined;
}
