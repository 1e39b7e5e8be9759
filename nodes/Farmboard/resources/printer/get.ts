import { fieldsOf, SIMPLIFY } from '../../shared/descriptions';
import { printerLocator } from '../../shared/locators';
import { type Operation, simplify } from '../../shared/operation';
import { path } from '../../shared/transport';
import { SIMPLE_PRINTER } from './fields';

export const get: Operation = {
  fields: fieldsOf('printer', ['get'], [printerLocator, SIMPLIFY]),
  async run(item) {
    const { body } = await item.read(path`/printers/${item.id('printerId', 'printer', 'Printer')}`);
    return simplify(item, body, SIMPLE_PRINTER);
  },
};
