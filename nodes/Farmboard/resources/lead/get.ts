import { fieldsOf, outputFields } from '../../shared/descriptions';
import { leadLocator } from '../../shared/locators';
import { type Operation, toOutput } from '../../shared/operation';
import { path } from '../../shared/transport';
import { LEAD } from './fields';

export const get: Operation = {
  fields: fieldsOf('lead', ['get'], [leadLocator, ...outputFields(LEAD)]),
  async run(item) {
    const { body } = await item.read(path`/leads/${item.id('leadId', 'lead', 'Lead')}`);
    return toOutput(item, body, LEAD);
  },
};
