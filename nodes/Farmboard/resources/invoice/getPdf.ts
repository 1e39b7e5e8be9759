import { BINARY_FIELD, fieldsOf } from '../../shared/descriptions';
import { invoiceLocator } from '../../shared/locators';
import type { Operation } from '../../shared/operation';
import { path } from '../../shared/transport';

export const getPdf: Operation = {
  fields: fieldsOf('invoice', ['getPdf'], [invoiceLocator, BINARY_FIELD]),
  async run(item) {
    return await item.download(path`/invoices/${item.id('invoiceId', 'invoice', 'Invoice')}/pdf`, 'application/pdf');
  },
};
