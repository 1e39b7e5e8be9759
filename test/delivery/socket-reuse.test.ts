import type { ServerResponse } from 'node:http';
import { deliveriesOf } from '../kit/database.ts';
import { eventually } from '../kit/eventually.ts';
import { startFarm } from '../kit/farm.ts';
import { forSuite } from '../kit/opened.ts';
import { startReceiver } from '../kit/receiver.ts';

const BURST = 40;
/** A connection that was idle for longer than this is not used again. */
const MAX_IDLE_MS = 500;

const farm = forSuite(startFarm);
let holding = true;
const held: ServerResponse[] = [];
const answer = (res: ServerResponse) => void res.writeHead(204).end();
const receiver = forSuite(() => startReceiver((res) => (holding ? held.push(res) : answer(res))));

async function change(orders: string[], workflow_status: string): Promise<void> {
  const answers = await Promise.all(orders.map((id) => farm.client.put(`/print-jobs/${id}`, { workflow_status })));
  expect(answers.filter(({ status }) => status !== 200)).toEqual([]);
}

test('sockets of deliveries are reused within a burst but not after half a second idle', async () => {
  const subscription = await farm.subscribe(receiver.url);
  const orders = await farm.orders(BURST);
  // one drain sends the burst: it is committed while the first four requests wait for their responses
  await change(orders, 'confirmed');
  await receiver.until((all) => all.length === 4);
  holding = false;
  for (const res of held) answer(res);
  await receiver.until((all) => all.length === BURST);
  expect(receiver.connections()).toBe(4);
  // reusing an idle connection is risky: a sender can't know that the other side has closed it
  await eventually(receiver.openConnections, (open) => open === 0);

  const [last] = receiver.received.slice(-1);
  await eventually(
    () => Date.now() - (last?.at ?? 0),
    (idle) => idle > MAX_IDLE_MS + 100,
  );
  await change(orders.slice(0, 1), 'printing');
  await receiver.until((all) => all.length === BURST + 1);
  expect(receiver.connections()).toBe(5);
  await eventually(
    () => deliveriesOf(farm.inspector, subscription),
    (rows) => rows.length === BURST + 1 && rows.every((row) => row.state === 'succeeded'),
  );
});
