import { type Attempt, startFarm } from '../kit/farm.ts';
import { forSuite } from '../kit/opened.ts';
import type { Received } from '../kit/receiver.ts';

interface SlackText {
  type: string;
  text: string;
  verbatim?: boolean;
}
interface SlackBody {
  text: string;
  blocks: { type: string; text?: SlackText; fields?: SlackText[] }[];
}
interface DiscordBody {
  content: string;
  embeds: { color: number; timestamp: string; fields: { name: string; value: string; inline: boolean }[] }[];
  allowed_mentions: { parse: string[] };
}

const farm = forSuite(startFarm);

afterEach(() => farm.clear());

/** Customer text that tries to inject mentions, links or markup, or is too long. */
const NOTES = [
  'plain',
  '<!channel> <!here> @everyone @here <@U123> <http://evil.example|click> *b* _i_ ~s~ `c` ```x```',
  '[click](http://evil.example) **b** __u__ ||s|| > quote # head <@1> <#1> <:x:1>',
  '&amp; &lt;!channel&gt; "q" \\ \u2028 \u202e',
  '🖨️'.repeat(1200),
  '<'.repeat(5000),
  '*_~`|\\'.repeat(800),
  'я'.repeat(5000),
  '',
];

/** Sends every event name over one subscription of the format. @returns the receiver's parsed bodies */
async function sendAll(format: string): Promise<Received[]> {
  const subscription = await farm.subscription({
    format,
    events: ['order.created', 'order.status_changed', 'filament.low_stock'],
  });
  for (const order_notes of NOTES) {
    const name =
      order_notes
        .replace(/[\u2028\u202e]/g, '')
        .slice(0, 288)
        .trim() || 'Bracket';
    const { id } = await farm.order({
      model_name: name,
      order_notes,
      material_name: name.slice(0, 189),
    });
    await farm.setStatus(id, 'print_error');
    const spool = { name, spool_weight_grams: 10, spool_count: 1, low_stock_threshold_grams: 5 };
    const filament = await farm.filament(spool);
    await farm.client.post(`/filaments/${filament.id}/consume`, { grams: 6 });
  }
  const { body } = await farm.client.post<Attempt>(`${subscription.path}/test`);
  expect(body.status).toBe('succeeded');
  const count = NOTES.length * 3 + 1;
  await subscription.until((all) => all.length >= count);
  expect(subscription.received).toHaveLength(count);
  return subscription.received;
}

/** The receiver's URL is the secret, so no signature is sent. */
function expectUnsigned({ headers, raw }: Received) {
  expect(headers).not.toHaveProperty('x-svc-signature');
  expect(headers['content-type']).toBe('application/json');
  expect(raw.includes('\ufffd')).toBe(false);
}

test('slack: sends a valid incoming-webhook body without a signature', async () => {
  for (const received of await sendAll('slack')) {
    expectUnsigned(received);
    const body = received.body as unknown as SlackBody;
    expect(typeof body.text).toBe('string');
    expect(body.text.length).toBeGreaterThan(0);
    expect(body.text.length).toBeLessThanOrEqual(40_000);
    expect(body.blocks.length).toBeGreaterThan(0);
    expect(body.blocks.length).toBeLessThanOrEqual(50);
    const texts: string[] = [body.text];
    for (const block of body.blocks) {
      expect(block.type).toBe('section');
      expect(block.text !== undefined || (block.fields?.length ?? 0) > 0).toBe(true);
      if (block.text) expect(block.text.text.length).toBeLessThanOrEqual(3000);
      expect(block.fields?.length ?? 0).toBeLessThanOrEqual(10);
      for (const field of block.fields ?? []) expect(field.text.length).toBeLessThanOrEqual(2000);
      for (const part of [block.text, ...(block.fields ?? [])]) {
        if (!part) continue;
        expect(part.type).toBe('mrkdwn');
        expect(part.text.length).toBeGreaterThan(0);
        texts.push(part.text);
      }
    }
    // the only link is the console's
    const ours = new RegExp(`<${farm.origin}/console/[\\w?=/-]*\\|[\\w ]+>$`);
    for (const text of texts.map((one) => one.replace(ours, ''))) {
      // every control sequence of Slack begins with <, and every & begins one of its three entities
      expect(text).not.toMatch(/[<>]/);
      expect(text).not.toMatch(/&(?!(?:amp|lt|gt);)/);
      expect(text).not.toMatch(/@(?:channel|here|everyone)\b/i);
      expect(text.isWellFormed()).toBe(true);
    }
  }
});

test('discord: sends a valid webhook body without mentions or a signature', async () => {
  for (const received of await sendAll('discord')) {
    expectUnsigned(received);
    const body = received.body as unknown as DiscordBody;
    expect(body.content.length).toBeGreaterThan(0);
    expect(body.content.length).toBeLessThanOrEqual(2000);
    expect(body.allowed_mentions).toEqual({ parse: [] });
    expect(body.embeds.length).toBeLessThanOrEqual(10);
    let characters = 0;
    for (const embed of body.embeds) {
      expect(new Date(embed.timestamp).toISOString()).toBe(embed.timestamp);
      expect(Number.isInteger(embed.color) && embed.color >= 0 && embed.color <= 0xffffff).toBe(true);
      expect(embed.fields.length).toBeLessThanOrEqual(25);
      for (const { name, value, inline } of embed.fields) {
        expect([name.length > 0 && name.length <= 256, value.length > 0 && value.length <= 1024]).toEqual([true, true]);
        expect(typeof inline).toBe('boolean');
        expect(value.isWellFormed()).toBe(true);
        characters += name.length + value.length;
      }
    }
    expect(characters).toBeLessThanOrEqual(6000);
  }
});

test('keeps the real URL when the masked one is sent back with PUT', async () => {
  const subscription = await farm.subscription({ format: 'discord' });
  const masked = `${new URL(subscription.url).origin}/***`;
  const { body } = await farm.client.put<{ url: string }>(subscription.path, { url: masked, name: 'renamed' });
  expect(body).toMatchObject({ url: masked, name: 'renamed' });
  expect((await farm.client.post<Attempt>(`${subscription.path}/test`)).body.status).toBe('succeeded');
  expect(subscription.received).toHaveLength(1);
});
