import { createHash, randomUUID } from 'node:crypto';
import type { IExecuteFunctions } from 'n8n-workflow';
import { dropOldest } from './bounded';
import { isNotFound, isOutcomeUnknown, toFieldError } from './errors';
import { type FarmboardAnswer, type FarmboardRequest, farmboardRequest, isHeaderValue, NO_CONTENT } from './transport';

const hash = (...parts: unknown[]): string => createHash('sha256').update(JSON.stringify(parts)).digest('hex');

/**
 * Keys of writes whose outcome is not known, by what was to be written in which execution.
 *
 * As a tool of an AI agent the node gets another run index with each try, and an agent that is told of a lost connection
 * calls again by itself: the key of the first try must be found again, or the grams are deducted twice.
 */
const unsettled = new Map<string, string>();
/**
 * Answers to writes that the service would refuse when Retry On Fail sends them again because of a later item: a record
 * that was deleted is gone, and the version that a change was meant for too.
 */
const settled = new Map<string, FarmboardAnswer>();
const MOST_REMEMBERED = 1000;

function remember<T>(memory: Map<string, T>, name: string, value: T): void {
  memory.delete(name);
  memory.set(name, value);
  dropOldest(memory, MOST_REMEMBERED);
}

const isOnceOnly = ({ method, headers = {} }: FarmboardRequest): boolean =>
  method === 'DELETE' || headers['If-Match'] !== undefined;

/** Who writes: the same in every try of Retry On Fail, another in the next execution or the next round of a loop. */
function toKey(context: IExecuteFunctions, itemIndex: number): string {
  const executionId = context.getExecutionId();
  // outside n8n's own engine there may be no execution to be the same in
  if (!executionId) return randomUUID();
  const { $runIndex } = context.getWorkflowDataProxy(itemIndex);
  const node = context.getNode();
  return `n8n-${hash(context.getInstanceId(), context.getWorkflow().id, executionId, node.id, $runIndex, itemIndex)}`;
}

/**
 * Sends a write so that however often it is repeated — here, by Retry On Fail, by an agent — it takes effect once.
 *
 * @param ownKey the user's own key, which holds over executions as well
 */
export async function writeOnce(
  context: IExecuteFunctions,
  itemIndex: number,
  request: FarmboardRequest,
  ownKey?: string,
): Promise<FarmboardAnswer> {
  const write = hash(
    context.getInstanceId(),
    context.getExecutionId(),
    context.getNode().id,
    request.method,
    request.path,
    request.body,
  );
  const key = ownKey || unsettled.get(write) || toKey(context, itemIndex);
  if (!isHeaderValue(key)) {
    const way = 'Use letters, digits and signs of the English keyboard, at most 128.';
    throw toFieldError(context.getNode(), 'Idempotency Key', `"${key}" cannot be sent`, way, itemIndex);
  }
  const thisOne = hash(write, key);
  const done = settled.get(thisOne);
  if (done) return done;

  const headers = { ...request.headers, 'Idempotency-Key': key };
  return await farmboardRequest(context, { ...request, headers, itemIndex })
    .catch((error) => {
      // deleted by a try whose answer was lost
      if (request.method === 'DELETE' && isNotFound(error) && unsettled.has(write)) return NO_CONTENT;
      if (isOutcomeUnknown(error)) remember(unsettled, write, key);
      throw error;
    })
    .then((answer) => {
      unsettled.delete(write);
      if (isOnceOnly(request)) remember(settled, thisOne, answer);
      return answer;
    });
}
