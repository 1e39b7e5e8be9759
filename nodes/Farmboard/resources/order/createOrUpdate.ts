import type { IDataObject } from 'n8n-workflow';
import { BATCHING, collection, DRY_RUN, fieldsOf, outputFields } from '../../shared/descriptions';
import { type Item, isDryRun, type Operation, toOutput, toSnake } from '../../shared/operation';
import { type FarmboardAnswer, path } from '../../shared/transport';
import { EXTERNAL_ID, EXTERNAL_UPDATED_AT, MAPPED_FIELDS, ORDER, readExternalId, SOURCE, toOrderBody } from './fields';

export const createOrUpdate: Operation = {
  fields: fieldsOf(
    'order',
    ['createOrUpdate'],
    [
      { ...SOURCE, required: true },
      { ...EXTERNAL_ID, required: true },
      {
        ...EXTERNAL_UPDATED_AT,
        description:
          "When the order was last changed there. If a later state is stored already, nothing is written and the outcome is stale. A time without a zone is in the workflow's time zone.",
      },
      {
        displayName: 'Fields',
        name: 'fields',
        type: 'resourceMapper',
        noDataExpression: true,
        required: true,
        default: { mappingMode: 'defineBelow', value: null },
        typeOptions: {
          resourceMapper: {
            resourceMapperMethod: 'getOrderFields',
            mode: 'add',
            fieldWords: { singular: 'field', plural: 'fields' },
            addAllFields: true,
            multiKeyMatch: false,
            supportAutoMap: true,
          },
        },
        description:
          'The fields to write; those without a value are not sent. A new order needs a model name and starts in Negotiation. The status of an existing order is never changed.',
      },
      ...outputFields(ORDER),
      collection('options', 'Options', 'Add option', [BATCHING, DRY_RUN]),
    ],
  ),
  async run(item) {
    const source = item.text('source', 'Source');
    const externalId = readExternalId(item, item.parameter('externalId'));
    const body = toOrderBody(item, readMapping(item));
    const updatedAt = item.parameter<unknown>('externalUpdatedAt', '');
    if (updatedAt !== '' && updatedAt !== null) {
      body.external_updated_at = item.timestamp('External Updated At', updatedAt);
    }
    const answer = await item.write('PUT', path`/print-jobs/by-external-id/${source}/${externalId}`, body);
    const order = toOutput(item, answer.body, ORDER);
    return { ...order, outcome: toOutcome(answer) };
  },
};

const NAMES = new Map(MAPPED_FIELDS.map(({ name }) => [toSnake(name), name]));

/** The mapped fields by their names in the node: those of the input item with *Map Automatically*. */
function readMapping(item: Item): IDataObject {
  const isAutomatic = item.parameter<string>('fields.mappingMode', 'defineBelow') === 'autoMapInputData';
  const values = isAutomatic ? item.json : item.parameter<IDataObject | null>('fields.value', null);
  const given = Object.entries(values ?? {}).flatMap(([key, value]) => {
    const name = NAMES.get(key);
    return name === undefined || value === null || value === undefined ? [] : [[name, value]];
  });
  return Object.fromEntries(given);
}

/** Also that of a dry run, whose answer contains the status. */
function toOutcome({ status, headers, body }: FarmboardAnswer): string {
  const wouldGet = isDryRun(body) ? Number(body.status) : status;
  if (wouldGet >= 400) return 'refused';
  if (wouldGet === 201) return 'created';
  return headers['x-svc-stale'] === undefined ? 'updated' : 'stale';
}
