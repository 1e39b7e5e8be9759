import * as crypto from 'node:crypto';
import fc from 'fast-check';
import type { IDataObject } from 'n8n-workflow';
import { CODE_POINT } from '../../kit/code-point.ts';
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
  sign,
  type Trigger,
  toRaw,
  warned,
} from '../../kit/n8n/trigger-farm.ts';

const NOW = Date.parse('2026-11-21T12:00:00.000Z');
const ORDER = { id: '0198c2f4-5d3b-7cc2-a3f1-9b2d6a1e4c70', model_name: 'Bracket', workflow_status: 'printing' };

let farm: Farm;
let trigger: Trigger;

/** Only the clock stands still; timers are real. */
function setClock(now: number) {
  jest.useFakeTimers({
    now,
    doNotFake: [
      'hrtime',
      'nextTick',
      'performance',
      'queueMicrotask',
      'setImmediate',
      'clearImmediate',
      'setInterval',
      'clearInterval',
      'setTimeout',
      'clearTimeout',
    ],
  });
}

const make = (parameters: IDataObject = {}, memory: IDataObject = { subscriptionId: 's', secret: SECRET }): Trigger => {
  const made = farm.trigger({ events: ['*'], ...parameters });
  made.setMemory(memory);
  return made;
};

beforeAll(async () => {
  // nothing is requested here, so nothing needs to be at this address
  farm = await createHarness({ baseUrl: 'http://127.0.0.1:9/api/v1', accessToken: 'pat_unused' });
});
beforeEach(() => {
  setClock(NOW);
  trigger = make();
});
afterEach(() => jest.useRealTimers());

describe('the signature', () => {
  const event = () => envelopeOf('order.status_changed', ORDER);

  test('starts one run for a valid signature', async () => {
    const item = expectRun(await send(trigger, event()));
    expect(item.data).toStrictEqual(ORDER);
  });

  test('matches an independent test vector', async () => {
    // printf '%s' 'ID.TIME.BODY' | openssl dgst -sha256 -mac HMAC -macopt hexkey:KEY -binary | base64
    const raw = Buffer.from('{"event":"order.created","occurred_at":"2026-11-21T12:00:00.000Z","data":{"n":"Ключ ✓"}}');
    const [id, time] = ['0198c2f4-5d3b-7cc2-a3f1-9b2d6a1e4c70', '1795262400'];
    const signature = 'v1,dX+Q+LNCBbFVZOFf2Hts4jH1OefVnCLYhwvcnXzrc9g=';
    expectRun(
      await trigger.receive(raw, { 'webhook-id': id, 'webhook-timestamp': time, 'webhook-signature': signature }),
    );
  });

  /** The headers of an attempt with another signature. */
  const withSignature = (raw: Buffer, change: (signature: string) => unknown): Record<string, unknown> => {
    const headers = attemptHeadersOf(raw, [SECRET]);
    return { ...headers, 'webhook-signature': change(headers['webhook-signature'] as string) };
  };
  const hmac = (algorithm: string, raw: Buffer) => crypto.createHmac(algorithm, SECRET).update(raw).digest('base64');

  const wrong: [string, (raw: Buffer) => Record<string, unknown>][] = [
    ['of another secret', (raw) => headersOf(raw, 'whsec_other')],
    ['missing', (raw) => withSignature(raw, () => undefined)],
    ['of the body alone', (raw) => ({ 'x-svc-signature': sign(SECRET, raw) })],
    ['empty', (raw) => withSignature(raw, () => '')],
    ['only the prefix', (raw) => withSignature(raw, () => 'v1,')],
    ['without the prefix', (raw) => withSignature(raw, (signature) => signature.slice(3))],
    ['of another version', (raw) => withSignature(raw, (signature) => signature.replace('v1', 'v1a'))],
    ['in upper case', (raw) => withSignature(raw, (signature) => signature.toUpperCase())],
    ['cut by one character', (raw) => withSignature(raw, (signature) => signature.slice(0, -1))],
    ['with one character more', (raw) => withSignature(raw, (signature) => `${signature}0`)],
    ['with a line end', (raw) => withSignature(raw, (signature) => `${signature}\n`)],
    ['with its first digit changed', (raw) => withSignature(raw, changeFirst)],
    ['in letters that are not ASCII', (raw) => withSignature(raw, () => `v1,${'é'.repeat(44)}`)],
    ['of as many bytes in fewer letters', (raw) => withSignature(raw, () => `v1,${'é'.repeat(22)}`)],
    ['a list of one', (raw) => withSignature(raw, (signature) => [signature])],
    ['an object', (raw) => withSignature(raw, (signature) => ({ toString: () => signature }))],
    ['with a comma before another', (raw) => withSignature(raw, (signature) => `v1,${'0'.repeat(44)},${signature}`)],
    ['as SHA-1', (raw) => withSignature(raw, () => `v1,${hmac('sha1', raw)}`)],
    ['without ID and time', (raw) => withSignature(raw, () => `v1,${hmac('sha256', raw)}`)],
    ['with another ID', (raw) => ({ ...attemptHeadersOf(raw, [SECRET]), 'webhook-id': 'other' })],
    ['with another time', (raw) => ({ ...attemptHeadersOf(raw, [SECRET]), 'webhook-timestamp': '1' })],
  ];

  test.each(wrong)('refuses %s', async (_name, headers) => {
    const raw = toRaw(event());
    expectRefused(await trigger.receive(raw, headers(raw) as Record<string, string>));
  });

  test('refuses a body with any single byte changed', async () => {
    const raw = toRaw(event());
    const headers = headersOf(raw);
    for (let at = 0; at < raw.length; at++) {
      const changed = Buffer.from(raw);
      changed[at] = (changed[at] as number) ^ 1;
      expectRefused(await trigger.receive(changed, headers));
    }
    expectRun(await trigger.receive(raw, headers));
  });

  test.each<[string, string, string]>([
    [
      'another order of keys',
      '{"event":"order.created","occurred_at":"T","data":{}}',
      '{"occurred_at":"T","event":"order.created","data":{}}',
    ],
    [
      'spaces',
      '{"event":"order.created","occurred_at":"T","data":{}}',
      '{ "event": "order.created", "occurred_at": "T", "data": {} }',
    ],
    [
      'a line end',
      '{"event":"order.created","occurred_at":"T","data":{}}',
      '{"event":"order.created","occurred_at":"T","data":{}}\n',
    ],
    [
      'escapes',
      '{"event":"order.created","occurred_at":"T","data":{"n":"é"}}',
      '{"event":"order.created","occurred_at":"T","data":{"n":"\\u00e9"}}',
    ],
    [
      'slashes',
      '{"event":"order.created","occurred_at":"T","data":{"n":"a/b"}}',
      '{"event":"order.created","occurred_at":"T","data":{"n":"a\\/b"}}',
    ],
    [
      'numbers',
      '{"event":"order.created","occurred_at":"T","data":{"n":1.0}}',
      '{"event":"order.created","occurred_at":"T","data":{"n":1}}',
    ],
    [
      'a byte-order mark',
      '{"event":"order.created","occurred_at":"T","data":{}}',
      '\ufeff{"event":"order.created","occurred_at":"T","data":{}}',
    ],
    [
      'composed letters',
      '{"event":"order.created","occurred_at":"T","data":{"n":"é"}}',
      '{"event":"order.created","occurred_at":"T","data":{"n":"e\u0301"}}',
    ],
  ])('refuses the same JSON written with other %s, which runs as signed', async (_name, asSigned, rewritten) => {
    const time = new Date(NOW).toISOString();
    const signed = Buffer.from(asSigned.replace('"T"', `"${time}"`));
    const other = Buffer.from(rewritten.replace('"T"', `"${time}"`));
    const headers = headersOf(signed);
    expect(other.equals(signed)).toBe(false);
    expectRefused(await trigger.receive(other, headers));
    expectRun(await trigger.receive(signed, headers));
  });

  test('is checked on the raw bytes, never on what n8n parsed', async () => {
    // with spaces that JSON.stringify doesn't write
    const raw = Buffer.from(
      `{ "event" : "order.created",\n "occurred_at" : "${new Date(NOW).toISOString()}", "data" : { "a" : 1.50 } }`,
    );
    expect(expectRun(await trigger.receive(raw, headersOf(raw))).data).toStrictEqual({ a: 1.5 });
  });

  test('runs 200 signed bodies of any text with exactly their data, and none with one bit changed', async () => {
    const text = fc.string({ unit: CODE_POINT });
    const data = fc.dictionary(
      text,
      fc.oneof(text, fc.double({ noNaN: true, noDefaultInfinity: true }), fc.jsonValue()),
    );
    await fc.assert(
      fc.asyncProperty(data, fc.nat(), fc.nat(7), async (given, place, bit) => {
        const raw = toRaw(envelopeOf('order.created', given as IDataObject));
        const headers = headersOf(raw);
        const item = expectRun(await trigger.receive(raw, headers));
        expect(JSON.stringify(item.data)).toBe(JSON.stringify(JSON.parse(raw.toString('utf8')).data));
        const changed = Buffer.from(raw);
        const at = place % raw.length;
        changed[at] = (changed[at] as number) ^ (1 << bit);
        expectRefused(await trigger.receive(changed, headers));
      }),
      { numRuns: 200 },
    );
  });

  test('can’t be replaced by any of 300 texts', async () => {
    const raw = toRaw(event());
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(fc.string({ unit: CODE_POINT }), fc.stringMatching(/^v1,[0-9A-Za-z+/]{43}=$/)),
        async (given) => {
          const headers = attemptHeadersOf(raw, [SECRET]);
          fc.pre(!given.split(' ').includes(headers['webhook-signature'] as string));
          expectRefused(await trigger.receive(raw, { ...headers, 'webhook-signature': given }));
        },
      ),
      { numRuns: 300 },
    );
  });

  test('accepts a body of 1 MB', async () => {
    const big = envelopeOf('order.created', { order_notes: 'ж'.repeat(524_288) });
    const item = expectRun(await send(trigger, big));
    expect((item.data as { order_notes: string }).order_notes).toHaveLength(524_288);
    const raw = toRaw(big);
    const headers = headersOf(raw);
    raw[raw.length - 10] = 0x20;
    expectRefused(await trigger.receive(raw, headers));
  });

  test('is compared in constant time', async () => {
    const compare = jest.spyOn(require('node:crypto') as typeof crypto, 'timingSafeEqual');
    try {
      const raw = toRaw(event());
      expectRefused(await trigger.receive(raw, headersOf(raw, 'whsec_other')));
      expect(compare).toHaveBeenCalledTimes(1);
    } finally {
      compare.mockRestore();
    }
  });
});

describe('a body', () => {
  test('is refused if empty, even if signed', async () => {
    const raw = Buffer.alloc(0);
    expectRefused(await trigger.receive(raw, headersOf(raw)));
  });

  test('is refused if n8n did not read it (multipart), whatever the signature', async () => {
    for (const text of ['', '{}', 'undefined', 'null']) {
      expectRefused(await trigger.receive(undefined, headersOf(Buffer.from(text))));
    }
  });

  test('is refused if it isn’t a Buffer', async () => {
    const text = JSON.stringify(envelopeOf('order.created', ORDER));
    for (const given of [text, JSON.parse(text), null, new Uint8Array(Buffer.from(text))]) {
      expectRefused(await trigger.receive(given as never, headersOf(Buffer.from(text))));
    }
  });

  const now = new Date(NOW).toISOString();
  test.each([
    ['text', 'hello'],
    ['JSON that breaks off', `{"event":"order.created","occurred_at":"${now}","data":{`],
    ['null', 'null'],
    ['a number', '7'],
    ['a string', '"order.created"'],
    ['a list', `[{"event":"order.created","occurred_at":"${now}","data":{}}]`],
    ['an object without event', `{"occurred_at":"${now}","data":{}}`],
    ['an event that is a number', `{"event":7,"occurred_at":"${now}","data":{}}`],
    ['an event that is null', `{"event":null,"occurred_at":"${now}","data":{}}`],
    ['no time', '{"event":"order.created","data":{}}'],
    ['a time that is a number', `{"event":"order.created","occurred_at":${NOW},"data":{}}`],
    ['bytes that are no text', '\u0000\ufffd'],
  ])('is refused if it isn’t an event (%s), even if rightly signed', async (_name, text) => {
    const raw = Buffer.from(text);
    expectRefused(await trigger.receive(raw, headersOf(raw)));
  });

  test.each([
    ['no data', {}],
    ['data null', { data: null }],
    ['data as text', { data: 'x' }],
  ])('is accepted as an event with %s', async (_name, more) => {
    const { event, occurred_at } = envelopeOf('order.created');
    expect(expectRun(await send(trigger, { event, occurred_at, ...more })).data).toStrictEqual({});
  });
});

describe('a missing secret', () => {
  const memories: [string, IDataObject][] = [
    ['nothing', {}],
    ['an id alone', { subscriptionId: 's' }],
    ['an empty secret', { subscriptionId: 's', secret: '' }],
    ['null', { subscriptionId: 's', secret: null as never }],
    ['a number', { subscriptionId: 's', secret: 0 }],
    ['true', { subscriptionId: 's', secret: true }],
    ['a list', { subscriptionId: 's', secret: [''] }],
    ['an object', { subscriptionId: 's', secret: {} }],
  ];

  test.each(memories)('accepts nothing for static data %s', async (_name, memory) => {
    const forgetful = make({ options: { maxAgeSeconds: 0, runOnTest: true } }, memory);
    const raw = toRaw(envelopeOf('order.created', ORDER));
    for (const key of ['', 'undefined', 'null', '0', 'true', '[object Object]', SECRET]) {
      const hmac = crypto.createHmac('sha256', Buffer.from(key.slice('whsec_'.length), 'base64'));
      const signature = `v1,${hmac.update(`i.1.${raw}`).digest('base64')}`;
      const headers = { 'webhook-id': 'i', 'webhook-timestamp': '1', 'webhook-signature': signature };
      for (const mode of ['webhook', 'manual'] as const)
        expectRefused(await forgetful.receive(raw, { ...headers, 'x-svc-signature': sign(key, raw) }, mode));
    }
    expectRefused(await forgetful.receive(raw, {}));
  });

  test('isn’t replaced by the secret of another trigger', async () => {
    const other = make({}, { subscriptionId: 't', secret: 'whsec_other' });
    const raw = toRaw(envelopeOf('order.created', ORDER));
    expectRefused(await other.receive(raw, headersOf(raw)));
    expectRun(await other.receive(raw, headersOf(raw, 'whsec_other')));
  });
});

describe('the log of a refusal', () => {
  test('has the reason once, and neither secret nor signature nor body', async () => {
    const raw = toRaw(envelopeOf('order.created', { model_name: 'Secret bracket' }));
    const old = envelopeOf('order.created', {}, NOW - 3_901_000);
    const refusals: [string, () => ReturnType<Trigger['receive']>][] = [
      ['the signature is missing', () => trigger.receive(raw, {})],
      ['the signature is wrong', () => trigger.receive(raw, headersOf(raw, 'whsec_other'))],
      [
        'no secret is known for this trigger: unpublish the workflow and publish it again',
        () => make({}, {}).receive(raw, headersOf(raw)),
      ],
      ['the body could not be read', () => trigger.receive(undefined, headersOf(raw))],
      ['the body could not be read', () => trigger.receive(Buffer.alloc(0), headersOf(Buffer.alloc(0)))],
      ["the body isn't an event", () => send(trigger, 'x')],
      ['the event is too old or from the future', () => send(trigger, old)],
    ];
    for (const [reason, refused] of refusals) {
      warned.mockClear();
      expectRefused(await refused());
      expect(warned.mock.calls).toStrictEqual([
        [
          `Farmboard Trigger: a request was refused because ${reason}`,
          { workflowId: 'w-trigger', nodeName: 'Farmboard Trigger' },
        ],
      ]);
    }
    warned.mockClear();
    expectRun(await trigger.receive(raw, headersOf(raw)));
    expect(warned).not.toHaveBeenCalled();
  });
});

describe('the age of an event', () => {
  const at = (ms: number) => send(trigger, envelopeOf('order.created', ORDER, NOW + ms));

  test.each([-3_900_000, -1, 0, 1, 3_900_000])(
    'is accepted at %i ms from now, within the default of 3,900 seconds',
    async (ms) => {
      expectRun(await at(ms));
    },
  );

  test.each([-3_900_001, 3_900_001, -86_400_000, 86_400_000])('is refused at %i ms from now', async (ms) => {
    expectRefused(await at(ms));
  });

  test('is checked, so a recorded request is refused later', async () => {
    trigger = make({ options: { skipRepeated: false } });
    const raw = toRaw(envelopeOf('order.created', ORDER));
    const headers = headersOf(raw);
    expectRun(await trigger.receive(raw, headers));
    setClock(NOW + 3_900_000);
    expectRun(await trigger.receive(raw, headers));
    setClock(NOW + 3_900_001);
    expectRefused(await trigger.receive(raw, headers));
  });

  test('is that of the signed time, whatever a Date header says', async () => {
    const old = envelopeOf('order.created', ORDER, NOW - 4_000_000);
    expectRefused(await send(trigger, old, { date: new Date(NOW).toUTCString() }));
  });

  test.each([
    '2026-11-21T12:00:00+00:00',
    '2026-11-21T14:00:00+02:00',
    '2026-11-21T12:00:00.000000Z',
    '2026-11-21T12:00:00Z',
  ])('is read from %s, as the interface specification allows', async (time) => {
    expectRun(await send(trigger, envelopeOf('order.created', ORDER, time)));
    setClock(NOW + 3_900_001);
    expectRefused(await send(trigger, envelopeOf('order.created', ORDER, time)));
  });

  test.each(['', 'now', 'yesterday', '2026-13-45T99:99:99Z', 'NaN', 'null', '٢٠٢٦-11-21T12:00:00Z'])(
    'is refused if its time is unreadable (%j)',
    async (time) => {
      expectRefused(await send(trigger, envelopeOf('order.created', ORDER, time)));
    },
  );

  test('is limited by the option in both directions, to the millisecond', async () => {
    trigger = make({ options: { maxAgeSeconds: 60 } });
    for (const ms of [-60_000, 60_000]) expectRun(await at(ms));
    for (const ms of [-60_001, 60_001]) expectRefused(await at(ms));
  });

  test('is unlimited with 0, even if its time is unreadable', async () => {
    trigger = make({ options: { maxAgeSeconds: 0 } });
    for (const ms of [-315_360_000_000, 315_360_000_000]) expectRun(await at(ms));
    expectRun(await send(trigger, envelopeOf('order.created', ORDER, 'long ago')));
    // the signature is required all the same
    const raw = toRaw(envelopeOf('order.created', ORDER));
    expectRefused(await trigger.receive(raw, headersOf(raw, 'whsec_other')));
  });

  test.each<[string, unknown]>([
    ['left out', undefined],
    ['empty', ''],
    ['null', null],
    ['not a number', Number.NaN],
    ['a word', 'abc'],
    ['negative', -1],
    ['endless', Number.POSITIVE_INFINITY],
    ['an expression that gives nothing', '={{ "" }}'],
    ['an expression that gives undefined', '={{ undefined }}'],
    ['an expression that gives null', '={{ null }}'],
    ['an expression that gives NaN', '={{ Number("x") }}'],
    ['an expression of a variable that is not set', '={{ $vars.maxAge }}'],
    ['an expression that gives a negative number', '={{ 0 - 5 }}'],
    ['an expression that gives an object', '={{ ({}) }}'],
  ])('has the default limit for %s', async (_name, maxAgeSeconds) => {
    trigger = make({ options: maxAgeSeconds === undefined ? {} : ({ maxAgeSeconds } as IDataObject) });
    for (const ms of [-3_900_000, 3_900_000]) expectRun(await at(ms));
    for (const ms of [-3_900_001, 3_900_001, -86_400_000]) expectRefused(await at(ms));
  });

  test.each<[string, unknown]>([
    ['false', '={{ false }}'],
    ['an empty list', '={{ [] }}'],
    ['spaces', '={{ "  " }}'],
  ])('isn’t made unlimited by an expression that gives %s', async (_name, maxAgeSeconds) => {
    trigger = make({ options: { maxAgeSeconds } as IDataObject });
    expectRefused(await at(-86_400_000));
  });

  test('is limited by an expression that gives a number or its text', async () => {
    for (const maxAgeSeconds of ['={{ 30 * 2 }}', '={{ "60" }}']) {
      trigger = make({ options: { maxAgeSeconds } });
      expectRun(await at(-60_000));
      expectRefused(await at(-60_001));
    }
  });

  test('is checked for tests and while listening, too', async () => {
    const old = envelopeOf('webhook.test', {}, NOW - 4_000_000);
    const raw = toRaw(old);
    expectRefused(await trigger.receive(raw, headersOf(raw), 'manual'));
    expectRefused(await trigger.receive(raw, headersOf(raw)));
  });

  test('is checked before the choice of events, so the choice stays hidden', async () => {
    trigger = make({ events: ['order.created'] });
    expectRefused(await send(trigger, envelopeOf('invoice.paid', {}, NOW - 4_000_000)));
    expectIgnored(await send(trigger, envelopeOf('invoice.paid', {})));
  });
});

function changeFirst(signature: string): string {
  return signature.replace(/^v1,(.)/, (_, first) => `v1,${first === 'A' ? 'B' : 'A'}`);
}
