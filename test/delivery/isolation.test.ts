import type { ServerResponse } from 'node:http';
import { deliveriesOf } from '../kit/database.ts';
import { eventually } from '../kit/eventually.ts';
import { type Farm, startFarm } from '../kit/farm.ts';
import { times } from '../kit/length.ts';
import { freePort } from '../kit/ports.ts';
import { deliveryIds, type Receiver, startReceiver, statusesByOrder } from '../kit/receiver.ts';

const ORDERS = 30;
const CHANGES = 10;
/** Consecutive ones differ, so that each is a change. */
const STATUSES = ['confirmed', 'assigned', 'printing', 'packing', 'delivery'];
const EVENTS = ORDERS * CHANGES;
/** Four at once at the hanging receiver, 10 s each. */
const ROUNDS = times(2, 3);

describe(`one dead, one hanging and one good receiver on ${EVENTS} events`, () => {
  const written = Array.from({ length: CHANGES }, (_, i) => STATUSES[i % STATUSES.length] as string);
  let farm: Farm;
  let good: Receiver;
  let hanging: Receiver;
  const held: ServerResponse[] = [];
  let isStopping = false;
  let open = 0;
  let maxOpen = 0;
  let answered = 0;
  /** Orders with a request that the good receiver has not answered yet. */
  const underWay = new Set<string>();
  /** Orders of which a second request arrived meanwhile. */
  const overtaken: string[] = [];
  const subscriptions = { dead: '', hanging: '', good: '' };
  let orders: string[];

  beforeAll(async () => {
    farm = await startFarm();
    // a realistic receiver: some responses take much longer than others
    good = await startReceiver((res, { body }) => {
      const order = String(body.data.id);
      if (underWay.has(order)) overtaken.push(order);
      underWay.add(order);
      answered += 1;
      setTimeout(
        () => {
          underWay.delete(order);
          res.writeHead(204).end();
        },
        answered % 30 === 0 ? 150 : 0,
      );
    });
    hanging = await startReceiver((res) => {
      if (isStopping) res.destroy();
      held.push(res);
      open += 1;
      maxOpen = Math.max(maxOpen, open);
      res.on('close', () => {
        open -= 1;
      });
    });
    subscriptions.dead = await farm.subscribe(`http://127.0.0.1:${await freePort()}/hook`);
    subscriptions.hanging = await farm.subscribe(hanging.url);
    subscriptions.good = await farm.subscribe(good.url);
    orders = await farm.orders(ORDERS);
    await Promise.all(
      orders.map(async (id) => {
        for (const workflow_status of written) await farm.client.put(`/print-jobs/${id}`, { workflow_status });
      }),
    );
  });

  afterAll(async () => {
    await farm?.remove();
    await good?.stop();
    await hanging?.stop();
  });

  test('delivers everything to the good receiver while another hangs', async () => {
    await good.until((all) => all.length >= EVENTS);
    expect(good.received).toHaveLength(EVENTS);
    expect(new Set(deliveryIds(good.received)).size).toBe(EVENTS);
    const seen = statusesByOrder(good.received);
    for (const id of orders) expect(seen.get(id)).toEqual(written);
    expect(overtaken).toEqual([]);
    // it did not wait for the hanging receiver, which had time for a few requests only
    expect(hanging.received.length).toBeLessThan(EVENTS / 10);
  });

  test('records one failure per event of the dead receiver, numbered without gaps', async () => {
    const rows = await eventually(
      () => deliveriesOf(farm.inspector, subscriptions.dead),
      (all) => all.every((row) => row.state === 'failed'),
    );
    expect(new Set(rows.map((row) => row.error))).toEqual(new Set(['connection_refused']));
    expect(rows.map((row) => row.sequence).sort((a, b) => Number(a) - Number(b))).toEqual(
      Array.from({ length: EVENTS }, (_, i) => i + 1),
    );
  });

  test('sends at most 4 requests at once to the hanging receiver, none twice', async () => {
    // a hanging request is given up after 10 s, and the next four follow
    await hanging.until((all) => all.length >= 4 * ROUNDS);
    expect(maxOpen).toBe(4);
    expect(new Set(deliveryIds(hanging.received)).size).toBe(hanging.received.length);
    for (const seen of statusesByOrder(hanging.received).values()) expect(seen).toEqual(written.slice(0, seen.length));
    const rows = await deliveriesOf(farm.inspector, subscriptions.hanging);
    const ended = rows.filter((row) => row.state === 'failed');
    expect(ended.length).toBeGreaterThanOrEqual(4 * (ROUNDS - 1));
    expect(new Set(ended.map((row) => row.error))).toEqual(new Set(['timeout']));
  });

  test('stops on SIGTERM without deliveries left in sending', async () => {
    const stopped = farm.service.stop();
    // the service waits for requests in progress, but not much longer than one of them may take
    isStopping = true;
    for (const res of held) res.destroy();
    expect(await stopped).toBe(0);
    const sent = hanging.received.length;
    const rows = await deliveriesOf(farm.inspector, subscriptions.hanging);
    expect(rows.filter((row) => row.state === 'sending')).toEqual([]);
    expect(rows.filter((row) => row.state === 'failed')).toHaveLength(sent);
    expect(rows.filter((row) => row.state === 'pending')).toHaveLength(EVENTS - sent);
  });
});
