import type { IDataObject } from 'n8n-workflow';
import { collection, fieldsOf, IDEMPOTENCY_KEY } from '../../shared/descriptions';
import { filamentLocator } from '../../shared/locators';
import type { Operation } from '../../shared/operation';
import { path } from '../../shared/transport';

export const addBatch: Operation = {
  fields: fieldsOf(
    'filament',
    ['addBatch'],
    [
      filamentLocator,
      {
        displayName: 'Spool Count',
        name: 'spoolCount',
        type: 'number',
        typeOptions: { minValue: 1 },
        default: 1,
        required: true,
        description: 'How many spools were received',
      },
      collection('additionalFields', 'Additional Fields', 'Add field', [
        {
          displayName: 'Received At',
          name: 'receivedAt',
          type: 'dateTime',
          default: '',
          description:
            'When they were received, which decides the order in which batches are used; now when left out. A time without a zone is of the time zone of the workflow.',
        },
        {
          displayName: 'Spool Price (RUB)',
          name: 'spoolPriceRub',
          type: 'number',
          typeOptions: { minValue: 0, numberPrecision: 2 },
          default: 0,
          description: 'Price of one spool in roubles, from which the cost of a print follows',
        },
      ]),
      collection('options', 'Options', 'Add option', [IDEMPOTENCY_KEY]),
    ],
  ),
  async run(item) {
    const filamentId = item.id('filamentId', 'filament', 'Filament');
    const { receivedAt, spoolPriceRub } = item.options('additionalFields');
    const { idempotencyKey } = item.options('options') as { idempotencyKey?: string };
    const body: IDataObject = { spool_count: item.number('Spool Count', item.parameter('spoolCount')) };
    if (receivedAt) body.received_at = item.timestamp('Received At', receivedAt);
    if (spoolPriceRub !== undefined) body.spool_price_rub = item.number('Spool Price (RUB)', spoolPriceRub);
    return (await item.write('POST', path`/filaments/${filamentId}/batches`, body, { idempotencyKey })).body;
  },
};
