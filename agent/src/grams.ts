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
