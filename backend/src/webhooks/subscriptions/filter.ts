import { z } from 'zod';
import { OrderEventData } from '../../events/catalog.ts';
import { EXAMPLE_IDS } from '../../http/examples.ts';
import { DomainError } from '../../shared/errors.ts';
import { quote } from '../../shared/names.ts';
import { nonBlank, uuid } from '../../shared/schemas.ts';

const MAX_VALUES = 100;

const lists = {
  workflow_status: z
    .array(OrderEventData.shape.workflow_status)
    .min(1)
    .max(MAX_VALUES)
    .optional()
    .meta({ example: ['printing', 'print_error'] }),
  printer_id: z
    .array(uuid())
    .min(1)
    .max(MAX_VALUES)
    .optional()
    .meta({ example: [EXAMPLE_IDS.printer] }),
  material_name: z
    .array(nonBlank(200))
    .min(1)
    .max(MAX_VALUES)
    .optional()
    .describe('compared exactly')
    .meta({ example: ['PETG'] }),
};

const FIELDS = Object.keys(lists) as (keyof typeof lists)[];

export const SubscriptionFilter = z
  .object(lists)
  .refine(
    (filter) => FIELDS.some((field) => filter[field]),
    `must have at least one of ${FIELDS.join(', ')}, or be null`,
  )
  .meta({ id: 'WebhookFilter' })
  .nullable()
  .describe(
    'events that do not match are not sent and get no number: each list that is set must contain the value in `data`; events without that field pass. null: every selected event is sent',
  );
export type SubscriptionFilter = z.output<typeof SubscriptionFilter>;

export const Warnings = z
  .array(z.object({ pointer: z.string(), detail: z.string() }))
  .optional()
  .describe(
    'what was taken but may be a mistake, such as a material that nothing has; absent if there is nothing to say',
  )
  .meta({
    example: [
      {
        pointer: '/filter/material_name/0',
        detail: 'no order or filament of this account has it yet; received "PTEG"',
      },
    ],
  });
export type Warnings = z.output<typeof Warnings>;

/** The fields of an event that filters compare, as JSON. */
export const toFilteredFields = (data: object): string => JSON.stringify(data, FIELDS);

/**
 * Printers that are in the stored filter already may have been deleted since.
 * @throws DomainError validation_error naming each printer that the account doesn't have
 */
export async function checkPrinters(
  findKnown: (ids: string[]) => Promise<string[]>,
  filter: SubscriptionFilter | undefined,
  stored?: SubscriptionFilter,
): Promise<void> {
  const ids = filter?.printer_id ?? [];
  const added = ids.filter((id) => !stored?.printer_id?.includes(id));
  if (added.length === 0) return;
  const known = await findKnown(added);
  const faults = ids.flatMap((id, index) =>
    added.includes(id) && !known.includes(id)
      ? [{ pointer: `/filter/printer_id/${index}`, detail: `must be a printer of this account; received ${id}` }]
      : [],
  );
  if (faults.length === 0) return;
  throw new DomainError('validation_error', 'The filter names printers that this account does not have.', { faults });
}

/**
 * Materials are free text, so an unknown one is taken, but named.
 * @returns undefined if there is nothing to warn of
 */
export async function findUnknownMaterials(
  findKnown: (materials: string[]) => Promise<string[]>,
  filter: SubscriptionFilter | undefined,
): Promise<{ warnings: Warnings } | undefined> {
  const materials = filter?.material_name ?? [];
  if (materials.length === 0) return undefined;
  const known = await findKnown(materials);
  const warnings = materials.flatMap((material, index) =>
    known.includes(material)
      ? []
      : [
          {
            pointer: `/filter/material_name/${index}`,
            detail: `no order or filament of this account has it yet; received ${quote(material)}`,
          },
        ],
  );
  return warnings.length > 0 ? { warnings } : undefined;
}
