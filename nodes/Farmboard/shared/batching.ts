import type { IExecuteFunctions } from 'n8n-workflow';
import { BATCHING } from './descriptions';
import type { Operation } from './operation';
import { pause } from './pause';

interface Batching {
  batchSize?: number;
  batchInterval?: number;
}

/** Pauses before the first item of each further batch of a writing operation. */
export async function pauseBetweenBatches(
  context: IExecuteFunctions,
  { fields }: Operation,
  itemIndex: number,
): Promise<void> {
  const options = fields.find(({ name }) => name === 'options')?.options ?? [];
  if (!options.includes(BATCHING)) return;
  // read from the first item for all, as the HTTP Request node does
  const batching = context.getNodeParameter('options.batching', 0, null) as { batch?: Batching } | null;
  if (!batching) return;
  const { batchSize = 50, batchInterval = 1000 } = batching.batch ?? {};
  if (itemIndex === 0 || batchSize < 0 || batchInterval <= 0) return;
  if (itemIndex % Math.max(1, batchSize) === 0) await pause(context, batchInterval);
}
