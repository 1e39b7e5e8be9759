import type { Operation } from '../../shared/operation';

export const getSummary: Operation = {
  fields: [],
  async run(item) {
    return (await item.read('/summary')).body;
  },
};
