import type { IDataObject } from 'n8n-workflow';
import { collection, fieldsOf, IF_MATCH } from '../../shared/descriptions';
import { orderLocator } from '../../shared/locators';
import type { Operation } from '../../shared/operation';
import { ORDER_NOTES, PRINTER, toOrderBody, WORKFLOW_STATUS } from './fields';
import { putOrder } from './write';

export const setStatus: Operation = {
  fields: fieldsOf(
    'order',
    ['setStatus'],
    [
      orderLocator,
      {
        ...WORKFLOW_STATUS,
        required: true,
        description:
          'The status to set. A value that is not listed is refused and the order stays as it is. Setting Cancelled or Closed takes the order off the work list.',
      },
      collection('options', 'Options', 'Add option', [IF_MATCH, ORDER_NOTES, PRINTER]),
    ],
  ),
  async run(item) {
    const options = item.options('options');
    const also: IDataObject = {};
    for (const name of ['orderNotes', 'printerId']) if (name in options) also[name] = options[name];
    const workflowStatus = item.parameter<string | undefined>('workflowStatus');
    if (workflowStatus === undefined) {
      throw item.fault(
        'Workflow Status',
        'it is empty',
        'Choose one, or look at what the expression gives for this item.',
      );
    }
    return await putOrder(item, { workflow_status: workflowStatus, ...toOrderBody(item, also) });
  },
};
