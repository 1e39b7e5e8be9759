import type { IDataObject } from 'n8n-workflow';
import { BATCHING, collection, DRY_RUN, fieldsOf, IF_MATCH, outputFields } from '../../shared/descriptions';
import { orderLocator } from '../../shared/locators';
import type { Operation } from '../../shared/operation';
import { toStatus } from '../../shared/vocabulary';
import { ORDER, ORDER_NOTES, PRINTER, toOrderBody, WORKFLOW_STATUS } from './fields';
import { putOrder } from './put-order';

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
          'The status to set. An unknown status is refused and the order stays unchanged. Cancelled and Closed orders leave the work list.',
      },
      ...outputFields(ORDER),
      collection('options', 'Options', 'Add option', [BATCHING, DRY_RUN, IF_MATCH, ORDER_NOTES, PRINTER]),
    ],
  ),
  async run(item) {
    const options = item.options('options');
    const also: IDataObject = {};
    for (const name of ['orderNotes', 'printerId']) if (name in options) also[name] = options[name];
    const workflowStatus = toStatus(item.text('workflowStatus', 'Workflow Status'));
    return await putOrder(item, { workflow_status: workflowStatus, ...toOrderBody(item, also) });
  },
};
