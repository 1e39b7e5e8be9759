import type { IDataObject, IWebhookFunctions, IWebhookResponseData } from 'n8n-workflow';
import { farmboardRequest, path } from '../shared/transport';
import { passesFilters, readFilters } from './filters';
import { isFirst } from './repeats';
import { DELIVERY_HEADER, type Envelope, SEQUENCE_HEADER, verify } from './signature';
import { readEvents, readSecret } from './subscription';

const TEST_EVENT = 'webhook.test';
/** A delivery may start up to an hour after its event; five minutes allow for clock differences. */
export const DEFAULT_MAX_AGE_SECONDS = 3_900;
/** Must fit into the 10 seconds Farmboard waits for a response. */
const FETCH_DEADLINE_MS = 5_000;

interface Options {
  fetchRecord?: boolean;
  includeHeaders?: boolean;
  maxAgeSeconds?: number;
  runOnTest?: boolean;
  skipRepeated?: boolean;
}

/** Responds with 200 without a run. */
const IGNORED: IWebhookResponseData = { webhookResponse: '' };

/**
 * Handles a request to the trigger. Only requests signed with this trigger's secret start the workflow; all others get
 * a 401 without a reason and leave no failed run.
 */
export async function receive(this: IWebhookFunctions): Promise<IWebhookResponseData> {
  const options = this.getNodeParameter('options', {}) as Options;
  const headers = this.getHeaderData() as IDataObject;
  const { rawBody } = this.getRequestObject() as unknown as { rawBody?: unknown };
  const secret = readSecret(this.getWorkflowStaticData('node'));
  const maxAge = readMaxAge(options.maxAgeSeconds);

  const verified = verify(rawBody, headers, secret, maxAge, Date.now());
  if (typeof verified === 'string') {
    this.logger.warn(`Farmboard Trigger: a request was refused because ${verified}`, {
      workflowId: this.getWorkflow().id,
      nodeName: this.getNode().name,
    });
    this.getResponseObject().status(401).end();
    return { noWebhookResponse: true };
  }

  const { envelope, delivery } = verified;
  if (!isWanted(this, envelope, options)) return IGNORED;
  // an event that is resent is another delivery and runs again on purpose
  if (options.skipRepeated !== false && !isFirst(toTriggerKey(this), delivery)) return IGNORED;

  const output: IDataObject = {
    event: envelope.event,
    occurred_at: envelope.occurred_at,
    data: envelope.data as IDataObject,
    delivery_id: headers[DELIVERY_HEADER] ?? null,
    sequence: toNumber(headers[SEQUENCE_HEADER]),
  };
  if (envelope.sample) output.sample = true;
  if (options.fetchRecord) Object.assign(output, await fetchRecord(this, envelope));
  if (options.includeHeaders) output.headers = headers;
  return { workflowData: [[{ json: output }]] };
}

/** Falls back to the default: an empty expression result must not disable the check. */
function readMaxAge(value: unknown): number {
  const seconds = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  return typeof seconds === 'number' && Number.isFinite(seconds) && seconds >= 0 ? seconds : DEFAULT_MAX_AGE_SECONDS;
}

const toNumber = (value: unknown): number | null => (/^\d+$/.test(String(value)) ? Number(value) : null);

const toTriggerKey = (context: IWebhookFunctions): string =>
  `${context.getMode()}/${context.getWorkflow().id}/${context.getNode().id}`;

function isWanted(context: IWebhookFunctions, envelope: Envelope, options: Options): boolean {
  const { event, sample } = envelope;
  const isManual = context.getMode() === 'manual';
  // it was chosen by the same events and filters
  if (sample) return isManual;
  // in the editor a test event should be visible; in production it is acknowledged without a run
  if (event === TEST_EVENT) return isManual || options.runOnTest === true;
  if (!readEvents(context).includes(event)) return false;
  return passesFilters(readFilters(context), envelope);
}

/** Path of the record an event is about. */
function toRecordPath({ event, data }: Envelope): string | undefined {
  if (event.startsWith('order.')) return path`/print-jobs/${String(data.id)}`;
  if (event.startsWith('printer.')) return path`/printers/${String(data.printer_id)}`;
  if (event.startsWith('filament.')) return path`/filaments/${String(data.filament_id)}`;
  if (event.startsWith('lead.')) return path`/leads/${String(data.lead_id)}`;
  if (event.startsWith('invoice.')) return path`/invoices/${String(data.document_id)}`;
  return undefined;
}

/** Reads the current record. If that fails, the output says why and the event isn't lost. */
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
