import { createHash, randomUUID } from 'node:crypto';
import type { IExecuteFunctions } from 'n8n-workflow';
import { NodeOperationError } from 'n8n-workflow';
import { dropOldest } from './bounded';
import { isCode, isNotFound, isOutcomeUnknown, toFieldError } from './errors';
import { type FarmboardAnswer, type FarmboardRequest, farmboardRequest, isHeaderValue, NO_CONTENT } from './transport';

const hash = (...parts: unknown[]): string => createHash('sha256').update(JSON.stringify(parts)).digest('hex');

interface CompletedWrite {
  request: string;
  executionId: string;
  answer: FarmboardAnswer;
}

/**
 * What the node remembers of its writes, kept by n8n with the execution. Retry On Fail runs the node again in the same
 * execution; Retry in the list of executions starts another one, which gets this memory from the first.
 */
interface NodeMemory {
  /** the execution that wrote first: keys are made from it, so that a retry has the same ones */
  executionId: string;
  /** answers to the writes of a run that has not ended well yet, by run and then by item */
  settled: Record<string, Record<string, CompletedWrite>>;
  /**
   * Keys of writes whose outcome is unknown, by what was to be written. An AI agent that hears of a lost connection calls
   * the tool again, with another run index: the key of the first call must be found again.
   */
  unsettled: Record<string, UncertainWrite>;
}

interface UncertainWrite {
  key: string;
  /** of the item that the key was made for */
  runIndex: number;
  slot: string;
}

interface NodeContext {
  farmboard?: NodeMemory;
}

const executionIdOf = (context: IExecuteFunctions): string => context.getExecutionId() ?? '';

/** Stands in for the context of nodes that n8n runs outside of a stored execution, as some agents run their tools. */
const withoutContext = new Map<string, NodeContext>();
const MAX_WITHOUT_CONTEXT = 100;

function contextOf(context: IExecuteFunctions): NodeContext {
  try {
    return context.getContext('node') as NodeContext;
  } catch {
    const executionId = executionIdOf(context);
    const name = `${executionId}/${context.getNode().id}`;
    const node = (executionId && withoutContext.get(name)) || {};
    withoutContext.delete(name);
    withoutContext.set(name, node);
    dropOldest(withoutContext, MAX_WITHOUT_CONTEXT);
    return node;
  }
}

function readMemory(context: IExecuteFunctions): NodeMemory {
  const node = contextOf(context);
  // outside n8n's own engine there may be no execution id
  node.farmboard ??= { executionId: executionIdOf(context) || randomUUID(), settled: {}, unsettled: {} };
  return node.farmboard;
}

const runIndexOf = (context: IExecuteFunctions, itemIndex: number): number =>
  context.getWorkflowDataProxy(itemIndex).$runIndex as number;

/** The `nth` write of an item, counted from 0. */
export interface Slot {
  itemIndex: number;
  nth: number;
}

/** The same in every try of one write, another for every other write. */
function toKey(
  context: IExecuteFunctions,
  { executionId }: NodeMemory,
  runIndex: number,
  { itemIndex, nth }: Slot,
): string {
  const node = context.getNode();
  const parts = [context.getInstanceId(), context.getWorkflow().id, executionId, node.id, runIndex, itemIndex, nth];
  return `n8n-${hash(...parts)}`;
}

/**
 * Sends a write so that however often it is repeated (by the transport, Retry On Fail, Retry in the list of executions or
 * an agent) it takes effect once.
 *
 * @param ownKey the user's own key, which holds over executions as well
 */
export async function withIdempotency(
  context: IExecuteFunctions,
  slot: Slot,
  request: FarmboardRequest,
  ownKey?: string,
): Promise<FarmboardAnswer> {
  const memory = readMemory(context);
  const { itemIndex, nth } = slot;
  const runIndex = runIndexOf(context, itemIndex);
  const write = hash(request.method, request.path, request.body, request.headers?.['If-Match']);

  memory.settled[runIndex] ??= {};
  const answersOfRun = memory.settled[runIndex];
  const ownSlot = `${itemIndex}/${nth}`;
  const done = answersOfRun[ownSlot];
  if (done) {
    // within one execution nobody can have edited the node: what differs then is an expression such as $now
    if (done.request === write || done.executionId === executionIdOf(context)) return done.answer;
    throw toAlreadyWritten(context, itemIndex);
  }

  const lost = ownKey ? undefined : memory.unsettled[write];
  const key = ownKey || lost?.key || toKey(context, memory, runIndex, slot);
  if (!isHeaderValue(key)) {
    const remedy = 'Use up to 128 ASCII letters, digits and punctuation marks.';
    throw toFieldError(context.getNode(), 'Idempotency Key', `"${key}" cannot be sent`, remedy, itemIndex);
  }
  const headers = { ...request.headers, 'Idempotency-Key': key };
  return await farmboardRequest(context, { ...request, headers, itemIndex })
    .catch((error) => {
      // an earlier try deleted it, and its answer was lost
      if (request.method === 'DELETE' && isNotFound(error) && memory.unsettled[write]) return NO_CONTENT;
      if (!ownKey && isCode(error, 'idempotency_conflict')) throw toAlreadyWritten(context, itemIndex);
      if (isOutcomeUnknown(error)) memory.unsettled[write] = lost ?? { key, runIndex, slot: ownSlot };
      throw error;
    })
    .then((answer) => {
      delete memory.unsettled[write];
      // an equal item of this run that took the key over wrote for the other: when both are tried again, it has yet to write
      answersOfRun[lost?.runIndex === runIndex ? lost.slot : ownSlot] = {
        request: write,
        executionId: executionIdOf(context),
        answer: { ...answer, headers: {} },
      };
      return answer;
    });
}

/** The run has ended well and will not be tried again: its answers need not be stored with the execution. */
export function forgetRun(context: IExecuteFunctions): void {
  const { farmboard } = contextOf(context);
  if (farmboard) delete farmboard.settled[runIndexOf(context, 0)];
}

const toAlreadyWritten = (context: IExecuteFunctions, itemIndex: number) =>
  new NodeOperationError(context.getNode(), 'This item was already written; start a new execution', {
    description:
      'The item was changed after its first write, and a retry never writes an item twice. Nothing was written this time. To write the new values, run the workflow again instead of retrying.',
    itemIndex,
  });
