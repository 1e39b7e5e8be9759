import fc from 'fast-check';
import { Webhook } from 'standardwebhooks';
import { CODE_POINT } from '../kit/code-point.ts';
import { range, sequenceOf, startFarm } from '../kit/farm.ts';
import { times } from '../kit/length.ts';
import { forSuite } from '../kit/opened.ts';
import { isGenuine, type Received } from '../kit/receiver.ts';

const farm = forSuite(startFarm);

describe('X-Svc-Signature: sha256= and the hexadecimal HMAC-SHA256 of the raw body, keyed with the secret', () => {
  const seed = Date.now() % 1_000_000;
  const alphabet = (characters: string) =>
    fc
      .array(fc.constantFrom(...new Intl.Segmenter().segment(characters)).map(({ segment }) => segment))
      .map((all) => all.join(''));
  /** Any text that an order accepts: all but NUL and unpaired surrogates. */
  const anyText = fc
    .oneof(
      fc.string({ unit: CODE_POINT, maxLength: 150 }),
      fc.string({ unit: 'grapheme', maxLength: 80 }),
      alphabet('👩‍👩‍👧‍👦🖨️🇷🇺❤️‍🔥😀e\u0301'),
      alphabet('Печать ёЁъ №«»—'),
      alphabet('שלום مرحبا\u200f\u202e\u2066\u2069\ufeff'),
      alphabet('"\\/\b\f\n\r\t\u007f\u0085\u2028\u2029<>&\'\u0001\u001f%{}[]'),
      fc.jsonValue().map((value) => JSON.stringify(value).slice(0, 200)),
    )
    .map((text) => text.replaceAll('\0', '').toWellFormed());
  const body = fc.record({
    // names may not contain control characters, direction overrides and tags
    model_name: anyText.map(
      (text) =>
        `${text
          .replace(/[\p{Cc}\u2028-\u202e\u2066-\u2069\u{e0000}-\u{e007f}]/gu, '')
          .slice(0, 290)
          .toWellFormed()}#`,
    ),
    order_notes: anyText,
  });

  test(`verifies 220 random Unicode bodies (seed ${seed})`, async () => {
    const subscription = await farm.subscription({ events: ['order.created'] });
    const sent = new Map<string, { model_name: string; order_notes: string }>();
    const bodies = fc.sample(body, { numRuns: 220, seed });
    for (let from = 0; from < bodies.length; from += 20) {
      await Promise.all(
        bodies.slice(from, from + 20).map(async (fields) => sent.set((await farm.order(fields)).id, fields)),
      );
    }
    await subscription.until((all) => all.length === bodies.length);
    expect(sent.size).toBe(bodies.length);
    for (const received of subscription.received) {
      expect(isGenuine(subscription.secret, received)).toBe(true);
      const { id, model_name, order_notes } = received.body.data;
      expect({ model_name, order_notes }).toEqual(sent.get(id as string));
      farm.client.checkPushed('order.created', received.body);
    }
    expect(subscription.received.map(sequenceOf).sort((a, b) => a - b)).toEqual(range(bodies.length));
  });
});

describe('Standard Webhooks', () => {
  const SECRETS = times(50, 500);
  /** Throws unless the standardwebhooks library accepts it with the secret. */
  const verify = (secret: string, { raw, headers }: Received) =>
    new Webhook(secret).verify(raw, headers as Record<string, string>);

  test(`${SECRETS} new secrets: each delivery verifies by the library and by our rule, also with a secret that was replaced`, async () => {
    const subscription = await farm.subscription({ events: ['order.created'] });
    let before = subscription.secret;
    for (const turn of range(SECRETS)) {
      const isOverlap = turn % 2 === 0;
      const body = isOverlap ? { overlap_hours: 24 } : undefined;
      const made = await farm.client.post<{ secret: string }>(`${subscription.path}/secret`, body);
      const { secret } = made.body;
      await farm.client.post(`${subscription.path}/test`);
      const received = subscription.received.at(-1) as Received;
      expect(subscription.received).toHaveLength(turn);
      expect(verify(secret, received)).toEqual(received.body);
      if (isOverlap) expect(verify(before, received)).toEqual(received.body);
      else expect(() => verify(before, received)).toThrow('No matching signature');
      expect([isGenuine(before, received), isGenuine(secret, received)]).toEqual([isOverlap, !isOverlap]);
      before = secret;
    }
  });

  test('a subscription that is continued signs with its new secret alone', async () => {
    const client_key = 'of the signatures';
    const first = await farm.subscription({ client_key });
    await farm.client.post(`${first.path}/secret`, { overlap_hours: 24 });
    await farm.client.delete(first.path);
    const again = { url: first.url, events: ['order.created'], client_key };
    const { body } = await farm.client.post<{ id: string; secret: string }>('/webhook-subscriptions', again);
    expect(body.id).toBe(first.id);
    await farm.client.post(`${first.path}/test`);
    const received = first.received.at(-1) as Received;
    expect([isGenuine(body.secret, received), isGenuine(first.secret, received)]).toEqual([true, false]);
    expect(verify(body.secret, received)).toEqual(received.body);
    expect(String(received.headers['webhook-signature']).split(' ')).toHaveLength(1);
  });

  test('each attempt has the id of its event, and its own time', async () => {
    const subscription = await farm.subscription({ events: ['order.created'] });
    const tested = await farm.client.post<{ id: string }>(`${subscription.path}/test`);
    await farm.client.post(`${subscription.path}/deliveries/${tested.body.id}/resend`);
    await farm.client.post(`${subscription.path}/test`);
    const ids = subscription.received.map(({ headers }) => headers['webhook-id']);
    expect([ids.length, new Set(ids).size, ids[0] === ids[1]]).toEqual([3, 2, true]);
    for (const { headers, at } of subscription.received)
      expect(Math.abs(at / 1000 - Number(headers['webhook-timestamp']))).toBeLessThan(60);
  });
});
