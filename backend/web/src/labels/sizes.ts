/** A label and what is on it, in millimetres. */
export interface LabelSize {
  width: number;
  height: number;
  /** one module of the QR code: whole dots of a printer of 203 dpi, which has 8 to the millimetre */
  module: number;
  /** kept free at the left; the quiet zone of the code comes on top of it */
  left: number;
  right: number;
  top: number;
  model: number;
  text: number;
  /** pieces and material share a line */
  joinsFacts: boolean;
  sheet?: { columns: number; rows: number; width: number; height: number; top: number };
}

export const SIZES = {
  '62x29': {
    width: 62,
    height: 29,
    module: 0.75,
    left: 0.5,
    right: 2,
    top: 2.5,
    model: 3.6,
    text: 3.1,
    joinsFacts: true,
  },
  '50x30': {
    width: 50,
    height: 30,
    module: 0.625,
    left: 0.5,
    right: 1.5,
    top: 2,
    model: 3.4,
    text: 2.9,
    joinsFacts: false,
  },
  // labels without gaps; what an office printer cannot reach at the edge of the paper is left white
  a4: {
    width: 70,
    height: 37,
    module: 0.75,
    left: 3,
    right: 5,
    top: 4.5,
    model: 3.7,
    text: 3.1,
    joinsFacts: false,
    sheet: { columns: 3, rows: 8, width: 210, height: 297, top: 0.5 },
  },
} as const satisfies Record<string, LabelSize>;

export type SizeName = keyof typeof SIZES;

export const isSizeName = (name: string | null): name is SizeName => name !== null && Object.hasOwn(SIZES, name);

const STORAGE_KEY = 'farmboard-label-size';

/** The size printed last: a shop has one kind of labels in its printer. */
export function loadSize(): SizeName {
  const name = localStorage.getItem(STORAGE_KEY);
  return isSizeName(name) ? name : '62x29';
}

export const saveSize = (name: SizeName) => localStorage.setItem(STORAGE_KEY, name);

/** What one print page or one file holds: a label, or a sheet of them. */
export const pageOf = (size: LabelSize) =>
  size.sheet ?? { columns: 1, rows: 1, width: size.width, height: size.height, top: 0 };

export const labelsPerPage = (size: LabelSize) => pageOf(size).columns * pageOf(size).rows;
