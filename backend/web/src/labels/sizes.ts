/** A label size and its contents, in millimeters. */
export interface LabelSize {
  width: number;
  height: number;
  /** size of one QR module: whole dots at 203 dpi (8 per millimeter) */
  module: number;
  /** left margin, in addition to the quiet zone */
  left: number;
  right: number;
  top: number;
  model: number;
  text: number;
  /** pieces and material are on one line */
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
  // labels without gaps; the unprintable margin of office printers stays empty
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

/** The last printed size, because a farm usually uses one kind of label. */
export function loadSize(): SizeName {
  const name = localStorage.getItem(STORAGE_KEY);
  return isSizeName(name) ? name : '62x29';
}

export const saveSize = (name: SizeName) => localStorage.setItem(STORAGE_KEY, name);

/** Size of a printed page or file: one label or a sheet. */
export const pageOf = (size: LabelSize) =>
  size.sheet ?? { columns: 1, rows: 1, width: size.width, height: size.height, top: 0 };

export const labelsPerPage = (size: LabelSize) => pageOf(size).columns * pageOf(size).rows;
