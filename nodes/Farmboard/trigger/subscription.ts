import { createHash, randomUUID } from 'node:crypto';
import type { IDataObject, IHookFunctions } from 'n8n-workflow';
import { NodeOperationError } from 'n8n-workflow';
import { isNotFound } from '../shared/errors';
import { toList } from '../shared/list';
import { getRecords } from '../shared/paging';
import { type FarmboardRequest, farmboardRequest, path, readBaseUrl } from '../shared/transport';
import { EVENT_NAMES, OWN_SUBSCRIPTION, toSubscriptionName, toWorkflowKey } from '../shared/vocabulary';
import { checkPrinters, findPrinters, readFilters, toSubscriptionFilter } from './filters';
import { assertReachable } from './reachable';
import { readSample, sendSample } from './sample';

/** The trigger's memory of its subscription, stored by n8n with the workflow. */
interface TriggerMemory extends IDataObject {
  subscriptionId?: string;
  secret?: string;
  /** the workflow it belongs to: a copy made by export must not take over the subscription */
  owner?: string;
}

/** Publishing and unpublishing wait for these requests, and n8n retries on its own. */
const LIMITS = { deadlineMs: 10_000, maxAttempts: 2, maxPauseMs: 5_000 };

const ALL_EVENTS = '*';

/** The chosen events. @throws NodeOperationError if there are none */
export function readEvents(context: Pick<IHookFunctions, 'getNodeParameter' | 'getNode'>): string[] {
  const chosen = toList(context.getNodeParameter('events', []));
  if (chosen.length === 0) {
    throw new NodeOperationError(context.getNode(), 'Trigger On: no event is selected', {
      description: 'Select at least one event that starts the workflow.',
    });
  }
  return [...new Set(chosen.includes(ALL_EVENTS) ? EVENT_NAMES : chosen)].sort();
}

const isTest = (context: IHookFunctions): boolean => context.getMode() === 'manual';

const toOwner = (context: IHookFunctions): string => `${context.getInstanceId()}/${context.getWorkflow().id}`;

const MAX_CLIENT_KEY = 200;

/**
 * Identifies the subscription of this trigger, whatever the names of workflow and node. Farmboard continues a deleted
 * subscription with the same key. The subscription of a test isn't continued.
 */
function toClientKey(context: IHookFunctions): string | undefined {
  const { id } = context.getNode();
  if (isTest(context) || !id) return undefined;
  const key = `${toWorkflowKey(context)}${id}`;
  if (key.length <= MAX_CLIENT_KEY) return key;
  return `${toWorkflowKey(context)}${createHash('sha256').update(id).digest('hex')}`;
}

/** This trigger's memory; empty if it belongs to another workflow. */
function readMemory(context: IHookFunctions): TriggerMemory {
  const memory = context.getWorkflowStaticData('node') as TriggerMemory;
  if (memory.owner !== undefined && memory.owner !== toOwner(context)) forget(memory);
  return memory;
}

/** `n8n: Workflow / Node`, so that the subscription's owner is visible in Farmboard. */
function toName(context: IHookFunctions): string {
  const suffix = isTest(context) ? ' (test)' : '';
  return toSubscriptionName(context.getWorkflow().name ?? 'workflow', context.getNode().name, suffix);
}

/** n8n starts, or another of its processes takes over. */
const WITHOUT_PUBLISH = ['init', 'leadershipChange'];

interface DesiredSubscription extends IDataObject {
  url: string;
  events: string[];
  name: string;
  enabled: true;
  /** null: every event */
  filter: IDataObject | null;
}

async function toDesiredSubscription(context: IHookFunctions): Promise<DesiredSubscription> {
  const url = context.getNodeWebhookUrl('default');
  if (!url) throw new NodeOperationError(context.getNode(), 'n8n did not give this trigger a webhook URL');
  assertReachable(context.getNode(), url, await readBaseUrl(context));
  const filters = readFilters(context);
  // a printer deleted since must not keep a published workflow from starting with n8n
  const isPublish = !WITHOUT_PUBLISH.includes(context.getActivationMode());
  const printerIds = await findPrinters(context, filters, LIMITS);
  if (isPublish) checkPrinters(context, filters, printerIds);
  const filter = toSubscriptionFilter(filters, printerIds);
  return { url, events: readEvents(context), name: toName(context), enabled: true, filter };
}

const ask = async (context: IHookFunctions, request: FarmboardRequest): Promise<IDataObject> =>
  (await farmboardRequest(context, { ...LIMITS, ...request })).body;

const subscriptionPath = (id: string): string => path`/webhook-subscriptions/${id}`;

/** Replaces the subscription's secret when the current one is lost. */
async function recreateSecret(context: IHookFunctions, id: string): Promise<string> {
  const request = { method: 'POST' as const, path: `${subscriptionPath(id)}/secret` };
  const { secret } = await ask(context, request);
  return String(secret);
}

/** The same, but undefined if the record doesn't exist. */
const requestIfExists = async (context: IHookFunctions, request: FarmboardRequest): Promise<IDataObject | undefined> =>
  await ask(context, request).catch(async (error) => {
    if (!isNotFound(error)) throw error;
    // a wrong base URL also answers 404: a record counts as missing only if its list exists
    await ask(context, { method: 'GET', path: '/webhook-subscriptions' });
    return undefined;
  });

async function deleteSubscription(context: IHookFunctions, id: string): Promise<void> {
  await requestIfExists(context, { method: 'DELETE', path: subscriptionPath(id) });
}

/**
 * Subscriptions this node created before its memory was lost: those with its key, and those for its URL, because a test's
 * has no key. Never others.
 */
async function findOrphans(context: IHookFunctions, url: string): Promise<string[]> {
  const subscriptions = await getRecords(context, { ...LIMITS, path: '/webhook-subscriptions' });
  const key = toClientKey(context);
  const isAtUrl = (one: IDataObject) =>
    one.url === url && one.format === 'signed' && String(one.name).startsWith(OWN_SUBSCRIPTION);
  return subscriptions
    .filter((one) => (key !== undefined && one.client_key === key) || isAtUrl(one))
    .map(({ id }) => String(id));
}

/** A filter as text, whatever the order of its lists and their values. */
function toText(filter: unknown): string {
  const lists = Object.entries((filter ?? {}) as Record<string, string[] | undefined>);
  return JSON.stringify(lists.flatMap(([name, values = []]) => [[name, [...values].sort()]]).sort());
}

function hasDrifted(remote: IDataObject, desired: DesiredSubscription): boolean {
  const events = [...((remote.events as string[] | undefined) ?? [])].sort();
  if (remote.url !== desired.url || remote.enabled !== true) return true;
  if (events.join() !== desired.events.join()) return true;
  if (toText(remote.filter) !== toText(desired.filter)) return true;
  // a name changed by a person is kept
  return String(remote.name).startsWith(OWN_SUBSCRIPTION) && remote.name !== desired.name;
}

/** Whether the trigger rejected the last delivery, because its secret was replaced elsewhere. */
async function isSecretLost(context: IHookFunctions, id: string): Promise<boolean> {
  const { items } = await ask(context, { method: 'GET', path: `${subscriptionPath(id)}/deliveries` });
  const [latest] = items as IDataObject[];
  return latest?.response_status === 401;
}

/** Checks that the trigger's subscription exists and fixes drift: address, events, disabled state, replaced secret. */
export async function checkExists(this: IHookFunctions): Promise<boolean> {
  const memory = readMemory(this);
  const { subscriptionId, secret } = memory;
  // without both, `create` cleans up
  if (!subscriptionId || !secret) return false;

  const desired = await toDesiredSubscription(this);
  const remote = await requestIfExists(this, { method: 'GET', path: subscriptionPath(subscriptionId) });
  if (!remote) {
    forget(memory);
    return false;
  }
  if (hasDrifted(remote, desired)) {
    const body = String(remote.name).startsWith(OWN_SUBSCRIPTION) ? desired : { ...desired, name: remote.name };
    await ask(this, { method: 'PUT', path: subscriptionPath(subscriptionId), body });
  }
  if (await isSecretLost(this, subscriptionId)) memory.secret = await recreateSecret(this, subscriptionId);
  return true;
}

/**
 * Creates the subscription after deleting those left behind, whose secret is unknown. Farmboard continues the last one
 * with the same key: events in between count as missed.
 */
export async function create(this: IHookFunctions): Promise<boolean> {
  const memory = readMemory(this);
  const desired = await toDesiredSubscription(this);
  if (memory.subscriptionId) await deleteSubscription(this, memory.subscriptionId);
  forget(memory);
  for (const orphan of await findOrphans(this, desired.url)) await deleteSubscription(this, orphan);

  const created = await ask(this, {
    method: 'POST',
    path: '/webhook-subscriptions',
    body: { ...desired, format: 'signed', client_key: toClientKey(this) },
    headers: { 'Idempotency-Key': randomUUID() },
  });
  // stored at once: n8n keeps it even if a later step fails, and `delete` needs it
  const subscriptionId = String(created.id);
  memory.subscriptionId = subscriptionId;
  memory.owner = toOwner(this);
  // a repeated response after a lost one doesn't contain the secret
  const secret =
    created.secret ?? (await recreateSecret(this, subscriptionId).catch(deleteOwnSubscription(this, subscriptionId)));
  memory.secret = String(secret);
  if (isTest(this)) await startSample(this, desired, memory.secret);
  return true;
}

/** Only reading is waited for: n8n takes the sample after `create`, when a hook can read nothing any more. */
async function startSample(
  context: IHookFunctions,
  { url, events }: DesiredSubscription,
  secret: string,
): Promise<void> {
  if (context.getNodeParameter('executeStep', 'last') !== 'last') return;
  const sample = await readSample(context, events);
  if (!sample) return;
  void sendSample(context, url, secret, sample).catch((error: Error) => {
    context.logger.warn(`Farmboard Trigger: no sample could be sent to ${url}: ${error.message}`);
  });
}

/** Deletes the subscription that was just created and throws what went wrong. */
const deleteOwnSubscription = (context: IHookFunctions, subscriptionId: string) => async (error: Error) => {
  await deleteSubscription(context, subscriptionId).catch(() => {
    context.logger.warn('A Farmboard channel without a known secret was left; the next publish replaces it');
  });
  throw error;
};

/** Deletes the subscription; also one whose id was lost. */
export async function remove(this: IHookFunctions): Promise<boolean> {
  const memory = readMemory(this);
  if (memory.subscriptionId) {
    await deleteSubscription(this, memory.subscriptionId);
  } else {
    const url = this.getNodeWebhookUrl('default');
    if (url) for (const orphan of await findOrphans(this, url)) await deleteSubscription(this, orphan);
  }
  // only now: a failed deletion is tried again with the same id
  forget(memory);
  return true;
}

function forget(memory: TriggerMemory): void {
  delete memory.subscriptionId;
  delete memory.secret;
  delete memory.owner;
}

export const readSecret = (staticData: IDataObject): unknown => (staticData as TriggerMemory).secret;
