import { join } from 'node:path';
import { inspect } from 'node:util';
import type { IDataObject, INode, INodeExecutionData, INodeProperties } from 'n8n-workflow';
import { farmIn, startFarm } from '../farm.ts';
import { forSuite } from '../opened.ts';
import { passOn, startFakeServer } from './fake-server.ts';
import { createHarness, type Farm, TYPE } from './harness.ts';

const { createRunExecutionData } = require('n8n-workflow') as typeof import('n8n-workflow');

/** Every operation by its names. */
export const { OPERATIONS } = require('./operations.cjs') as {
  OPERATIONS: Record<string, { request: string; required: string[] }>;
};

let service: Promise<Awaited<ReturnType<typeof startFarm>>> | undefined;

/** Ends the service that the suites of a test file share. */
export const stopService = async (): Promise<void> => (await service)?.close();

/**
 * The real service with an account of its own, and the package in n8n-core with a credential of that account.
 * @param baseUrl of the credential, to put a fake server between the package and the service
 */
export async function startRig(baseUrl?: string) {
  const kept = new Map<string, ReturnType<typeof createRunExecutionData>>();
  const keptOf = (executionId: string) => {
    const known = kept.get(executionId) ?? createRunExecutionData();
    kept.set(executionId, known);
    return known;
  };
  service ??= startFarm();
  const { service: shared, file } = await service;
  const farm = await farmIn(shared, file);
  const n8n = await createHarness({ baseUrl: baseUrl ?? farm.service.baseUrl, accessToken: farm.token });
  return {
    farm,
    n8n,
    /** What the node does as an AI agent's tool: each call and each try has another `runIndex`. */
    callTool: (parameters: IDataObject, call: Parameters<Farm['execution']>[1]) =>
      execute(n8n, n8n.execution(parameters, { data: keptOf(call.executionId), ...call })),
    async close(): Promise<void> {
      await farm.close();
    },
  };
}

/** For the suite of a resource: the rig behind a fake server that passes on what a test does not answer, and its operations. */
export function openResource(resource: string, node: Partial<INode> = {}) {
  const fake = forSuite(startFakeServer);
  const rig = forSuite(() => startRig(fake.baseUrl));
  beforeEach(() => fake.answerWith((seen) => passOn(rig.farm.service.origin, seen)));
  const given = (operation: string, parameters: IDataObject, items?: IDataObject[]) => {
    // a write is compared with the whole record
    const output = operation.startsWith('get') ? {} : { output: 'raw' };
    return [{ resource, operation, ...output, ...parameters }, items ? { items, node } : { node }] as const;
  };
  return {
    fake,
    rig,
    give: (...of: Parameters<typeof given>) => rig.n8n.give(...given(...of)),
    refusal: (...of: Parameters<typeof given>) => rig.n8n.refusal(...given(...of)),
  };
}

/** What the node's parameters are for an operation like `order get`. */
export function parametersOf(operation: string, more: IDataObject = {}): IDataObject {
  const [resource, name] = operation.split(' ');
  return { resource, operation: name, ...more };
}

/** Runs the action node in a context made by `execution`; resolves with its only output. */
export async function execute(n8n: Farm, context: ReturnType<Farm['execution']>): Promise<INodeExecutionData[]> {
  const outputs = (await n8n.typeOf(TYPE).execute?.call(context)) as INodeExecutionData[][] | undefined;
  return outputs?.[0] ?? [];
}

/** A built module of the package, for tests without an engine. */
export const built = <T>(file: string): T => require(join(__dirname, '../../../dist', file)) as T;

/** A value from the input item, as an expression. */
export const fromItem = (name: string): string => `={{ $json.${name} }}`;

/** A resource locator whose value comes from the input item. */
export const locatorFromItem = (name: string, mode = 'id') => ({ __rl: true, mode, value: fromItem(name) });

export const jsonOf = (output: INodeExecutionData[] | null | undefined): IDataObject[] =>
  (output ?? []).map(({ json }) => json);

/** The input item that each output item comes from. */
export const sourcesOf = (output: INodeExecutionData[] | null | undefined): unknown[] =>
  (output ?? []).map(({ pairedItem }) => (pairedItem as { item?: number } | undefined)?.item);

/** Everything that could be printed of an error: own and hidden properties, causes, context, node. */
export function everythingIn(error: unknown): string {
  const seen = new WeakSet<object>();
  const json = JSON.stringify(error, (_key, value: unknown) => {
    if (typeof value !== 'object' || value === null) return typeof value === 'bigint' ? String(value) : value;
    if (seen.has(value)) return '(again)';
    seen.add(value);
    return value instanceof Error
      ? { ...value, message: value.message, stack: value.stack, cause: value.cause }
      : value;
  });
  return `${json}\n${inspect(error, { depth: 20, showHidden: true })}`;
}

const isShownFor = ({ displayOptions: { show = {} } = {} }: INodeProperties, shown: IDataObject): boolean =>
  Object.entries(show).every(([name, values]) => !(name in shown) || (values as unknown[]).includes(shown[name]));

/** The fields that the node shows for an operation. */
export const fieldsOf = (properties: INodeProperties[], resource: string, operation: string): INodeProperties[] =>
  properties.filter(
    (property) => !['resource', 'operation'].includes(property.name) && isShownFor(property, { resource, operation }),
  );

/** The names that a collection of an operation offers. */
export function namesIn(n8n: Farm, resource: string, operation: string, collection: string): string[] {
  const field = fieldsOf(n8n.typeOf(TYPE).description.properties, resource, operation).find(
    ({ name }) => name === collection,
  );
  if (!field) throw new Error(`${resource} ${operation} has no ${collection}`);
  return (field.options as INodeProperties[]).map(({ name }) => name).sort();
}
