import type { IDataObject, IHookFunctions, IWebhookFunctions } from 'n8n-workflow';
import { toFieldError } from '../shared/errors';
import { type Fault, readFilter, readStatuses } from '../shared/list';
import { getRecords } from '../shared/paging';
import { findRecordId } from '../shared/record-id';
import type { Envelope } from './signature';

type Context = Pick<IHookFunctions | IWebhookFunctions, 'getNodeParameter' | 'getNode'>;

const PRINTERS = 'Printer Names or IDs';
const PRINTERS_REMEDY =
  'Choose the printers from the list, or return their IDs (UUIDs). If the value comes from an expression, check what it returns.';

/** Which events start the workflow; an empty list matches all. */
export interface Filters {
  statuses: string[];
  printerIds: string[];
  materials: string[];
}

const faultOf =
  (context: Context): Fault =>
  (field, what, remedy) =>
    toFieldError(context.getNode(), field, what, remedy);

/** @throws NodeOperationError for an unknown status or a malformed ID, which no event would ever match */
export function readFilters(context: Context): Filters {
  const filters = context.getNodeParameter('filters', {}) as Record<string, unknown>;
  const fault = faultOf(context);
  return {
    statuses: readStatuses(fault, 'Workflow Statuses', filters, 'workflowStatus'),
    printerIds: readFilter(fault, PRINTERS, filters, 'printerIds').map((printer) => {
      const id = findRecordId(printer, 'printer');
      if (id === undefined) throw fault(PRINTERS, `${JSON.stringify(printer)} is not an ID`, PRINTERS_REMEDY);
      return id;
    }),
    materials: readFilter(fault, 'Materials', filters, 'materialNames'),
  };
}

/** The printers of the filter that exist. */
export async function findPrinters(context: IHookFunctions, { printerIds }: Filters, limits: object) {
  if (printerIds.length === 0) return [];
  const known = new Set((await getRecords(context, { ...limits, path: '/printers' })).map(({ id }) => String(id)));
  return printerIds.filter((id) => known.has(id));
}

/** @throws NodeOperationError if one of the printers doesn't exist */
export function checkPrinters(context: IHookFunctions, { printerIds }: Filters, known: string[]): void {
  const unknown = printerIds.find((id) => !known.includes(id));
  if (unknown === undefined) return;
  throw faultOf(context)(PRINTERS, `there is no printer with the ID ${unknown}`, PRINTERS_REMEDY);
}

/**
 * The filter for the subscription, so that Farmboard doesn't send what would be ignored here; null: every event.
 * @param printerIds those that exist: Farmboard refuses others, and if none is left, only the trigger filters by printer
 */
export function toSubscriptionFilter({ statuses, materials }: Filters, printerIds: string[]): IDataObject | null {
  const lists = { workflow_status: statuses, printer_id: printerIds, material_name: materials };
  const set = Object.entries(lists).filter(([, values]) => values.length > 0);
  return set.length === 0 ? null : Object.fromEntries(set.map(([name, values]) => [name, [...values].sort()]));
}

/** A filter applies to the events that have its field. */
export function passesFilters({ statuses, printerIds, materials }: Filters, { event, data }: Envelope): boolean {
  const isOrder = event.startsWith('order.');
  const hasPrinter = isOrder || event.startsWith('printer.');
  return (
    matches(statuses, data.workflow_status, isOrder) &&
    matches(printerIds, data.printer_id, hasPrinter) &&
    matches(materials, data.material_name, isOrder)
  );
}

const matches = (wanted: string[], value: unknown, applies: boolean): boolean =>
  !applies || wanted.length === 0 || wanted.includes(String(value));
