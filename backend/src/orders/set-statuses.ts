import { toItemProblem } from '../http/problem.ts';
import { DomainError } from '../shared/errors.ts';
import type { StoredOrder } from './order.ts';
import type { StatusChange, StatusResult } from './order-schema.ts';

type Patch = Omit<StatusChange, 'ids'>;
type Update = (id: string, patch: Patch) => Promise<StoredOrder>;

async function setStatus(id: string, patch: Patch, update: Update) {
  try {
    const { order } = await update(id, patch);
    return { id, status: 200, workflow_status: order.workflow_status };
  } catch (error) {
    // an order is refused before anything of it is written; other errors undo all
    if (!(error instanceof DomainError)) throw error;
    const problem = toItemProblem(error);
    return { id, status: problem.status, error: problem };
  }
}

/** The results of one request as they are stored: each outcome once, because most are alike. */
export interface StoredResults {
  outcomes: Omit<StatusResult, 'id'>[];
  /** for each order in the request, which of them */
  of: number[];
}

/** @returns undefined if every order was refused, so that nothing was written */
export function toStoredResults(results: readonly StatusResult[]): StoredResults | undefined {
  if (results.every(({ error }) => error !== undefined)) return undefined;
  const texts = results.map(({ id: _id, ...outcome }) => JSON.stringify(outcome));
  const distinct = [...new Set(texts)];
  return {
    outcomes: distinct.map((text) => JSON.parse(text) as Omit<StatusResult, 'id'>),
    of: texts.map((text) => distinct.indexOf(text)),
  };
}

/** @param ids of the same request */
export const fromStoredResults = (ids: readonly string[], { outcomes, of }: StoredResults): StatusResult[] =>
  of.map((outcome, index) => ({ id: ids[index], ...outcomes[outcome] }) as StatusResult);

/**
 * Sets the status of several orders, each as if it were sent alone. They are locked in the order of their ids, so that
 * two requests don't wait for each other.
 */
export async function setStatuses({ ids, ...patch }: StatusChange, update: Update): Promise<StatusResult[]> {
  const results = new Map<string, StatusResult>();
  for (const id of [...new Set(ids)].sort()) results.set(id, await setStatus(id, patch, update));
  return ids.map((id) => results.get(id) as StatusResult);
}
