import { z } from 'zod';

/** Where a page begins: the values of the last record before it, in the columns that the list is sorted by. */
export type Position = readonly (string | number)[];

/** What a cursor contains. */
export interface Cursor {
  /** identifies the list, with its filters and its order */
  list: string;
  /** the number of the page, if nothing is inserted or deleted meanwhile */
  page: number;
  position: Position;
}

export const encodeCursor = ({ list, page, position }: Cursor): string =>
  Buffer.from(JSON.stringify([list, page, position])).toString('base64url');

/** The parameter `cursor` of a list. @param position the values that its order has */
export function cursor<P extends Position>(position: z.ZodType<P>) {
  const content = z.tuple([z.string(), z.int().min(1), position]);
  return z
    .string()
    .transform((text, { addIssue }): Cursor => {
      const parsed = content.safeParse(parse(text));
      if (parsed.success) {
        const [list, page, at] = parsed.data;
        return { list, page, position: at };
      }
      addIssue({ code: 'custom', message: 'must be a cursor from the Link header of a page' });
      return z.NEVER;
    })
    .describe("where the next page begins, taken from the `Link` header of a page; can't be combined with `page`")
    .meta({
      example:
        'WyI5YzU2Y2M1MWIzNzRjM2JhIiwyLFsxNzk1MzM5ODAwMDAwLCIwMTlhYTlkNC00YTAwLTcwMDAtODAwMC0wMDAwMDAwMDAwMDEiXV0',
    });
}

/** The same for a list in the order of its records' numbers. */
export const numberCursor = () => cursor(z.tuple([z.int()])).optional();

function parse(text: string): unknown {
  try {
    return JSON.parse(Buffer.from(text, 'base64url').toString('utf8'));
  } catch {
    return undefined;
  }
}
