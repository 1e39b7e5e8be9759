/** Their ids stand in one address, of which a server reads 16 kB. */
export const MAX_LABELS = 200;
