/** Fields to write; one that is undefined was not sent. */
export type Patch<T> = { [field in keyof T]?: T[field] | undefined };

/** What it is with the fields that were sent; the others stay. */
export const patched = <T extends object>(before: T, patch: Patch<T>): T => ({
  ...before,
  ...Object.fromEntries(Object.entries(patch).filter(([, value]) => value !== undefined)),
});
