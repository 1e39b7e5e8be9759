/** Fields to write; undefined fields stay unchanged. */
export type Patch<T> = { [field in keyof T]?: T[field] | undefined };

/** Returns the record with the sent fields replaced. */
export const patched = <T extends object>(before: T, patch: Patch<T>): T => ({
  ...before,
  ...Object.fromEntries(Object.entries(patch).filter(([, value]) => value !== undefined)),
});
