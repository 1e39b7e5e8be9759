import { fieldsOf, outputFields } from '../../shared/descriptions';
import { invoiceLocator } from '../../shared/locators';
import { type Operation, toOutput } from '../../shared/operation';
import { path } from '../../shared/transport';
import { INVOICE } from './fields';

export const get: Operation = {
  fields: fieldsOf('invoice', ['get'], [invoiceLocator, ...outputFields(INVOICE)]),
  async run(item) {
    const { body } = await item.read(path`/invoices/${item.id('invoiceId', 'invoice', 'Invoice')}`);
    return toOutput(item, body, INVOICE);
  },
};
