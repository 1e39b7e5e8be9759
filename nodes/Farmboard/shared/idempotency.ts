import { createHash, randomUUID } from 'node:crypto';
import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';
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
 * The node's memory of its writes, stored by n8n with the execution. Retry On Fail runs the node again in the same
 * execution; a retry from the list of executions starts a new one with a copy of this memory.
 */
interface NodeMemory {
  /** the first execution; keys are derived from it, so a retry uses the same ones */
  executionId: string;
  /** responses of an unfinished run, by run and item */
  settled: Record<string, Record<string, CompletedWrite>>;
  /**
   * Keys of writes with an unknown outcome, by their content. An AI agent that gets a connection error calls the tool
   * again with another run index, and the key of its first call must be found again.
   */
  unsettled: Record<string, UncertainWrite>;
}

interface UncertainWrite {
  key: string;
  /** slot of the item the key was created for */
  runIndex: number;
  slot: string;
}

interface NodeContext {
  farmboard?: NodeMemory;
}

const executionIdOf = (context: IExecuteFunctions): string => context.getExecutionId() ?? '';

/** Replacement for the context of nodes that run without a stored execution, as tools of some agents do. */
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
  // outside of n8n's engine there may be no execution ID
  node.farmboard ??= { executionId: executionIdOf(context) || randomUUID(), settled: {}, unsettled: {} };
  return node.farmboard;
}

const runIndexOf = (context: IExecuteFunctions, itemIndex: number): number =>
  context.getWorkflowDataProxy(itemIndex).$runIndex as number;

/** The nth write of an item, from 0. */
export interface Slot {
  itemIndex: number;
  nth: number;
}

/** Derives the key: equal for every attempt of a write, different for every other write. */
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

/** One item of a request that several items share. */
export interface SharedWrite {
  itemIndex: number;
  /** what is written, which a retry may have changed */
  content: unknown;
}

/** What each item of a shared request was answered; undefined for those that were refused. */
type Answers = (IDataObject | undefined)[];

/**
 * Sends one request for several items that takes effect once for each, even if it is repeated. Items that an earlier try
 * has written are not sent again.
 * @param send sends the given items with a key, and gives an answer for each
 * @returns an answer for each item
 */
export async function withSharedIdempotency(
  context: IExecuteFunctions,
  writes: SharedWrite[],
  send: (waiting: SharedWrite[], key: string) => Promise<Answers>,
): Promise<Answers> {
  const memory = readMemory(context);
  const runIndex = runIndexOf(context, 0);
  memory.settled[runIndex] ??= {};
  const settled = memory.settled[runIndex];
  const answerOf = ({ itemIndex, content }: SharedWrite): IDataObject | undefined => {
    const done = settled[`${itemIndex}/0`];
    if (!done) return undefined;
    if (done.request === hash(content) || done.executionId === executionIdOf(context)) return done.answer.body;
    throw toAlreadyWritten(context, itemIndex);
  };
  const waiting = writes.filter((write) => answerOf(write) === undefined);
  if (waiting.length > 0) {
    const first = { itemIndex: waiting[0].itemIndex, nth: 0 };
    const key = `${toKey(context, memory, runIndex, first)}-${hash(waiting).slice(0, 16)}`;
    const answers = await send(waiting, key);
    for (const [i, { itemIndex, content }] of waiting.entries()) {
      const body = answers[i];
      if (body === undefined) continue;
      const answer = { status: 200, headers: {}, body };
      settled[`${itemIndex}/0`] = { request: hash(content), executionId: executionIdOf(context), answer };
    }
  }
  return writes.map(answerOf);
}

/**
 * Sends a write that takes effect once, even if it is repeated by the transport, Retry On Fail, a retry from the list
 * of executions or an agent.
 * @param ownKey the user's own key, which also holds across executions
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
    // the node can't be edited within an execution: differences come from expressions such as $now
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
      // an earlier attempt deleted it and its response was lost
      if (request.method === 'DELETE' && isNotFound(error) && memory.unsettled[write]) return NO_CONTENT;
      if (!ownKey && isCode(error, 'idempotency_conflict')) throw toAlreadyWritten(context, itemIndex);
      if (isOutcomeUnknown(error)) memory.unsettled[write] = lost ?? { key, runIndex, slot: ownSlot };
      throw error;
    })
    .then((answer) => {
      delete memory.unsettled[write];
      // an equal item of this run took over the key and wrote for this one; on a retry it still has to write
      answersOfRun[lost?.runIndex === runIndex ? lost.slot : ownSlot] = {
        request: write,
        executionId: executionIdOf(context),
        answer: { ...answer, headers: keptHeaders(answer) },
      };
      return answer;
    });
}

const OUTPUT_HEADERS = ['x-svc-already-deducted', 'x-svc-older-than-stocktake', 'x-svc-stale'];

/** The headers that operations output; the others aren't stored with the execution. */
function keptHeaders({ headers }: FarmboardAnswer): FarmboardAnswer['headers'] {
  return Object.fromEntries(OUTPUT_HEADERS.flatMap((name) => (name in headers ? [[name, headers[name]]] : [])));
}

/** The run succeeded and won't be retried, so its responses aren't needed anymore. */
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
