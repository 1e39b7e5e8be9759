import type { INodeProperties, INodePropertyOptions } from 'n8n-workflow';

/** Shows fields for some operations of a resource only. */
export const fieldsOf = (resource: string, operations: string[], fields: INodeProperties[]): INodeProperties[] =>
  fields.map((field) => ({
    ...field,
    displayOptions: {
      ...field.displayOptions,
      show: { ...field.displayOptions?.show, resource: [resource], operation: operations },
    },
  }));

/** Return All and Limit. */
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

export const SIMPLIFY: INodeProperties = {
  displayName: 'Simplify',
  name: 'simple',
  type: 'boolean',
  default: true,
  description: 'Whether to return a simplified version of the response instead of the raw data',
};

export const byName = (fields: INodeProperties[]): INodeProperties[] =>
  [...fields].sort((a, b) => a.displayName.localeCompare(b.displayName));

export const collection = (
  name: string,
  displayName: string,
  placeholder: string,
  options: INodeProperties[],
): INodeProperties => ({ displayName, name, type: 'collection', placeholder, default: {}, options });

export const IDEMPOTENCY_KEY: INodeProperties = {
  displayName: 'Idempotency Key',
  name: 'idempotencyKey',
  type: 'string',
  default: '',
  placeholder: 'e.g. {{ $json.order_id }}-consumed',
  description:
    'A text that stands for this one write for 24 hours: whatever is repeated with it takes effect once. Left out, each item of each execution has a key of its own, so that Retry On Fail never writes twice; set it to be safe also when a whole execution is run again.',
};

export const IF_MATCH: INodeProperties = {
  displayName: 'If Match (ETag)',
  name: 'ifMatch',
  type: 'string',
  default: '',
  placeholder: 'e.g. {{ $json.etag }}',
  description:
    'The ETag of the version that the change is meant for, from Get with Include ETag. When the order has been changed since, nothing is written and the node says so.',
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
