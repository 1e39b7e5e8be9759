import type {
  IHookFunctions,
  INodeType,
  INodeTypeDescription,
  IWebhookFunctions,
  IWebhookResponseData,
} from 'n8n-workflow';
import { NodeApiError, NodeConnectionTypes, NodeOperationError } from 'n8n-workflow';
import { getPrinters } from './methods/load-options';
import { EVENTS, WORKFLOW_STATUSES } from './shared/vocabulary';
import { receive } from './trigger/receive';
import * as subscription from './trigger/subscription';

/** Of an error in publishing n8n shows the description alone, or the message alone: each must say what happened. */
function tellWhole(error: unknown): never {
  const isOurs = error instanceof NodeApiError || error instanceof NodeOperationError;
  if (isOurs && error.description) error.description = `${error.message}. ${error.description}`;
  throw error;
}

/** Starts a workflow when something happens in Farmboard. */
export class FarmboardTrigger implements INodeType {
  description: INodeTypeDescription = {
    displayName: 'Farmboard Trigger',
    name: 'farmboardTrigger',
    icon: { light: 'file:farmboard.svg', dark: 'file:farmboard.dark.svg' },
    group: ['trigger'],
    version: 1,
    subtitle: '={{ [$parameter["events"]].flat().join(", ") }}',
    description:
      'Starts the workflow when Farmboard sends an event: an order moved, a print ended, a filament runs low',
    eventTriggerDescription: 'Waiting for an event from Farmboard',
    activationMessage: 'Farmboard now sends the chosen events to this workflow.',
    defaults: { name: 'Farmboard Trigger' },
    inputs: [],
    outputs: [NodeConnectionTypes.Main],
    credentials: [{ name: 'farmboardApi', required: true }],
    webhooks: [
      { name: 'default', httpMethod: 'POST', responseMode: 'onReceived', responseData: 'noData', path: 'webhook' },
    ],
    properties: [
      {
        displayName: 'Trigger On',
        name: 'events',
        type: 'multiOptions',
        required: true,
        default: ['order.created', 'order.status_changed'],
        options: [{ name: 'All Events', value: '*', description: 'Everything that Farmboard tells' }, ...EVENTS],
      },
      {
        displayName: 'Filters',
        name: 'filters',
        type: 'collection',
        placeholder: 'Add filter',
        default: {},
        options: [
          {
            displayName: 'Printer Names or IDs',
            name: 'printerIds',
            type: 'multiOptions',
            typeOptions: { loadOptionsMethod: 'getPrinters' },
            default: [],
            description:
              'Only events of these printers, and of orders assigned to them. Choose from the list, or specify IDs using an <a href="https://docs.n8n.io/code/expressions/">expression</a>.',
          },
          {
            displayName: 'Workflow Statuses',
            name: 'workflowStatus',
            type: 'multiOptions',
            options: WORKFLOW_STATUSES,
            default: [],
            description: 'Only orders that are now in one of these statuses; other events pass',
          },
        ],
      },
      {
        displayName: 'Options',
        name: 'options',
        type: 'collection',
        placeholder: 'Add option',
        default: {},
        options: [
          {
            displayName: 'Fetch Full Record',
            name: 'fetchRecord',
            type: 'boolean',
            default: false,
            description:
              'Whether to read the whole order, printer or filament that the event is about, as it is now, into the field "record"',
          },
          {
            displayName: 'Include Headers',
            name: 'includeHeaders',
            type: 'boolean',
            default: false,
            description: 'Whether to add the headers of the request to the output',
          },
          {
            displayName: 'Maximum Age (Seconds)',
            name: 'maxAgeSeconds',
            type: 'number',
            typeOptions: { minValue: 0 },
            default: 300,
            description:
              'Refuse an event that happened longer ago than this (300 when the option is not set), so that a recorded request cannot be played back later. Events that are sent again by hand are older; 0 takes any age.',
          },
          {
            displayName: 'Run on Test Events',
            name: 'runOnTest',
            type: 'boolean',
            default: false,
            description:
              'Whether "Send test event" in Farmboard starts the published workflow; otherwise it is only answered. While listening in the editor it always shows.',
          },
          {
            displayName: 'Skip Repeated Deliveries',
            name: 'skipRepeated',
            type: 'boolean',
            default: false,
            description:
              'Whether to ignore an event that came before, among the last 500 since n8n started: one sent again by hand, or played back by somebody',
          },
        ],
      },
    ],
  };

  methods = { loadOptions: { getPrinters } };

  webhookMethods = {
    default: {
      async checkExists(this: IHookFunctions): Promise<boolean> {
        return await subscription.checkExists.call(this).catch(tellWhole);
      },
      async create(this: IHookFunctions): Promise<boolean> {
        return await subscription.create.call(this).catch(tellWhole);
      },
      async delete(this: IHookFunctions): Promise<boolean> {
        return await subscription.remove.call(this).catch(tellWhole);
      },
    },
  };

  async webhook(this: IWebhookFunctions): Promise<IWebhookResponseData> {
    return await receive.call(this);
  }
}
