import type { IDataObject, IExecuteFunctions, INodeExecutionData, INodeType, INodeTypeDescription } from 'n8n-workflow';
import { NodeApiError, NodeConnectionTypes, NodeOperationError } from 'n8n-workflow';
import { farmboardApiTest } from './methods/credential-test';
import {
  searchFilaments,
  searchInvoices,
  searchLeads,
  searchOrders,
  searchPrinters,
  searchSubscriptions,
} from './methods/list-search';
import { getPrinterGroups } from './methods/load-options';
import { getOrderFields } from './methods/resource-mapping';
import { event } from './resources/event';
import { farm } from './resources/farm';
import { filament } from './resources/filament';
import { invoice } from './resources/invoice';
import { lead } from './resources/lead';
import { order } from './resources/order';
import { printer } from './resources/printer';
import { webhook } from './resources/webhook';
import { pauseBetweenBatches } from './shared/batching';
import { forgetRun } from './shared/idempotency';
import { createItem, FileOutput, type Operation, type Resource, type TogetherResult } from './shared/operation';

const RESOURCES: Record<string, Resource> = { event, farm, filament, invoice, lead, order, printer, webhook };

/** Orders, printers, filament stock, leads, invoices, events and webhook subscriptions of a Farmboard account. */
export class Farmboard implements INodeType {
  description: INodeTypeDescription = {
    displayName: 'Farmboard',
    name: 'farmboard',
    icon: { light: 'file:farmboard.svg', dark: 'file:farmboard.dark.svg' },
    group: ['transform'],
    version: 1,
    subtitle:
      '={{ $parameter["operation"].replace("getAll", "getMany").replace(/[A-Z]/g, (letter) => " " + letter.toLowerCase()) + ": " + $parameter["resource"] }}',
    description: 'Manage the orders, printers and filament stock of a 3D printing farm in Farmboard',
    defaults: { name: 'Farmboard' },
    usableAsTool: true,
    inputs: [NodeConnectionTypes.Main],
    outputs: [NodeConnectionTypes.Main],
    credentials: [{ name: 'farmboardApi', required: true, testedBy: 'farmboardApiTest' }],
    properties: [
      {
        displayName: 'Resource',
        name: 'resource',
        type: 'options',
        noDataExpression: true,
        options: [
          { name: 'Event', value: 'event' },
          { name: 'Farm', value: 'farm' },
          { name: 'Filament', value: 'filament' },
          { name: 'Invoice', value: 'invoice' },
          { name: 'Lead', value: 'lead' },
          { name: 'Order', value: 'order' },
          { name: 'Printer', value: 'printer' },
          { name: 'Webhook', value: 'webhook' },
        ],
        default: 'order',
      },
      ...Object.values(RESOURCES).map(({ operation }) => operation),
      ...Object.values(RESOURCES).flatMap(({ operations }) =>
        Object.values(operations).flatMap(({ fields }) => fields),
      ),
    ],
  };

  methods = {
    credentialTest: { farmboardApiTest },
    listSearch: {
      searchFilaments,
      searchInvoices,
      searchLeads,
      searchOrders,
      searchPrinters,
      searchSubscriptions,
    },
    loadOptions: { getPrinterGroups },
    resourceMapping: { getOrderFields },
  };

  async execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
    const items = this.getInputData();
    const output: INodeExecutionData[] = [];
    let hasFailures = false;
    const together = await runTogether(this, items.length);
    for (let itemIndex = 0; itemIndex < items.length; itemIndex++) {
      try {
        output.push(...(await runItem(this, itemIndex, together?.[itemIndex])));
      } catch (error) {
        const failure = toFailure(this, error, itemIndex);
        // a cancelled execution doesn't continue with the next item
        if (!this.continueOnFail() || this.getExecutionCancelSignal()?.aborted) throw failure;
        hasFailures = true;
        output.push({ json: toErrorItem(failure), pairedItem: { item: itemIndex } });
      }
    }
    if (!hasFailures) forgetRun(this);
    return [output];
  }
}

/** The results of an operation that sends many items in one request; undefined for the others. */
async function runTogether(context: IExecuteFunctions, count: number): Promise<TogetherResult[] | undefined> {
  const operation = count === 0 ? undefined : lookUp(context, 0);
  if (!operation?.runTogether) return undefined;
  const items = Array.from({ length: count }, (_, itemIndex) => createItem(context, itemIndex, operation.fields));
  return await operation.runTogether(context, items, !context.continueOnFail()).catch((error) => {
    throw toFailure(context, error, (error as NodeOperationError).context?.itemIndex as number | undefined);
  });
}

/** @param result of a request for all items */
async function runItem(
  context: IExecuteFunctions,
  itemIndex: number,
  result?: TogetherResult,
): Promise<INodeExecutionData[]> {
  const pairedItem = { item: itemIndex };
  if (result instanceof Error) throw result;
  if (result !== undefined) return [{ json: result, pairedItem }];
  const operation = findOperation(context, itemIndex);
  await pauseBetweenBatches(context, operation, itemIndex);
  const output = await operation.run(createItem(context, itemIndex, operation.fields));
  if (output instanceof FileOutput) return [{ json: output.json, binary: output.binary, pairedItem }];
  return [output].flat().map((json) => ({ json, pairedItem }));
}

/** The error of one item, which it names if there are several. */
function toFailure(context: IExecuteFunctions, error: unknown, itemIndex = 0): NodeApiError | NodeOperationError {
  const failure = toNodeError(context, error, itemIndex);
  if (context.getInputData().length > 1) failure.message = `${failure.message} [item ${itemIndex}]`;
  return failure;
}

function toNodeError(context: IExecuteFunctions, error: unknown, itemIndex: number): NodeApiError | NodeOperationError {
  if (error instanceof NodeApiError || error instanceof NodeOperationError) return error;
  return new NodeOperationError(context.getNode(), error as Error, { itemIndex });
}

const readChoice = (context: IExecuteFunctions, itemIndex: number) => ({
  resource: context.getNodeParameter('resource', itemIndex) as string,
  operation: context.getNodeParameter('operation', itemIndex) as string,
});

function lookUp(context: IExecuteFunctions, itemIndex: number): Operation | undefined {
  const { resource, operation } = readChoice(context, itemIndex);
  return RESOURCES[resource]?.operations[operation];
}

function findOperation(context: IExecuteFunctions, itemIndex: number): Operation {
  const found = lookUp(context, itemIndex);
  if (found) return found;
  const { resource, operation } = readChoice(context, itemIndex);
  throw new NodeOperationError(context.getNode(), `There is no operation "${operation}" for "${resource}"`, {
    description: 'Choose the Resource and Operation again in the node.',
    itemIndex,
  });
}

/**
 * The output for a failed item. n8n recognizes an object with exactly these two keys as an error and passes it on
 * unchanged; of an item with an error object it keeps only the first line.
 */
function toErrorItem(failure: NodeApiError | NodeOperationError): IDataObject {
  const { code } = failure.context as { code?: string };
  const remedy = [failure.description, code === undefined ? '' : `Code: ${code}`].filter(Boolean).join('\n');
  return { error: failure.message, ...(remedy === '' ? {} : { message: remedy }) };
}
