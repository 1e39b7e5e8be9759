import type { ServerResponse } from 'node:http';
import { deliveriesOf } from '../kit/database.ts';
import { eventually } from '../kit/eventually.ts';
import { type Farm, startFarm } from '../kit/farm.ts';
import { deliveryIds, type Receiver, startReceiver } from '../kit/receiver.ts';

const BURST = 40;
/** A connection that was idle for longer than this is not used again. */
const MAX_IDLE_MS = 500;

describe('sockets of deliveries', () => {
  let farm: Farm;
  let receiver: Receiver;

  beforeAll(async () => {
    farm = await startFarm();
  });

  afterAll(() => farm?.remove());
  afterEach(() => receiver.stop());

  async function change(orders: string[], workflow_status: string): Promise<void> {
    const answers = await Promise.all(orders.map((id) => farm.client.put(`/print-jobs/${id}`, { workflow_status })));
    expect(answers.filter(({ status }) => status !== 200)).toEqual([]);
  }

  /** Sends a burst by one drain: it is committed while the first four requests wait for their responses. */
  async function sendBurst(respond: (res: ServerResponse) => void) {
    let holding = true;
    const held: ServerResponse[] = [];
    receiver = await startReceiver((res) => {
      if (holding) held.push(res);
      else respond(res);
    });
    const subscription = await farm.subscribe(receiver.url);
    const orders = await farm.orders(BURST);
    await change(orders, 'confirmed');
    await receiver.until((all) => all.length === 4);
    holding = false;
    for (const res of held) respond(res);
    await receiver.until((all) => all.length === BURST);
    return { subscription, orders };
  }

  test('are reused within a burst but not after half a second idle', async () => {
    const { subscription, orders } = await sendBurst((res) => res.writeHead(204).end());
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

  test('that a receiver closes at their second request fail that request only, and repeat nothing', async () => {
    const requests = new Map<unknown, number>();
    let closed = 0;
    const { subscription } = await sendBurst((res) => {
      const nth = (requests.get(res.socket) ?? 0) + 1;
      requests.set(res.socket, nth);
      if (nth === 2) {
        closed++;
        res.socket?.destroy();
      } else res.writeHead(204).end();
    });
    const rows = await eventually(
      () => deliveriesOf(farm.inspector, subscription),
      (all) => all.every((row) => row.state === 'succeeded' || row.state === 'failed'),
    );
    expect(new Set(deliveryIds(receiver.received)).size).toBe(BURST);
    expect(receiver.received).toHaveLength(BURST);
    const outcomes = rows.map((row) => row.error ?? 'succeeded').sort();
    // half of them, but for a connection that a busy machine left idle for too long
    expect(closed).toBeGreaterThan(0);
    expect(outcomes).toEqual([...Array(closed).fill('connection_reset'), ...Array(BURST - closed).fill('succeeded')]);
  });

  test('loses and repeats nothing if a receiver closes with Connection: close', async () => {
    receiver = await startReceiver((res) => void res.writeHead(204, { Connection: 'close' }).end());
    const subscription = await farm.subscribe(receiver.url);
    const orders = await farm.orders(20);
    for (const status of ['confirmed', 'printing', 'packing']) await change(orders, status);
    await expectAll(subscription, 60);
  });

  // A receiver that closes without warning can't be recognized until the end of the connection arrives. Requests sent
  // before that are lost and never repeated, so each event here waits until the socket of the last one is closed.
  test('loses nothing if a receiver closes without announcing it', async () => {
    receiver = await startReceiver((res) => void res.socket?.end('HTTP/1.1 204 No Content\r\n\r\n'));
    const subscription = await farm.subscribe(receiver.url);
    const orders = await farm.orders(1);
    for (let round = 1; round <= 20; round++) {
      await change(orders, round % 2 === 1 ? 'confirmed' : 'printing');
      await eventually(
        async () => ({
          requests: receiver.received.length,
          open: await receiver.openConnections(),
          last: (await deliveriesOf(farm.inspector, subscription)).at(-1),
        }),
        ({ requests, open }) => requests === round && open === 0,
      );
    }
    await expectAll(subscription, 20);
  });

  /** All arrived once, each on its own connection. */
  async function expectAll(subscription: string, count: number): Promise<void> {
    const rows = await eventually(
      () => deliveriesOf(farm.inspector, subscription),
      (all) => all.length === count && all.every((row) => row.state === 'succeeded' || row.state === 'failed'),
    );
    expect(rows.filter((row) => row.state !== 'succeeded')).toEqual([]);
    expect(receiver.received).toHaveLength(count);
    expect(new Set(deliveryIds(receiver.received)).size).toBe(count);
    expect(receiver.connections()).toBe(count);
  }
});
