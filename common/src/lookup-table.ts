/**
 * A table whose keys may come from outside. Indexing a plain object would also find what every object inherits, such as
 * `constructor` and `__proto__`.
 */
export const lookupTable = <T>(entries: Readonly<Record<string, T>>): ReadonlyMap<string, T> =>
  new Map(Object.entries(entries));
