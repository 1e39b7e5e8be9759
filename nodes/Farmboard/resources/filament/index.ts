import type { Resource } from '../../shared/operation';
import { addBatch } from './addBatch';
import { consume } from './consume';
import { create } from './create';
import { get } from './get';
import { getAll } from './getAll';
import { getBatches } from './getBatches';
import { getLabel } from './getLabel';
import { getLedger } from './getLedger';
import { stocktake } from './stocktake';
import { undo } from './undo';
import { update } from './update';

export const filament: Resource = {
  operation: {
    displayName: 'Operation',
    name: 'operation',
    type: 'options',
    noDataExpression: true,
    displayOptions: { show: { resource: ['filament'] } },
    options: [
      {
        name: 'Add Batch',
        value: 'addBatch',
        action: 'Add a batch to a filament',
        description: 'Add newly received spools to the stock',
      },
      {
        name: 'Consume',
        value: 'consume',
        action: 'Consume filament',
        description: 'Deduct grams from the stock, oldest batch first; nothing is deducted if there is not enough',
      },
      {
        name: 'Create',
        value: 'create',
        action: 'Create a filament',
        description: 'Add a filament to the stock, with its first spools if there are any',
      },
      {
        name: 'Get',
        value: 'get',
        action: 'Get a filament',
        description: 'Retrieve a filament and its remaining grams',
      },
      {
        name: 'Get Batches',
        value: 'getBatches',
        action: 'Get the batches of a filament',
        description: 'Retrieve the spools received together, newest first',
      },
      {
        name: 'Get Label',
        value: 'getLabel',
        action: 'Get the label of a filament',
        description: 'Download the QR label as a picture, to print it or send it',
      },
      {
        name: 'Get Ledger',
        value: 'getLedger',
        action: 'Get the ledger of a filament',
        description: 'Retrieve every change of its stock, newest first',
      },
      {
        name: 'Get Many',
        value: 'getAll',
        action: 'Get many filaments',
        description: 'Retrieve a list of filaments, for example those low on stock',
      },
      {
        name: 'Stocktake',
        value: 'stocktake',
        action: 'Enter a stocktake of a filament',
        description: 'Correct the stock by what the scale shows; the difference is recorded in the ledger',
      },
      {
        name: 'Undo',
        value: 'undo',
        action: 'Undo a ledger entry of a filament',
        description: 'Reverse a deduction, a stocktake or the receipt of spools, once',
      },
      {
        name: 'Update',
        value: 'update',
        action: 'Update a filament',
        description: 'Change what describes a filament, such as its low-stock threshold',
      },
    ],
    default: 'getAll',
  },
  operations: { addBatch, consume, create, get, getAll, getBatches, getLabel, getLedger, stocktake, undo, update },
};
