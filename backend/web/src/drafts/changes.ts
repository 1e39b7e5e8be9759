export const isSame = (one: unknown, other: unknown) => JSON.stringify(one) === JSON.stringify(other);

/** The fields that differ from what they were. Only these are sent, so that what others change meanwhile stays. */
export const changesOf = <Values extends object>(now: Values, before: Values): Partial<Values> =>
  Object.fromEntries(
    Object.entries(now).filter(([name, value]) => !isSame(value, before[name as keyof Values])),
  ) as Partial<Values>;

export type FieldName<Values> = Extract<keyof Values, string>;

/** The part of `values` that a field stands for: the field and those that mean nothing without it. */
export function pickField<Values extends object>(
  values: Values,
  name: FieldName<Values>,
  together: FieldName<Values>[] = [],
): Partial<Values> {
  const names: FieldName<Values>[] = together.includes(name) ? together : [name];
  const part: Partial<Values> = {};
  for (const one of names) part[one] = values[one];
  return part;
}

export interface Merged<Values> {
  /** what the edits are now based on */
  initial: Values;
  values: Values;
  /** fields that were changed elsewhere and adopted */
  adopted: FieldName<Values>[];
  /** fields that were edited here and changed to something else elsewhere; both versions are kept until a person picks */
  conflicts: FieldName<Values>[];
}

/**
 * Merges a record that was changed elsewhere into a form, field by field.
 * @param initial the record that the edits are based on
 * @param values what the form contains
 * @param record the record as it is now
 * @param together fields that are merged as one, such as an amount and its currency; the first stands for all
 */
export function mergeRecord<Values extends object>(
  initial: Values,
  values: Values,
  record: Values,
  together: FieldName<Values>[] = [],
): Merged<Values> {
  const merged: Merged<Values> = { initial: { ...initial }, values: { ...values }, adopted: [], conflicts: [] };
  for (const name of Object.keys(record) as FieldName<Values>[]) {
    if (together.indexOf(name) > 0) continue;
    const [before, mine, theirs] = [initial, values, record].map((from) => pickField(from, name, together));
    if (isSame(before, theirs)) continue;
    const isEdited = !isSame(mine, before) && !isSame(mine, theirs);
    if (isEdited) merged.conflicts.push(name);
    else {
      if (!isSame(mine, theirs)) merged.adopted.push(name);
      Object.assign(merged.initial, theirs);
      Object.assign(merged.values, theirs);
    }
  }
  return merged;
}
