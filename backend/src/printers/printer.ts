/** A printer as it is read and answered. An agent's token is no part of it. */
export interface Printer {
  id: string;
  name: string;
  internal_name: string;
  model: string;
  technology: string;
  /** null: in no group */
  group_id: string | null;
  group_name: string | null;
  is_favorite: boolean;
  sort_order: number;
  created_at: string;
  updated_at: string;
}

/** A farm: printers that stand together. */
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
