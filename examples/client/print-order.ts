// Takes an order through its print: node dist/print-order.js ORDER-<id> <ID of a filament> <grams>
import { createFarmboard, dataOf, FarmboardError } from './farmboard.ts';

const [label = '', filament = '', grams = ''] = process.argv.slice(2);
const { FARMBOARD_URL: url = 'http://127.0.0.1:3000', TOKEN: token = '' } = process.env;
const farmboard = createFarmboard({ url, token });

const order = await dataOf(farmboard.GET('/print-jobs/{id}', { params: { path: { id: label } } }));
for (const workflow_status of ['assigned', 'printing', 'done'] as const)
  await farmboard.PUT('/print-jobs/{id}', { params: { path: { id: order.id } }, body: { workflow_status } });

// a key that is the order's own: starting this again deducts nothing more
const header = { 'Idempotency-Key': `print-of-${order.id}` };
try {
  const { name, remaining_grams } = await dataOf(
    farmboard.POST('/filaments/{id}/consume', {
      params: { path: { id: filament }, header },
      body: { grams: Number(grams), order_id: order.id },
    }),
  );
  console.log(`${order.model_name} is done, ${remaining_grams} g of ${name} are left`);
} catch (error) {
  if (!(error instanceof FarmboardError && error.problem.code === 'insufficient_stock')) throw error;
  console.error(`${order.model_name} is done, but ${error.problem.shortage_grams} g are missing in stock`);
  process.exitCode = 1;
}
