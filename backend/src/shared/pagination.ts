import { z } from 'zod';
import type { Cursor, Position } from './cursor.ts';
import { wholeNumberText } from './schemas.ts';

const DEFAULT_PER_PAGE = 50;

/** The pagination parameters of every list. */
export const pageQuery = {
  page: wholeNumberText(1, 999_999_999).default(1),
  per_page: wholeNumberText(1, 200).default(DEFAULT_PER_PAGE),
};

export interface Page {
  page: number;
  per_page: number;
  /** where the page begins; replaces its number */
  position?: Position | undefined;
}

/** The page that a request asks for by its number or a cursor. */
export const toPage = ({ page, per_page, cursor }: Omit<Page, 'position'> & { cursor?: Cursor | undefined }): Page =>
  cursor ? { page: cursor.page, per_page, position: cursor.position } : { page, per_page };

export const offsetOf = ({ page, per_page }: Page): number => (page - 1) * per_page;

export interface Listed<T> {
  items: T[];
  total: number;
  /** where the next page begins, if there is one */
  next?: Position | undefined;
}

/** The envelope of every list (interface specification, "Paginated list envelope"). */
export const listOf = <T extends z.ZodType>(item: T) =>
  z.object({
    items: z.array(item),
    total: z.int(),
    page: z.int(),
    per_page: z.int().meta({ example: DEFAULT_PER_PAGE }),
  });

export const toEnvelope = <T>({ items, total }: Listed<T>, { page, per_page }: Page) => ({
  items,
  total,
  page,
  per_page,
});
