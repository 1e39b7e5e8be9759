/** A row of the file. */
export interface Row {
  /** row number as in a spreadsheet, where the first row is 1 */
  number: number;
  cells: string[];
}

export interface Table {
  headings: string[];
  rows: Row[];
}

/** Why a file can't be read. */
export type FileFault =
  | 'tooLarge'
  | 'workbook'
  | 'notUtf8'
  | 'empty'
  | 'tooMany'
  | 'tooManyColumns'
  | 'openQuote'
  | 'unreadable';
