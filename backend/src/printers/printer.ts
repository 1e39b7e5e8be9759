/** A printer as the API returns it. */
export interface Printer {
  id: string;
  name: string;
  internal_name: string;
  model: string;
  technology: string;
  /** null: not in a group */
  group_id: string | null;
  group_name: string | null;
  is_favorite: boolean;
  sort_order: number;
  created_at: string;
  updated_at: string;
}

/** A printer group; "farm group" in the specification. */
export interface PrinterGroup {
  id: string;
  name: string;
  sort_order: number;
  printer_count: number;
  created_at: string;
  updated_at: string;
}

export const PRINTER_SORTS = ['-created_at', 'created_at'] as const;
export type PrinterSort = (typeof PRINTER_SORTS)[number];
