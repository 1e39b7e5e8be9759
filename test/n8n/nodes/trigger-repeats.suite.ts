import type { IDataObject } from 'n8n-workflow';
import { createHarness, type Farm } from '../../kit/n8n/harness.ts';
import {
  attemptHeadersOf,
  envelopeOf,
  expectIgnored,
  expectRefused,
  expectRun,
  headersOf,
  SECRET,
  send,
  shipped,
  sign,
  type Trigger,
  toRaw,
} from '../../kit/n8n/trigger-farm.ts';

const MAX_REMEMBERED = 500;
const DELIVERY = '0198c2f4-5d3b-7cc2-a3f1-9b2d6a1e4c70';
const OTHER_DELIVERY = '0198c2f4-5d3b-7cc2-a3f1-9b2d6a1e4c71';

let farm: Farm;
beforeAll(async () => {
  farm = await createHarness({ baseUrl: 'http://127.0.0.1:9/api/v1', accessToken: 'pat_unused' });
});

function make(options: IDataObject, more: Parameters<Farm['trigger']>[1] = {}, secret = SECRET): Trigger {
  const made = farm.trigger({ events: ['order.created'], options }, more);
  made.setMemory({ subscriptionId: 's', secret });
  return made;
}

const numbered = (n: number) => envelopeOf('order.created', { n });

/** The delivery is the same each time; the service resends events as another delivery. */
const SAME = { 'x-svc-delivery': DELIVERY };

test('runs a repeated delivery each time with the option turned off', async () => {
  const trigger = make({ skipRepeated: false });
  const event = numbered(1);
  for (let i = 0; i < 3; i++) expectRun(await send(trigger, event, SAME));
});

test('skips repeated deliveries by default', async () => {
  const trigger = make({});
  const event = numbered(1);
  expectRun(await send(trigger, event, SAME));
  expectIgnored(await send(trigger, event, { ...SAME, 'x-svc-sequence': '8' }));
});

test('runs a resent event, as it is another delivery', async () => {
  const trigger = make({});
  const event = numbered(1);
  expectRun(await send(trigger, event, SAME));
  expectRun(await send(trigger, event, { 'x-svc-delivery': OTHER_DELIVERY }));
  expectIgnored(await send(trigger, event, { 'x-svc-delivery': OTHER_DELIVERY }));
});

describe('with the option', () => {
  test('acknowledges a repeat with 200 without a run', async () => {
    const trigger = make({ skipRepeated: true });
    const event = numbered(1);
    expectRun(await send(trigger, event, { 'x-svc-delivery': DELIVERY }));
    for (let i = 0; i < 3; i++) expectIgnored(await send(trigger, event, { 'x-svc-delivery': DELIVERY }));
  });

  test('ignores differences in unsigned headers other than the delivery', async () => {
    const trigger = make({ skipRepeated: true });
    const raw = toRaw(numbered(1));
    expectRun(await trigger.receive(raw, headersOf(raw, SECRET, SAME)));
    for (const more of [
      { 'x-svc-sequence': '8' },
      { 'x-svc-event': 'order.status_changed' },
      { 'x-request-id': 'new' },
    ] as Record<string, string>[]) {
      expectIgnored(await trigger.receive(raw, headersOf(raw, SECRET, { ...SAME, ...more })));
    }
    expectIgnored(await trigger.receive(raw, attemptHeadersOf(raw, [SECRET], { id: DELIVERY, at: new Date(0) })));
  });

  test('runs once for two concurrent requests', async () => {
    const trigger = make({ skipRepeated: true });
    const event = numbered(1);
    const came = await Promise.all(Array.from({ length: 20 }, () => send(trigger, event, SAME)));
    expect(came.filter(({ items }) => items)).toHaveLength(1);
  });

  test('doesn’t count refused and filtered events as seen', async () => {
    const trigger = make({ skipRepeated: true });
    const raw = toRaw(numbered(1));
    expectRefused(await trigger.receive(raw, headersOf(raw, 'whsec_other')));
    expectRun(await trigger.receive(raw, headersOf(raw)));
    // a test that doesn't run in production may run while listening
    const probe = toRaw(envelopeOf('webhook.test'));
    expectIgnored(await trigger.receive(probe, headersOf(probe)));
    expectRun(await trigger.receive(probe, headersOf(probe), 'manual'));
  });

  test('shares nothing between nodes, copied workflows, test and production', async () => {
    const raw = toRaw(numbered(1));
    const headers = headersOf(raw);
    const first = make({ skipRepeated: true }, { workflowId: 'w1', node: { id: 'same' } });
    const triggers = [
      first,
      make({ skipRepeated: true }, { workflowId: 'w1' }),
      make({ skipRepeated: true }, { workflowId: 'w2', node: { id: 'same' } }),
    ];
    for (const trigger of triggers) expectRun(await trigger.receive(raw, headers));
    expectRun(await first.receive(raw, headers, 'manual'));
    for (const trigger of triggers) expectIgnored(await trigger.receive(raw, headers));
    expectIgnored(await first.receive(raw, headers, 'manual'));
  });

  test('remembers deliveries when the workflow is loaded again', async () => {
    const more = { workflowId: 'w3', node: { id: 'reloaded' } };
    const event = numbered(1);
    expectRun(await send(make({ skipRepeated: true }, more), event, SAME));
    expectIgnored(await send(make({ skipRepeated: true }, more), event, SAME));
  });

  test('stores no event in static data', async () => {
    const trigger = make({ skipRepeated: true });
    const event = numbered(1);
    await send(trigger, event);
    await send(trigger, event);
    expect(trigger.memory()).toStrictEqual({ subscriptionId: 's', secret: SECRET });
  });

  test(`remembers only the last ${MAX_REMEMBERED} deliveries`, async () => {
    const trigger = make({ skipRepeated: true });
    const one = (n: number) => send(trigger, numbered(n), { 'x-svc-delivery': `delivery-${n}` });
    for (let n = 0; n < MAX_REMEMBERED; n++) expectRun(await one(n));
    // the oldest of 500 is still known, and looking it up doesn't refresh it
    expectIgnored(await one(0));
    expectRun(await one(MAX_REMEMBERED));
    expectIgnored(await one(1));
    expectIgnored(await one(MAX_REMEMBERED));
    expectRun(await one(0));
  });
});

describe('signed by Standard Webhooks', () => {
  const KEYED = `whsec_${Buffer.alloc(32, 'key').toString('base64')}`;
  const OLD = `whsec_${Buffer.alloc(32, 'old').toString('base64')}`;
  const ID = '0198c2f4-5d3b-7cc2-a3f1-9b2d6a1e4c72';

  /** The headers of an attempt at one event, each with the ID of another delivery. */
  const attemptOf = (raw: Buffer, at: Date, secrets = [KEYED]): Record<string, string> =>
    headersOf(raw, secrets[0], attemptHeadersOf(raw, secrets, { id: ID, at }));

  const now = new Date();
  const later = new Date(now.getTime() + 1_000);
  const raw = toRaw(numbered(1));

  test('skips a repetition under the ID of another delivery, and runs a later attempt', async () => {
    const trigger = make({}, {}, KEYED);
    expectRun(await trigger.receive(raw, attemptOf(raw, now)));
    for (let n = 0; n < 3; n++) expectIgnored(await trigger.receive(raw, attemptOf(raw, now)));
    expectRun(await trigger.receive(raw, attemptOf(raw, later)));
    expectIgnored(await trigger.receive(raw, attemptOf(raw, now)));
  });

  test('refuses a repetition that claims to be another attempt or leaves these headers out', async () => {
    const trigger = make({}, {}, KEYED);
    const signed = attemptOf(raw, now);
    expectRun(await trigger.receive(raw, signed));
    for (const name of ['webhook-id', 'webhook-timestamp', 'webhook-signature']) {
      const { [name]: value = '', ...others } = signed;
      expectRefused(await trigger.receive(raw, others));
      expectRefused(await trigger.receive(raw, { ...others, [name]: '' }));
      expectRefused(await trigger.receive(raw, { ...others, [name]: `${value}1` }));
    }
    expectRefused(await trigger.receive(raw, { 'x-svc-signature': sign(KEYED, raw), ...SAME }));
    expectRefused(await trigger.receive(toRaw(numbered(2)), signed));
  });

  test('takes either of two secrets that are valid side by side', async () => {
    for (const secret of [KEYED, OLD])
      expectRun(await make({}, {}, secret).receive(raw, attemptOf(raw, now, [OLD, KEYED])));
    expectRefused(await make({}, {}, KEYED).receive(raw, attemptOf(raw, now, [OLD])));
  });
});

describe('the memory of all triggers', () => {
  const { isFirst } = shipped<{ isFirst(trigger: string, delivery: string): boolean }>('trigger/repeats.js');

  test(`holds ${MAX_REMEMBERED} triggers and forgets the one without events for longest`, () => {
    expect(isFirst('busy', 'e0')).toBe(true);
    expect(isFirst('quiet', 'e0')).toBe(true);
    for (let n = 0; n < MAX_REMEMBERED; n++) {
      expect(isFirst(`other ${n}`, 'e')).toBe(true);
      if (n % 100 === 0) expect(isFirst('busy', `e ${n}`)).toBe(true);
    }
    expect(isFirst('busy', 'e0')).toBe(false);
    expect(isFirst('quiet', 'e0')).toBe(true);
  });

  test('stays bounded for 100,000 events of one trigger and for 5,000 triggers', () => {
    // observes the set behind the trigger: the first `add` to any set is that of its first event
    let kept: Set<unknown> | undefined;
    const add = jest.spyOn(Set.prototype, 'add').mockImplementation(function (this: Set<unknown>, value) {
      add.mockRestore();
      kept = this;
      return this.add(value);
    });
    isFirst('watched', 'first');
    add.mockRestore();
    expect(kept?.size).toBe(1);

    let most = 0;
    for (let n = 0; n < 100_000; n++) {
      isFirst('watched', `event ${n}`);
      most = Math.max(most, kept?.size ?? Number.POSITIVE_INFINITY);
    }
    expect(most).toBeLessThanOrEqual(MAX_REMEMBERED + 1);
    expect(kept?.size).toBe(MAX_REMEMBERED);

    for (let n = 0; n < 5_000; n++) isFirst(`trigger ${n}`, 'e');
    expect(isFirst('trigger 4999', 'e')).toBe(false);
    expect(isFirst('trigger 4500', 'e')).toBe(false);
    expect(isFirst('trigger 4499', 'e')).toBe(true);
  });
});

test.each<[number, string[]]>([
  [5, ['a', 'b', 'c']],
  [3, ['a', 'b', 'c']],
  [2, ['b', 'c']],
  [0, []],
])('forgets the oldest beyond %i', (most, left) => {
  const { dropOldest } = shipped<{ dropOldest(entries: Set<string>, most: number): void }>('shared/bounded.js');
  const entries = new Set(['a', 'b', 'c']);
  dropOldest(entries, most);
  expect([...entries]).toStrictEqual(left);
});
