/** The IDs are in one URL, which servers limit to 16 kB. */
export const MAX_LABELS = 200;
