import type { IDataObject, INodeProperties } from 'n8n-workflow';
import { BATCHING, collection, DRY_RUN, fieldsOf, idempotencyKey, outputFields } from '../../shared/descriptions';
import { filamentLocator, optional, orderLocator, printerLocator } from '../../shared/locators';
import { type Operation, toOutput } from '../../shared/operation';
import { path } from '../../shared/transport';
import { FILAMENT, NOTE } from './fields';

/** A string field, because n8n marks only empty strings as missing; a number field would start at 0. */
const GRAMS: INodeProperties = {
  displayName: 'Grams',
  name: 'grams',
  type: 'string',
  default: '',
  placeholder: 'e.g. 182.5',
  required: true,
  description:
    'Grams to take from the stock, more than 0 and rounded to three decimals. The oldest batch is used first.',
};

const ORDER: INodeProperties = {
  ...optional(orderLocator),
  description: 'The order that used the filament; its history shows the cost',
};

export const consume: Operation = {
  fields: fieldsOf(
    'filament',
    ['consume'],
    [
      filamentLocator,
      GRAMS,
      ORDER,
      ...outputFields(FILAMENT),
      collection('options', 'Options', 'Add option', [
        {
          displayName: 'Allow Overdraw',
          name: 'allowOverdraw',
          type: 'boolean',
          default: false,
          description:
            'Whether to deduct the grams even if there is not enough; the filament is then marked for review',
        },
        BATCHING,
        DRY_RUN,
        idempotencyKey('e.g. {{ $json.order_id }}-consumed'),
        { ...NOTE, placeholder: 'e.g. second try after a failed print' },
        { ...optional(printerLocator), description: 'The printer that used the filament' },
      ]),
    ],
  ),
  async run(item) {
    const filamentId = item.id('filamentId', 'filament', 'Filament');
    const grams = item.number('Grams', item.parameter('grams'));
    if (grams <= 0) throw item.fault('Grams', `${grams} is not more than 0`, 'Enter the grams that were used.');

    const { allowOverdraw, idempotencyKey: key, note, printerId } = item.options('options');
    const body: IDataObject = { grams };
    if (allowOverdraw) body.allow_overdraw = true;
    if (note) body.note = note;
    const order = item.optionalId('orderId', 'order', 'Order');
    if (order !== undefined) body.order_id = order;
    // an added field is intentional: an empty expression result is an error
    if (printerId !== undefined) body.printer_id = item.toId('printer', 'Printer', printerId);
    const request = path`/filaments/${filamentId}/consume`;
    const answer = await item.write('POST', request, body, { idempotencyKey: key as string | undefined });
    const filament = toOutput(item, answer.body, FILAMENT);
    // only if a print report deducted for the same order
    const already = answer.headers['x-svc-already-deducted'];
    return already === undefined ? filament : { ...filament, already_deducted_grams: Number(already) };
  },
};
