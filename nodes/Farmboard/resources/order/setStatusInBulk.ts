import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';
import { collection, fieldsOf } from '../../shared/descriptions';
import { type Problem, toApiError, toErrorOf } from '../../shared/errors';
import { type SharedWrite, withSharedIdempotency } from '../../shared/idempotency';
import { orderLocator } from '../../shared/locators';
import type { Item, Operation, TogetherResult } from '../../shared/operation';
import { farmboardRequest, path, readBaseUrl } from '../../shared/transport';
import { STATUS_NAMES, toStatus } from '../../shared/vocabulary';
import { PRINTER, toOrderBody, WORKFLOW_STATUS } from './fields';

/** The limit of the API. */
const MAX_ORDERS = 100;

interface Change extends SharedWrite {
  content: { id: string; change: IDataObject };
}

export const setStatusInBulk: Operation = {
  fields: fieldsOf(
    'order',
    ['setStatusInBulk'],
    [
      orderLocator,
      {
        ...WORKFLOW_STATUS,
        required: true,
        description:
          'The status to set. All items with the same status and printer are sent in one request, up to 100 at a time.',
      },
      collection('options', 'Options', 'Add option', [PRINTER]),
    ],
  ),
  async run(item) {
    throw item.fault('Operation', 'it runs for all items together', 'Choose the operation again in the node.');
  },
  async runTogether(context, items, stopsAtErrors) {
    const results = new Map<number, TogetherResult>();
    const changes = items.flatMap((item, itemIndex) => {
      try {
        return [{ itemIndex, content: readChange(item) }];
      } catch (error) {
        results.set(itemIndex, error as Error);
        return [];
      }
    });
    const [invalid] = results.values();
    if (invalid instanceof Error && stopsAtErrors) throw invalid;
    for (const group of toGroups(changes)) {
      const answers = await sendGroup(context, group, results).catch((error) =>
        group.map(({ itemIndex }) => toErrorOf(context.getNode(), error, itemIndex)),
      );
      for (const [i, { itemIndex }] of group.entries()) {
        const answer = answers[i];
        if (answer !== undefined) results.set(itemIndex, answer);
      }
    }
    return items.map((_, itemIndex) => results.get(itemIndex) as TogetherResult);
  },
};

function readChange(item: Item): Change['content'] {
  const id = item.id('orderId', 'order', 'Order');
  const status = toStatus(item.text('workflowStatus', 'Workflow Status'));
  if (!STATUS_NAMES.has(status)) {
    const remedy = `Use one of: ${[...STATUS_NAMES.keys()].join(', ')}.`;
    throw item.fault('Workflow Status', `${JSON.stringify(status)} is not a workflow status`, remedy);
  }
  const { printerId } = item.options('options');
  const printer = printerId === undefined ? {} : toOrderBody(item, { printerId });
  return { id, change: { workflow_status: status, ...printer } };
}

/** Items with the same change, in parts that the API takes. */
function toGroups(changes: Change[]): Change[][] {
  const byChange = new Map<string, Change[]>();
  for (const one of changes) {
    const key = JSON.stringify(one.content.change);
    byChange.set(key, [...(byChange.get(key) ?? []), one]);
  }
  return [...byChange.values()].flatMap((same) =>
    Array.from({ length: Math.ceil(same.length / MAX_ORDERS) }, (_, i) =>
      same.slice(i * MAX_ORDERS, (i + 1) * MAX_ORDERS),
    ),
  );
}

/** @param refusals gets the errors of single orders */
async function sendGroup(context: IExecuteFunctions, group: Change[], refusals: Map<number, TogetherResult>) {
  const baseUrl = await readBaseUrl(context);
  return await withSharedIdempotency(context, group, async (waiting, key) => {
    const sent = waiting as Change[];
    const body = { ids: sent.map(({ content }) => content.id), ...sent[0].content.change };
    const headers = { 'Idempotency-Key': key };
    const request = {
      method: 'POST' as const,
      path: '/print-jobs/status',
      body,
      headers,
      itemIndex: sent[0].itemIndex,
    };
    const { results } = (await farmboardRequest(context, request)).body as { results: IDataObject[] };
    return sent.map(({ itemIndex, content }, i) => {
      const { status, workflow_status, error } = results[i];
      if (status === 200) return { id: content.id, workflow_status };
      const of = { method: 'PUT', path: path`/print-jobs/${content.id}`, body: content.change };
      const details = { baseUrl, request: of, itemIndex };
      refusals.set(itemIndex, toApiError(context.getNode(), Number(status), error as Problem, details));
      return undefined;
    });
  });
}
