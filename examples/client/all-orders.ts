// Lists every order that isn't closed: node dist/all-orders.js
import { createFarmboard, itemsOf } from './farmboard.ts';

const { FARMBOARD_URL: url = 'http://127.0.0.1:3000', TOKEN: token = '' } = process.env;
const farmboard = createFarmboard({ url, token });

const orders = itemsOf((cursor) =>
  farmboard.GET('/print-jobs', { params: { query: { per_page: 200, sort: 'created_at', cursor } } }),
);
for await (const { id, workflow_status, model_name } of orders)
  console.log(`ORDER-${id} ${workflow_status} ${model_name}`);
