/** Their ids stand in one address, of which a server reads 16 kB. */
export const MOST_LABELS = 200;
