import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
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
/** When each connection got its last response, in ms: earlier than the sender can see it. */
const idleSince = new Map<Socket, number>();
/** How long each connection closed during the burst had been idle, in ms: at least as long as the sender saw it idle. */
const closedAfter: number[] = [];
const receiver = forSuite(() => startReceiver((res) => (holding ? held.push(res) : answer(res))));

function answer(res: ServerResponse): void {
  const socket = res.socket as Socket;
  if (!idleSince.has(socket)) {
    socket.on('close', () => {
      const idle = performance.now() - (idleSince.get(socket) as number);
      if (receiver.received.length < BURST) closedAfter.push(idle);
    });
  }
  idleSince.set(socket, performance.now());
  res.writeHead(204).end();
}

/** In one transaction. */
async function change(ids: string[], workflow_status: string): Promise<void> {
  const { body } = await farm.client.post<{ results: { status: number }[] }>('/print-jobs/status', {
    ids,
    workflow_status,
  });
  expect(body.results.map(({ status }) => status)).toEqual(ids.map(() => 200));
}

test('sockets of deliveries are reused within a burst but not after half a second idle', async () => {
  const subscription = await farm.subscribe(receiver.url);
  const orders = await farm.orders(BURST);
  // one drain sends the burst
  await change(orders, 'confirmed');
  await receiver.until((all) => all.length === 4);
  expect(receiver.connections()).toBe(4);
  holding = false;
  for (const res of held) answer(res);
  await receiver.until((all) => all.length === BURST);
  const connections = receiver.connections();
  const burstEnded = performance.now();
  expect(closedAfter.filter((idle) => idle < MAX_IDLE_MS - 10)).toEqual([]);
  // only on a busy machine: a connection for which the burst had no request for half a second
  const expired = [...idleSince.values()].filter((since) => burstEnded - since > MAX_IDLE_MS);
  expect(connections - expired.length).toBeLessThanOrEqual(4);
  // reusing an idle connection is risky: a sender can't know that the other side has closed it
  await eventually(receiver.openConnections, (open) => open === 0);

  const last = receiver.received.at(-1);
  await eventually(
    () => Date.now() - (last?.at ?? 0),
    (idle) => idle > MAX_IDLE_MS + 100,
  );
  await change(orders.slice(0, 1), 'printing');
  await receiver.until((all) => all.length === BURST + 1);
  expect(receiver.connections()).toBe(connections + 1);
  await eventually(
    () => deliveriesOf(farm.inspector, subscription),
    (rows) => rows.length === BURST + 1 && rows.every((row) => row.state === 'succeeded'),
  );
});
