import { roundToUnits } from '../../../common/src/numbers.ts';

/** Grams and hours are stored as whole thousandths. */
export const toThousandths = (value: number): number => roundToUnits(value, 3);
export const fromThousandths = (value: number): number => value / 1000;
