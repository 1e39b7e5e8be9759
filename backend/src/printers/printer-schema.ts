import { z } from 'zod';
import { EXAMPLE_IDS } from '../http/examples.ts';
import { listOf, pageQuery } from '../shared/pagination.ts';
import { nonBlank, text, uuid, wholeNumber } from '../shared/schemas.ts';

export const PrinterRecord = z
  .object({
    id: uuid().meta({ example: EXAMPLE_IDS.printer }),
    name: z.string().meta({ example: 'Prusa 1' }),
    internal_name: z.string().describe('the label used within the farm').meta({ example: 'P1' }),
    model: z.string().meta({ example: 'Prusa MK4S' }),
    technology: z.string().meta({ examples: ['fdm'] }),
    group_id: uuid().nullable().describe('the printer group; null for none').meta({ example: EXAMPLE_IDS.group }),
    group_name: z.string().nullable().meta({ example: 'Workshop' }),
    is_favorite: z.boolean(),
    sort_order: z.int(),
    created_at: z.iso.datetime(),
    updated_at: z.iso.datetime(),
  })
  .meta({ id: 'Printer' });
export type Printer = z.output<typeof PrinterRecord>;

const place = wholeNumber(-1_000_000, 1_000_000).describe('lower numbers come first');

const printerFields = {
  name: nonBlank(200),
  internal_name: text(200).describe('the label used within the farm'),
  model: nonBlank(200),
  technology: nonBlank(50).meta({ examples: ['fdm'] }),
  group_id: uuid().nullable().describe('the printer group; null for none'),
  is_favorite: z.boolean(),
  sort_order: place,
};

export const NewPrinter = z
  .object(printerFields)
  .partial()
  .extend({ name: printerFields.name, model: printerFields.model })
  .meta({
    id: 'NewPrinter',
    examples: [{ name: 'Prusa 2', model: 'Prusa MK4S', internal_name: 'P2', group_id: EXAMPLE_IDS.group }],
  });
export type PrinterInput = z.output<typeof NewPrinter>;

export const PrinterPatch = z
  .object(printerFields)
  .partial()
  .meta({ id: 'PrinterPatch', examples: [{ name: 'Prusa 1', is_favorite: true }] });

const groupFields = { name: nonBlank(200), sort_order: place };

export const NewPrinterGroup = z
  .object(groupFields)
  .partial()
  .extend({ name: groupFields.name })
  .meta({ id: 'NewPrinterGroup', examples: [{ name: 'Second floor' }] });
export const PrinterGroupPatch = z
  .object(groupFields)
  .partial()
  .meta({ id: 'PrinterGroupPatch', examples: [{ name: 'Workshop' }] });

/** How many can be sorted at once, so that their ids fit into a request. */
const MAX_PLACED = 2000;

const ids = z
  .array(uuid())
  .max(MAX_PLACED)
  .refine((list) => new Set(list).size === list.length, 'must contain each ID only once');

export const PrinterOrder = z
  .object({
    group_id: uuid().nullable().describe('the group to move the printers to; null for none'),
    ids: ids.describe('printer IDs in the new order'),
  })
  .meta({ id: 'PrinterOrder', examples: [{ group_id: EXAMPLE_IDS.group, ids: [EXAMPLE_IDS.printer] }] });

export const PrinterGroupOrder = z
  .object({ ids: ids.describe('printer group IDs in the new order') })
  .meta({ id: 'PrinterGroupOrder', examples: [{ ids: [EXAMPLE_IDS.group] }] });

export const PrinterList = listOf(PrinterRecord);

export const PrinterGroupRecord = z
  .object({
    id: uuid().meta({ example: EXAMPLE_IDS.group }),
    name: z.string().meta({ example: 'Workshop' }),
    sort_order: z.int(),
    printer_count: z.int(),
    created_at: z.iso.datetime(),
    updated_at: z.iso.datetime(),
  })
  .meta({ id: 'PrinterGroup' });
/** "Farm group" in the specification. */
export type PrinterGroup = z.output<typeof PrinterGroupRecord>;

export const PrinterGroupList = listOf(PrinterGroupRecord);

const PRINTER_SORTS = ['-created_at', 'created_at'] as const;
export type PrinterSort = (typeof PRINTER_SORTS)[number];

const sort = z.enum(PRINTER_SORTS).default('-created_at').describe('`-`: descending');

export const PrinterQuery = z.strictObject({
  ...pageQuery,
  group_id: uuid().optional().describe('only printers of this group').meta({ example: EXAMPLE_IDS.group }),
  sort,
});

export const PrinterGroupQuery = z.strictObject({ ...pageQuery, sort });
