import type { IDataObject } from 'n8n-workflow';
import { collection, fieldsOf, IDEMPOTENCY_KEY } from '../../shared/descriptions';
import { filamentLocator, optional, orderLocator, printerLocator } from '../../shared/locators';
import { type Operation, toThreePlaces } from '../../shared/operation';
import { path } from '../../shared/transport';

export const consume: Operation = {
  fields: fieldsOf(
    'filament',
    ['consume'],
    [
      filamentLocator,
      {
        displayName: 'Grams',
        name: 'grams',
        type: 'number',
        typeOptions: { minValue: 0, numberPrecision: 3 },
        default: 0,
        required: true,
        description: 'Grams to take off the stock, more than 0, rounded to three decimals; the oldest batch goes first',
      },
      collection('options', 'Options', 'Add option', [
        {
          displayName: 'Allow Overdraw',
          name: 'allowOverdraw',
          type: 'boolean',
          default: false,
          description: 'Whether to book the grams also when there is not enough: the filament then needs a review',
        },
        IDEMPOTENCY_KEY,
        {
          displayName: 'Note',
          name: 'note',
          type: 'string',
          default: '',
          placeholder: 'e.g. second try after a failed print',
          description: 'A remark for the ledger',
        },
        { ...optional(orderLocator), description: 'The order it was used for: noted in its history with the cost' },
        { ...optional(printerLocator), description: 'The printer it was used on' },
      ]),
    ],
  ),
  async run(item) {
    const filamentId = item.id('filamentId', 'filament', 'Filament');
    const grams = toThreePlaces(item.number('Grams', item.parameter('grams')));
    if (grams <= 0) throw item.fault('Grams', `${grams} is not more than 0`, 'Give the grams that were used.');

    const { allowOverdraw, idempotencyKey, note, orderId, printerId } = item.options('options');
    const body: IDataObject = { grams };
    if (allowOverdraw) body.allow_overdraw = true;
    if (note) body.note = note;
    // a field that was added is meant: left empty by an expression it is told, not dropped
    if (orderId !== undefined) body.order_id = item.toId('order', 'Order', orderId);
    if (printerId !== undefined) body.printer_id = item.toId('printer', 'Printer', printerId);
    const request = path`/filaments/${filamentId}/consume`;
    return (await item.write('POST', request, body, { idempotencyKey: idempotencyKey as string | undefined })).body;
  },
};
