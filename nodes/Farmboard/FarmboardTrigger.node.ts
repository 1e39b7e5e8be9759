import type {
  IHookFunctions,
  INodeProperties,
  INodeType,
  INodeTypeDescription,
  IWebhookFunctions,
  IWebhookResponseData,
} from 'n8n-workflow';
import { NodeApiError, NodeConnectionTypes, NodeOperationError } from 'n8n-workflow';
import { farmboardApiTest } from './methods/credential-test';
import { getPrinters } from './methods/load-options';
import { toEventSubtitle } from './shared/subtitle';
import { EVENTS, WORKFLOW_STATUSES } from './shared/vocabulary';
import { DEFAULT_MAX_AGE_SECONDS, receive } from './trigger/receive';
import * as subscription from './trigger/subscription';

/**
 * When publishing fails, n8n shows either the message or the description, depending on its version, so both say what to
 * do.
 */
function withRemedy(error: unknown): never {
  const isOurs = error instanceof NodeApiError || error instanceof NodeOperationError;
  if (isOurs && error.description) {
    error.message = `${error.message.replace(/(?<!\.)\.+$/, '')}. ${error.description.replace(/\n/g, ' ')}`;
    error.description = error.message;
  }
  throw error;
}

const EXECUTE_STEP: INodeProperties = {
  displayName: 'Execute Step Shows',
  name: 'executeStep',
  type: 'options',
  noDataExpression: true,
  default: 'last',
  options: [
    {
      name: 'Last Event',
      value: 'last',
      description: 'The last event of your account that fits, or an example if there is none yet',
    },
    {
      name: 'Next Event',
      value: 'next',
      description: 'Waits until something happens in Farmboard, or until you choose Send test event there',
    },
  ],
  description: 'What you get in the editor. The published workflow always runs on new events only.',
};

/** Starts a workflow on Farmboard events. */
export class FarmboardTrigger implements INodeType {
  description: INodeTypeDescription = {
    displayName: 'Farmboard Trigger',
    name: 'farmboardTrigger',
    icon: { light: 'file:farmboard.svg', dark: 'file:farmboard.dark.svg' },
    group: ['trigger'],
    version: 1,
    subtitle: toEventSubtitle(),
    description:
      'Starts the workflow when something happens in Farmboard: an order moves, a print ends, a filament runs low',
    eventTriggerDescription: 'Waiting for an event from Farmboard',
    activationMessage: 'Farmboard now sends the selected events to this workflow.',
    triggerPanel: {
      header: '',
      executionsHelp: {
        inactive:
          'You need no address from here: the trigger creates its webhook channel in Farmboard by itself.<br /><br /><b>While you build the workflow</b>, choose Execute Step. You get the last event, marked as a sample. With <i>Execute Step Shows: Next Event</i> it waits: make something happen in Farmboard, or choose <i>Send test event</i> at the channel (Integrations &gt; Webhook channels).<br /><br /><b>When the workflow is ready</b>, publish it. It then runs for every selected event, and you find its runs in the executions list.',
        active:
          '<b>This workflow is published</b> and runs for every selected event in Farmboard. You find its runs in the executions list.<br /><br /><b>To test changes</b>, choose Execute Step. You get the last event, marked as a sample. With <i>Execute Step Shows: Next Event</i> it waits: make something happen in Farmboard, or choose <i>Send test event</i> at the channel (Integrations &gt; Webhook channels).',
      },
      activationHint:
        'Publish the workflow when it is ready. The trigger then creates its webhook channel in Farmboard by itself, and the workflow runs for every selected event.',
    },
    defaults: { name: 'Farmboard Trigger' },
    inputs: [],
    outputs: [NodeConnectionTypes.Main],
    credentials: [{ name: 'farmboardApi', required: true, testedBy: 'farmboardApiTest' }],
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
        options: [{ name: 'All Events', value: '*', description: 'Every event that Farmboard sends' }, ...EVENTS],
      },
      EXECUTE_STEP,
      {
        displayName: 'Filters',
        name: 'filters',
        type: 'collection',
        placeholder: 'Add filter',
        default: {},
        options: [
          {
            displayName: 'Materials',
            name: 'materialNames',
            type: 'string',
            default: '',
            placeholder: 'e.g. PETG, PLA',
            description:
              'Only orders in one of these materials, written exactly as in the order, with commas between them; all other events pass. An expression may return a list.',
          },
          {
            displayName: 'Printer Names or IDs',
            name: 'printerIds',
            type: 'multiOptions',
            typeOptions: { loadOptionsMethod: 'getPrinters' },
            default: [],
            description:
              'Only events of these printers and of orders assigned to them. Choose from the list, or specify IDs using an <a href="https://docs.n8n.io/code/expressions/">expression</a>.',
          },
          {
            displayName: 'Workflow Statuses',
            name: 'workflowStatus',
            type: 'multiOptions',
            options: WORKFLOW_STATUSES,
            default: [],
            description: 'Only order events with one of these statuses; all other events pass',
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
              'Whether to add the full order, printer, filament, lead or invoice the event is about, in its current state, as the field "record"',
          },
          {
            displayName: 'Include Headers',
            name: 'includeHeaders',
            type: 'boolean',
            default: false,
            description: 'Whether to add the request headers to the output',
          },
          {
            displayName: 'Maximum Age (Seconds)',
            name: 'maxAgeSeconds',
            type: 'number',
            typeOptions: { minValue: 0 },
            default: DEFAULT_MAX_AGE_SECONDS,
            description:
              'Refuse events that happened longer ago than this, so that a recorded request cannot be replayed later. Defaults to 3900: Farmboard may deliver an event up to an hour late. Set to 0 to accept events of any age, such as old events that are resent by hand.',
          },
          {
            displayName: 'Run on Test Events',
            name: 'runOnTest',
            type: 'boolean',
            default: false,
            description:
              'Whether "Send test event" in Farmboard runs the published workflow. Otherwise the test is acknowledged without a run. When you listen for a test event in the editor, it always shows.',
          },
          {
            displayName: 'Skip Repeated Deliveries',
            name: 'skipRepeated',
            type: 'boolean',
            default: true,
            description:
              'Whether to ignore a delivery that has already arrived, judged by the last 500 that this n8n process received. Events resent by hand still run.',
          },
        ],
      },
    ],
  };

  methods = { credentialTest: { farmboardApiTest }, loadOptions: { getPrinters } };

  webhookMethods = {
    default: {
      async checkExists(this: IHookFunctions): Promise<boolean> {
        return await subscription.checkExists.call(this).catch(withRemedy);
      },
      async create(this: IHookFunctions): Promise<boolean> {
        return await subscription.create.call(this).catch(withRemedy);
      },
      async delete(this: IHookFunctions): Promise<boolean> {
        return await subscription.remove.call(this).catch(withRemedy);
      },
    },
  };

  async webhook(this: IWebhookFunctions): Promise<IWebhookResponseData> {
    return await receive.call(this);
  }
}
