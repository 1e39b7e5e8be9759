import { deliveriesOf } from '../kit/database.ts';
import { eventually } from '../kit/eventually.ts';
import { type Farm, startFarm } from '../kit/farm.ts';
import { deliveryIds, type Received, type Receiver, startReceiver } from '../kit/receiver.ts';

/** 1 s until a wake-up counts as lost, half a second between two sweeps, and the delivery itself. */
const SWEPT_WITHIN_MS = 2_500;
const CLAIM_MS = 14_000;

describe('the sweep', () => {
  let farm: Farm;
  let receiver: Receiver;
  /** while true the receiver withholds its responses */
  let holding = false;
  let held: (() => void)[] = [];

  function release(): void {
    holding = false;
    for (const answer of held.splice(0)) answer();
  }

  beforeAll(async () => {
    // over Redis either process might deliver, but each must send what it committed
    farm = await startFarm({ REDIS_URL: undefined });
  });

  afterAll(() => farm?.remove());

  beforeEach(async () => {
    held = [];
    receiver = await startReceiver((res) => {
      const answer = () => void res.writeHead(204).end();
      if (holding) held.push(answer);
      else answer();
    });
  });

  afterEach(async () => {
    const subscriptions = await farm.client.get<{ items: { id: string }[] }>('/webhook-subscriptions');
    for (const { id } of subscriptions.body.items) await farm.client.delete(`/webhook-subscriptions/${id}`);
    await receiver.stop();
  });

  /**
   * Stops a process where it is, but not inside a transaction: SQLite's single writer would then block every other
   * process on the file.
   */
  async function suspendProcess(pid: number, order: string): Promise<void> {
    for (let tries = 1; ; tries++) {
      process.kill(pid, 'SIGSTOP');
      try {
        const signal = AbortSignal.timeout(1_000);
        await farm.client.put(`/print-jobs/${order}`, { order_notes: `written beside it, ${tries}` }, { signal });
        return;
      } catch (error) {
        process.kill(pid, 'SIGCONT');
        if (tries === 5) throw error;
      }
    }
  }

  test('delivers what a killed process committed but not what it was sending', async () => {
    const orders = await farm.orders(12);
    const subscription = await farm.subscribe(receiver.url);
    const other = await farm.startProcess();
    holding = true;
    const answers = await Promise.all(
      orders.map((id) => other.client.put(`/print-jobs/${id}`, { workflow_status: 'confirmed' })),
    );
    // it sends four, the maximum, while eight are committed and wait
    await receiver.until((all) => all.length === 4);
    await other.service.kill();
    const killedAt = Date.now();
    const underWay = deliveryIds(receiver.received);
    // the connection of the withheld response is gone; further requests are answered at once
    release();

    await receiver.until((all) => all.length === 12);
    const committed = Math.max(...answers.map((answer) => Date.parse(String(answer.body.updated_at))));
    const swept = receiver.received.slice(4);
    process.stdout.write(
      `sweep.test: found and sent ${swept[0]!.at - killedAt} to ${swept.at(-1)!.at - killedAt} ms after the kill\n`,
    );
    expect(Math.max(...swept.map((one: Received) => one.at))).toBeLessThan(
      Math.max(committed, killedAt) + SWEPT_WITHIN_MS,
    );

    const rows = await eventually(
      () => deliveriesOf(farm.inspector, subscription),
      (all) => all.every((row) => row.state === 'succeeded' || row.state === 'failed'),
    );
    const failed = rows.filter((row) => row.state === 'failed');
    expect(failed.map((row) => row.id).sort()).toEqual([...underWay].sort());
    expect(failed.every((row) => row.error === 'interrupted')).toBe(true);
    expect(new Set(deliveryIds(receiver.received)).size).toBe(12);
    expect(new Set(receiver.received.map((one) => one.body.data.id)).size).toBe(12);
    expect(rows.map((row) => row.sequence).sort((a, b) => Number(a) - Number(b))).toEqual(rows.map((_, i) => i + 1));
    // a later change of the same orders is delivered as usual
    for (const id of orders) await farm.client.put(`/print-jobs/${id}`, { workflow_status: 'printing' });
    await receiver.until((all) => all.length === 24);
    expect(new Set(deliveryIds(receiver.received)).size).toBe(24);
  });

  test('doesn’t let a suspended process overwrite later results', async () => {
    const [first, second] = (await farm.orders(2)) as [string, string];
    const subscription = await farm.subscribe(receiver.url);
    const other = await farm.startProcess();
    holding = true;
    await other.client.put(`/print-jobs/${first}`, { workflow_status: 'confirmed' });
    await receiver.until((all) => all.length === 1);
    await suspendProcess(other.service.pid, second);
    try {
      const stoppedAt = Date.now();
      const [row] = await eventually(
        () => deliveriesOf(farm.inspector, subscription),
        ([one]) => one?.state !== 'sending',
      );
      const took = Date.now() - stoppedAt;
      expect(row).toMatchObject({ state: 'failed', error: 'interrupted' });
      // not before the claim expires: until then it might still be sending
      expect(took).toBeGreaterThan(CLAIM_MS - 2_000);
      // the subscription continues without it
      release();
      await farm.client.put(`/print-jobs/${second}`, { workflow_status: 'confirmed' });
      await receiver.until((all) => all.length === 2);
    } finally {
      process.kill(other.service.pid, 'SIGCONT');
    }
    // it resumes, finds its attempt ended and records that before it exits
    expect(await other.service.stop()).toBe(0);
    const rows = await deliveriesOf(farm.inspector, subscription);
    expect(rows).toHaveLength(2);
    expect(rows[0]).toMatchObject({ state: 'failed', error: 'interrupted', response_status: null });
    expect(rows[1]).toMatchObject({ state: 'succeeded', response_status: 204 });
    expect(receiver.received).toHaveLength(2);
  });
});
