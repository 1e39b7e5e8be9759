import type { IDataObject, IWebhookFunctions, IWebhookResponseData } from 'n8n-workflow';
import { farmboardRequest, path } from '../shared/transport';
import { toStatus } from '../shared/vocabulary';
import { isFirst } from './repeats';
import { DELIVERY_HEADER, type Envelope, SEQUENCE_HEADER, SIGNATURE_HEADER, verify } from './signature';
import { readEvents, readSecret } from './subscription';

const TEST_EVENT = 'webhook.test';
/** Farmboard may start a delivery up to an hour after the event; five minutes are for clocks that differ. */
export const DEFAULT_MAX_AGE_SECONDS = 3_900;
/** Farmboard waits 10 seconds for an answer to an event. */
const FETCH_DEADLINE_MS = 5_000;

interface Options {
  fetchRecord?: boolean;
  includeHeaders?: boolean;
  maxAgeSeconds?: number;
  runOnTest?: boolean;
  skipRepeated?: boolean;
}

interface Filters {
  printerIds?: unknown;
  workflowStatus?: unknown;
}

/** Answered with 200, no run. */
const IGNORED: IWebhookResponseData = { webhookResponse: '' };

/**
 * One request to the trigger. Only what Farmboard signed with this trigger's secret starts the workflow; everything else
 * is answered with 401 and no reason, and leaves no failed run behind.
 */
export async function receive(this: IWebhookFunctions): Promise<IWebhookResponseData> {
  const options = this.getNodeParameter('options', {}) as Options;
  const headers = this.getHeaderData() as IDataObject;
  const { rawBody } = this.getRequestObject() as unknown as { rawBody?: unknown };
  const secret = readSecret(this.getWorkflowStaticData('node'));
  const maxAge = readMaxAge(options.maxAgeSeconds);

  const verified = verify(rawBody, headers[SIGNATURE_HEADER], secret, maxAge, Date.now());
  if (typeof verified === 'string') {
    this.logger.warn(`Farmboard Trigger: a request was refused because ${verified}`, {
      workflowId: this.getWorkflow().id,
      nodeName: this.getNode().name,
    });
    this.getResponseObject().status(401).end();
    return { noWebhookResponse: true };
  }

  const { envelope, signature } = verified;
  if (!passesFilters(this, envelope, options)) return IGNORED;
  // a person who sends an event again means it: it comes with another delivery ID, and runs
  const delivery = `${String(headers[DELIVERY_HEADER] ?? '')}/${signature}`;
  if (options.skipRepeated !== false && !isFirst(toTriggerKey(this), delivery)) return IGNORED;

  const output: IDataObject = {
    event: envelope.event,
    occurred_at: envelope.occurred_at,
    data: envelope.data as IDataObject,
    delivery_id: headers[DELIVERY_HEADER] ?? null,
    sequence: toNumber(headers[SEQUENCE_HEADER]),
  };
  if (options.fetchRecord) Object.assign(output, await fetchRecord(this, envelope));
  if (options.includeHeaders) output.headers = headers;
  return { workflowData: [[{ json: output }]] };
}

/** The default where nothing usable is set: an expression that gives nothing must not switch the check off. */
function readMaxAge(value: unknown): number {
  const seconds = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  return typeof seconds === 'number' && Number.isFinite(seconds) && seconds >= 0 ? seconds : DEFAULT_MAX_AGE_SECONDS;
}

const toNumber = (value: unknown): number | null => (/^\d+$/.test(String(value)) ? Number(value) : null);

const toTriggerKey = (context: IWebhookFunctions): string =>
  `${context.getMode()}/${context.getWorkflow().id}/${context.getNode().id}`;

function passesFilters(context: IWebhookFunctions, { event, data }: Envelope, options: Options): boolean {
  // whoever listens in the editor wants to see something come; in production a test is answered and not run
  if (event === TEST_EVENT) return context.getMode() === 'manual' || options.runOnTest === true;
  if (!readEvents(context).includes(event)) return false;

  const filters = context.getNodeParameter('filters', {}) as Filters;
  return (
    matchesFilter(
      [filters.workflowStatus ?? []].flat().map(toStatus),
      data.workflow_status,
      event.startsWith('order.'),
    ) && matchesFilter(filters.printerIds, data.printer_id, event.startsWith('order.') || event.startsWith('printer.'))
  );
}

/** A filter holds for the events that have its field; an empty one lets everything through. */
function matchesFilter(wanted: unknown, value: unknown, applies: boolean): boolean {
  // an expression may give one value instead of a list
  const values = [wanted ?? []].flat().filter((one) => one !== '');
  return !applies || values.length === 0 || values.map(String).includes(String(value));
}

/** What an event is about: where its whole record is read. */
function toRecordPath({ event, data }: Envelope): string | undefined {
  if (event.startsWith('order.')) return path`/print-jobs/${String(data.id)}`;
  if (event.startsWith('printer.')) return path`/printers/${String(data.printer_id)}`;
  if (event.startsWith('filament.')) return path`/filaments/${String(data.filament_id)}`;
  if (event.startsWith('lead.')) return path`/leads/${String(data.lead_id)}`;
  if (event.startsWith('invoice.')) return path`/invoices/${String(data.document_id)}`;
  return undefined;
}

/** The record as it is now. An event is never lost over it: where it cannot be read, the output says why. */
async function fetchRecord(context: IWebhookFunctions, envelope: Envelope): Promise<IDataObject> {
  try {
    const where = toRecordPath(envelope);
    if (where === undefined) return { record: null };
    const request = { method: 'GET' as const, path: where, maxAttempts: 1, deadlineMs: FETCH_DEADLINE_MS };
    return { record: (await farmboardRequest(context, request)).body };
  } catch (error) {
    return { record: null, record_error: (error as Error).message };
  }
}
