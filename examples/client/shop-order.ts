// Creates the order of a shop, or updates it: node dist/shop-order.js <shop> <its order number> <model> <pieces>
import { createFarmboard } from './farmboard.ts';

const [source = '', external_id = '', model_name = '', pieces = '1'] = process.argv.slice(2);
const { FARMBOARD_URL: url = 'http://127.0.0.1:3000', TOKEN: token = '' } = process.env;
const farmboard = createFarmboard({ url, token });

const { data: order, response } = await farmboard.PUT('/print-jobs/by-external-id/{source}/{external_id}', {
  params: { path: { source, external_id } },
  body: { model_name, quantity_pieces: Number(pieces) },
});
console.log(`${response.status === 201 ? 'created' : 'updated'} ORDER-${order?.id}: ${order?.quantity_pieces} pieces`);
