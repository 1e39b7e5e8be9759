import type { IDataObject, IExecuteFunctions, INodeExecutionData, INodeType, INodeTypeDescription } from 'n8n-workflow';
import { NodeApiError, NodeConnectionTypes, NodeOperationError } from 'n8n-workflow';
import { searchFilaments, searchOrders, searchPrinters, searchSubscriptions } from './methods/list-search';
import { getPrinterGroups } from './methods/load-options';
import { filament } from './resources/filament';
import { order } from './resources/order';
import { printer } from './resources/printer';
import { webhook } from './resources/webhook';
import { createItem, type Operation, type Resource } from './shared/operation';

const RESOURCES: Record<string, Resource> = { filament, order, printer, webhook };

/** Orders, printers, filament stock and webhook channels of a Farmboard account. */
export class Farmboard implements INodeType {
  description: INodeTypeDescription = {
    displayName: 'Farmboard',
    name: 'farmboard',
    icon: { light: 'file:farmboard.svg', dark: 'file:farmboard.dark.svg' },
    group: ['transform'],
    version: 1,
    subtitle: '={{ $parameter["operation"] + ": " + $parameter["resource"] }}',
    description: 'Work with the orders, printers and filament stock of a 3D-printing farm in Farmboard',
    defaults: { name: 'Farmboard' },
    usableAsTool: true,
    inputs: [NodeConnectionTypes.Main],
    outputs: [NodeConnectionTypes.Main],
    credentials: [{ name: 'farmboardApi', required: true }],
    properties: [
      {
        displayName: 'Resource',
        name: 'resource',
        type: 'options',
        noDataExpression: true,
        options: [
          { name: 'Filament', value: 'filament' },
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
    listSearch: { searchFilaments, searchOrders, searchPrinters, searchSubscriptions },
    loadOptions: { getPrinterGroups },
  };

  async execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
    const items = this.getInputData();
    const output: INodeExecutionData[] = [];
    for (let itemIndex = 0; itemIndex < items.length; itemIndex++) {
      try {
        const operation = findOperation(this, itemIndex);
        const result = await operation.run(createItem(this, itemIndex, operation.fields));
        for (const json of [result].flat()) output.push({ json, pairedItem: { item: itemIndex } });
      } catch (error) {
        const failure =
          error instanceof NodeApiError || error instanceof NodeOperationError
            ? error
            : new NodeOperationError(this.getNode(), error as Error, { itemIndex });
        if (items.length > 1) failure.message = `${failure.message} [item ${itemIndex}]`;
        if (!this.continueOnFail()) throw failure;
        output.push({ json: toErrorItem(failure), pairedItem: { item: itemIndex } });
      }
    }
    return [output];
  }
}

function findOperation(context: IExecuteFunctions, itemIndex: number): Operation {
  const resource = context.getNodeParameter('resource', itemIndex) as string;
  const operation = context.getNodeParameter('operation', itemIndex) as string;
  const found = RESOURCES[resource]?.operations[operation];
  if (found) return found;
  throw new NodeOperationError(context.getNode(), `There is no operation "${operation}" of "${resource}"`, {
    description: 'Choose Resource and Operation anew in the node.',
    itemIndex,
  });
}

/**
 * What the next node, or an agent, sees in place of a result. With exactly these two keys n8n knows it for an error and hands
 * it on as it is; for an item that carries an error object it keeps the first line alone.
 */
function toErrorItem(failure: NodeApiError | NodeOperationError): IDataObject {
  const { code } = failure.context as { code?: string };
  const way = [failure.description, code === undefined ? '' : `Code: ${code}`].filter(Boolean).join('\n');
  return { error: failure.message, ...(way === '' ? {} : { message: way }) };
}
