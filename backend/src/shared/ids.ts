import { v7 } from 'uuid';

/**
 * Creates a record id: a UUID version 7. Ids sort by creation time, also within a millisecond of one process, so new
 * rows are appended to every index and ties in lists keep creation order.
 */
export const newId = (): string => v7();

/** The beginning of a new id, which contains its time. A statement that makes many ids completes it. */
export const newIdTime = (): string => v7().slice(0, 13);
