const DEFAULT_DIAMETER_MM = 1.75;

/** What a farm knows of the filament on a printer. */
export interface FilamentOnPrinter {
  /** g/cm³ */
  density?: number | undefined;
  /** mm; 1.75 when not told */
  diameter?: number | undefined;
}

/** Grams of a length in mm; undefined where no density is known. */
export function gramsOfLength(mm: number, { density, diameter = DEFAULT_DIAMETER_MM }: FilamentOnPrinter) {
  if (density === undefined || !(mm > 0)) return undefined;
  return ((Math.PI / 4) * diameter ** 2 * mm * density) / 1000;
}

/**
 * Grams of a print from what the slicer wrote into its file, scaled by how much of it was really extruded; by length where
 * the file tells no weight.
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
