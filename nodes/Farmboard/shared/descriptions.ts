import type { INodeProperties, INodePropertyOptions } from 'n8n-workflow';
import type { RecordFields } from './operation';

/** Shows fields only for some operations of a resource. */
export const fieldsOf = (resource: string, operations: string[], fields: INodeProperties[]): INodeProperties[] =>
  fields.map((field) => ({
    ...field,
    displayOptions: {
      ...field.displayOptions,
      show: { ...field.displayOptions?.show, resource: [resource], operation: operations },
    },
  }));

/** The fields Return All and Limit. */
export const listFields = (resource: string, operation: string): INodeProperties[] =>
  fieldsOf(
    resource,
    [operation],
    [
      {
        displayName: 'Return All',
        name: 'returnAll',
        type: 'boolean',
        default: false,
        description: 'Whether to return all results or only up to a given limit',
      },
      {
        displayName: 'Limit',
        name: 'limit',
        type: 'number',
        typeOptions: { minValue: 1 },
        default: 50,
        description: 'Max number of results to return',
        displayOptions: { show: { returnAll: [false] } },
      },
    ],
  );

/** `print_hours` → `Print Hours`; `id` → `ID` */
const toDisplayName = (name: string): string =>
  name
    .split('_')
    .map((word) =>
      ['id', 'ids', 'rub', 'url'].includes(word)
        ? word.toUpperCase().replace('IDS', 'IDs')
        : `${word[0].toUpperCase()}${word.slice(1)}`,
    )
    .join(' ');

/** Selects which fields of a record are output. */
export const outputFields = ({ all }: RecordFields): INodeProperties[] => [
  {
    displayName: 'Output',
    name: 'output',
    type: 'options',
    default: 'simplified',
    options: [
      { name: 'Raw', value: 'raw', description: 'Every field of the record' },
      { name: 'Selected Fields', value: 'selected', description: 'Only the fields you choose' },
      { name: 'Simplified', value: 'simplified', description: 'The fields that most workflows use' },
    ],
    description: 'Which fields of the record to return',
  },
  {
    displayName: 'Fields',
    name: 'outputFields',
    type: 'multiOptions',
    default: [],
    displayOptions: { show: { output: ['selected'] } },
    options: all
      .map((name) => ({ name: toDisplayName(name), value: name }))
      .sort((a, b) => a.name.localeCompare(b.name)),
    description: 'The fields to return',
  },
];

export const byName = (fields: INodeProperties[]): INodeProperties[] =>
  [...fields].sort((a, b) => a.displayName.localeCompare(b.displayName));

export const collection = (
  name: string,
  displayName: string,
  placeholder: string,
  options: INodeProperties[],
): INodeProperties => ({ displayName, name, type: 'collection', placeholder, default: {}, options });

/** @param placeholder expression that identifies one write of this operation */
export const idempotencyKey = (placeholder: string): INodeProperties => ({
  displayName: 'Idempotency Key',
  name: 'idempotencyKey',
  type: 'string',
  default: '',
  placeholder,
  description:
    'A text that identifies this write for 30 days: sending it again has no further effect. Without it, retries of the same execution never write twice; set it if the whole workflow may run again for the same data.',
});

export const DRY_RUN: INodeProperties = {
  displayName: 'Dry Run',
  name: 'dryRun',
  type: 'boolean',
  default: true,
  description:
    'Whether to do nothing and output what would have happened: the status, the record or error, the events and the grams',
};

/** Same options as in n8n's HTTP Request node. */
export const BATCHING: INodeProperties = {
  displayName: 'Batching',
  name: 'batching',
  type: 'fixedCollection',
  placeholder: 'Add batching',
  default: { batch: {} },
  options: [
    {
      displayName: 'Batching',
      name: 'batch',
      values: [
        {
          displayName: 'Items per Batch',
          name: 'batchSize',
          type: 'number',
          typeOptions: { minValue: -1 },
          default: 50,
          description: 'Number of items to write before pausing. -1 turns batching off; 0 is treated as 1.',
        },
        {
          displayName: 'Batch Interval (Milliseconds)',
          name: 'batchInterval',
          type: 'number',
          typeOptions: { minValue: 0 },
          default: 1000,
          description: 'Time to pause between batches. 0 turns the pause off.',
        },
      ],
    },
  ],
  description: 'Spread many writes over time. The rate limit of Farmboard is respected without it, too.',
};

/** Where an operation puts the file that it downloads. */
export const BINARY_FIELD: INodeProperties = {
  displayName: 'Put Output File in Field',
  name: 'binaryPropertyName',
  type: 'string',
  required: true,
  default: 'data',
  hint: 'The name of the output binary field to put the file in',
  description: 'Name of the binary field that holds the file in the output',
};

export const LABEL_FORMAT: INodeProperties = {
  displayName: 'Format',
  name: 'format',
  type: 'options',
  options: [
    { name: 'PNG', value: 'png', description: 'The code only, for label printers and chats' },
    { name: 'SVG', value: 'svg', description: 'The code with its text below, sharp at any size' },
  ],
  default: 'png',
  description: 'The kind of picture',
};

/** The media types of labels. */
export const LABEL_TYPES: Record<string, string> = { png: 'image/png', svg: 'image/svg+xml' };

export const INCLUDE_ETAG: INodeProperties = {
  displayName: 'Include ETag',
  name: 'includeEtag',
  type: 'boolean',
  default: false,
  description: 'Whether to add the ETag of this version, for the If Match option of a later write',
};

export const IF_MATCH: INodeProperties = {
  displayName: 'If Match (ETag)',
  name: 'ifMatch',
  type: 'string',
  default: '',
  placeholder: 'e.g. {{ $json.etag }}',
  description:
    'The ETag of the version you want to change, from Get with Include ETag. If the record has changed since, nothing is written and the node fails.',
};

/** Newest first, unless sorted otherwise. */
export const sortField = (options: INodePropertyOptions[]): INodeProperties => ({
  displayName: 'Sort By',
  name: 'sort',
  type: 'options',
  default: '-created_at',
  options,
  description: 'The order in which results are returned',
});
