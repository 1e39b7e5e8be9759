import { setTimeout as sleep } from 'node:timers/promises';
import { type Cluster, startCluster } from '../kit/cluster.ts';
import { eventually } from '../kit/eventually.ts';
import { deliveryIds, type Receiver, startReceiver } from '../kit/receiver.ts';
import { withShiftedClock } from '../kit/service.ts';

/** Long enough for several sweeps while a request is in flight. */
const ANSWER_AFTER_MS = 3_000;
const ORDERS = 8;

describe('machines whose clocks differ', () => {
  let cluster: Cluster;
  let receiver: Receiver;

  beforeEach(async () => {
    receiver = await startReceiver((res) => void sleep(ANSWER_AFTER_MS).then(() => res.writeHead(204).end()));
    cluster = await startCluster({ apis: 1, workers: 0 });
  });

  afterEach(async () => {
    await cluster?.stop();
    await receiver?.stop();
  });

  test.each([
    ['15 seconds', 15_000],
    ['an hour', 3_600_000],
  ])('send each event once and record that it succeeded: one %s ahead, one behind', async (_name, shift) => {
    const ahead = await cluster.startWorker(withShiftedClock(shift));
    const behind = await cluster.startWorker(withShiftedClock(-shift));
    cluster.worker.push(ahead, behind);
    const { orders, clients } = await cluster.join(ORDERS, receiver.url);
    // the one behind makes the first claims, which the one ahead then looks at in every sweep
    process.kill(ahead.pid, 'SIGSTOP');
    await Promise.all(orders.map((id) => clients[0]!.put(`/print-jobs/${id}`, { workflow_status: 'confirmed' })));
    await receiver.until((all) => all.length > 0);
    process.kill(ahead.pid, 'SIGCONT');
    const rows = await eventually(
      () => cluster.inspector.rows<{ id: string; state: string; error: string | null }>('SELECT * FROM deliveries'),
      (all) => all.length === ORDERS && all.every(({ state }) => state !== 'pending' && state !== 'sending'),
    );
    expect(rows.map(({ state, error }) => error ?? state)).toEqual(Array(ORDERS).fill('succeeded'));
    expect(deliveryIds(receiver.received).sort()).toEqual(rows.map(({ id }) => id).sort());
  });
});
