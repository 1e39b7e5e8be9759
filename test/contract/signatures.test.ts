import fc from 'fast-check';
import { type Farm, sequenceOf, startFarm, upTo } from '../kit/farm.ts';
import { isGenuine } from '../kit/receiver.ts';

let farm: Farm;

beforeAll(async () => {
  farm = await startFarm();
});
afterAll(() => farm.close());

describe('X-Svc-Signature: sha256= and the hexadecimal HMAC-SHA256 of the raw body, keyed with the secret', () => {
  const seed = Date.now() % 1_000_000;
  const alphabet = (characters: string) =>
    fc
      .array(fc.constantFrom(...new Intl.Segmenter().segment(characters)).map(({ segment }) => segment))
      .map((all) => all.join(''));
  /** whatever a person or a program may write, without what an order refuses: NUL and half a surrogate pair */
  const anyText = fc
    .oneof(
      fc.string({ unit: 'binary', maxLength: 150 }),
      fc.string({ unit: 'grapheme', maxLength: 80 }),
      alphabet('👩‍👩‍👧‍👦🖨️🇷🇺❤️‍🔥😀e\u0301'),
      alphabet('Печать ёЁъ №«»—'),
      alphabet('שלום مرحبا\u200f\u202e\u2066\u2069\ufeff'),
      alphabet('"\\/\b\f\n\r\t\u007f\u0085\u2028\u2029<>&\'\u0001\u001f%{}[]'),
      fc.jsonValue().map((value) => JSON.stringify(value).slice(0, 200)),
    )
    .map((text) => text.replaceAll('\0', '').toWellFormed());
  const body = fc.record({
    model_name: anyText.map((text) => `${text.slice(0, 290).toWellFormed()}#`),
    order_notes: anyText,
  });

  test(`220 random bodies with Unicode, each genuine and each what was written (seed ${seed})`, async () => {
    const channel = await farm.channel({ events: ['order.created'] });
    const sent = new Map<string, { model_name: string; order_notes: string }>();
    const bodies = fc.sample(body, { numRuns: 220, seed });
    for (let from = 0; from < bodies.length; from += 20) {
      await Promise.all(
        bodies.slice(from, from + 20).map(async (fields) => sent.set((await farm.order(fields)).id, fields)),
      );
    }
    await channel.until((all) => all.length === bodies.length);
    expect(sent.size).toBe(bodies.length);
    for (const received of channel.received) {
      expect(isGenuine(channel.secret, received)).toBe(true);
      const { id, model_name, order_notes } = received.body.data;
      expect({ model_name, order_notes }).toEqual(sent.get(id as string));
      farm.client.checkPushed('order.created', received.body);
    }
    expect(channel.received.map(sequenceOf).sort((a, b) => a - b)).toEqual(upTo(bodies.length));
  });
});
