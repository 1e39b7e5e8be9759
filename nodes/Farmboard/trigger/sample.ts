import type { IDataObject, IHookFunctions } from 'n8n-workflow';
import { getRecords, MAX_PAGE_SIZE } from '../shared/paging';
import { pause } from '../shared/pause';
import { passesFilters, readFilters } from './filters';
import EXAMPLES from './samples.json';
import { type Envelope, signatureHeaders } from './signature';

/** n8n opens the test URL soon after `create`; the editor has to hear first that it is waiting. */
const PAUSE_MS = 500;
const ATTEMPTS = 10;
const TIMEOUT_MS = 5_000;

/**
 * Answers Execute Step with a sample. n8n never asks a webhook trigger for data: its `needsWebhook` opens the test URL
 * and waits for a request, before any `manualTriggerFunction` could run. So the node sends that request itself. n8n
 * takes it only after `create`, which therefore must not wait for this. If it fails, n8n waits on for a real event.
 */
export async function sendSample(context: IHookFunctions, url: string, secret: string, sample: Envelope) {
  const body = JSON.stringify({ ...sample, sample: true });
  const signature = signatureHeaders(secret, Buffer.from(body), 'sample', Date.now());
  const headers = { 'Content-Type': 'application/json', ...signature };
  for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
    await pause(context, PAUSE_MS);
    const { statusCode } = (await context.helpers.httpRequest({
      method: 'POST',
      url,
      body,
      headers,
      timeout: TIMEOUT_MS,
      returnFullResponse: true,
      ignoreHttpStatusErrors: true,
      disableFollowRedirect: true,
    })) as { statusCode: number };
    // before: 404, then 401 while n8n has not stored the secret yet
    if (statusCode === 200) return;
  }
}

/** The last event of the account that would start the workflow, or the documented example of one. */
export async function readSample(context: IHookFunctions, events: string[]): Promise<Envelope | undefined> {
  const last = await readLast(context, events).catch((error: Error) => {
    context.logger.debug(`Farmboard Trigger: the last event could not be read: ${error.message}`);
    return undefined;
  });
  return last ?? (EXAMPLES as Record<string, Envelope | undefined>)[events[0]];
}

async function readLast(context: IHookFunctions, events: string[]): Promise<Envelope | undefined> {
  const filters = readFilters(context);
  const isFiltered = Object.values(filters).some((values: string[]) => values.length > 0);
  const limit = isFiltered ? MAX_PAGE_SIZE : 1;
  const lists = await Promise.all(
    events.map((event) =>
      getRecords(context, { path: '/events', query: { event }, maxAttempts: 1, deadlineMs: TIMEOUT_MS }, limit),
    ),
  );
  return lists
    .flat()
    .map(toEnvelope)
    .filter((envelope) => passesFilters(filters, envelope))
    .sort((a, b) => Date.parse(b.occurred_at) - Date.parse(a.occurred_at))[0];
}

const toEnvelope = ({ event, occurred_at, data }: IDataObject): Envelope => ({
  event: String(event),
  occurred_at: String(occurred_at),
  data: data as IDataObject,
});
