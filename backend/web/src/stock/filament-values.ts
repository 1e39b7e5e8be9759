import type { Schemas } from '../api/client';
import type { Filament } from './stock-api';

/** Form values of a filament. */
export interface FilamentValues {
  name: string;
  brand: string;
  type_name: string;
  colors: string[];
  is_gradient: boolean;
  spool_weight_grams: number | string;
  low_stock_threshold_grams: number | string;
  spool_count: number | string;
  spool_price: number | string;
}

export const newValues = (): FilamentValues => ({
  name: '',
  brand: '',
  type_name: '',
  colors: ['#1A1A1A'],
  is_gradient: false,
  spool_weight_grams: 1000,
  // a fifth of a spool: enough to order more in time
  low_stock_threshold_grams: 200,
  spool_count: 1,
  spool_price: '',
});

export const toValues = (filament: Filament): FilamentValues => ({
  name: filament.name,
  brand: filament.brand,
  type_name: filament.type_name,
  colors: filament.colors,
  is_gradient: filament.is_gradient,
  spool_weight_grams: filament.spool_weight_grams,
  low_stock_threshold_grams: filament.low_stock_threshold_grams,
  spool_count: 0,
  spool_price: '',
});

const toFields = (values: FilamentValues) => ({
  name: values.name.trim(),
  brand: values.brand.trim(),
  type_name: values.type_name.trim(),
  colors: values.colors,
  is_gradient: values.is_gradient,
  spool_weight_grams: Number(values.spool_weight_grams),
  low_stock_threshold_grams: Number(values.low_stock_threshold_grams),
});

export function toNewFilament(values: FilamentValues): Schemas['NewFilamentInput'] {
  const spool_count = Number(values.spool_count);
  const first = values.spool_price === '' ? { spool_count } : { spool_count, spool_price: Number(values.spool_price) };
  return { ...toFields(values), ...(spool_count > 0 ? first : {}) };
}

/** Only the edited fields, because an automation may be changing the others. */
export function toPatch(values: FilamentValues, initial: FilamentValues): Schemas['FilamentPatchInput'] {
  const [now, before] = [toFields(values), toFields(initial)];
  return Object.fromEntries(
    Object.entries(now).filter(([field, value]) => {
      return JSON.stringify(value) !== JSON.stringify(before[field as keyof typeof before]);
    }),
  );
}
