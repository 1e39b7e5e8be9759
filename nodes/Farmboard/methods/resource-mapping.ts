import type { ILoadOptionsFunctions, ResourceMapperFields } from 'n8n-workflow';
import { MAPPED_FIELDS } from '../resources/order/fields';
import { toSnake } from '../shared/operation';

/**
 * The fields of an order by their names in the API, so that items with these names map by themselves. All are text: n8n
 * would turn an empty text into the number 0.
 */
export async function getOrderFields(this: ILoadOptionsFunctions): Promise<ResourceMapperFields> {
  return {
    fields: MAPPED_FIELDS.map(({ name, displayName }) => ({
      id: toSnake(name),
      displayName,
      type: 'string',
      required: false,
      display: true,
      defaultMatch: false,
      canBeUsedToMatch: false,
    })),
  };
}
