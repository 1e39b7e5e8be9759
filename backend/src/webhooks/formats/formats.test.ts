import fc from 'fast-check';
import { CODE_POINT } from '../../../../test/kit/code-point.ts';
import { EVENT_NAMES, EVENTS, type EventName } from '../../events/catalog.ts';
import { render } from '../delivery/render.ts';
import { maskUrl, SUBSCRIPTION_FORMATS, type SubscriptionFormat } from './formats.ts';
import type { MessageContext } from './message.ts';
import { sign } from './signed.ts';

const ID = '0198c0de-0000-7000-8000-000000000001';
const TIME = '2026-11-21T11:30:00.000Z';
const DELIVERY = { id: ID, event_id: ID, attempted_at: Date.parse(TIME) };

/** One sample of every event; with `text`, every free text is replaced by its result. */
function dataOf(text: (sample: string) => string = (sample) => sample): Record<EventName, Record<string, unknown>> {
  const order = {
    id: ID,
    model_name: text('Benchy'),
    quantity_pieces: 3,
    material_name: text('PLA'),
    color_hex: '#FF0000',
    material_grams: 45.5,
    print_hours: 2.25,
    due_date: '2026-12-01',
    order_notes: text('no stringing please'),
    workflow_status: 'print_error',
    printer_id: ID,
    printer_name: text('Prusa 1'),
  };
  const report = { printer_id: ID, printer_name: text('Prusa 1'), filename: text('benchy.gcode'), at: TIME };
  return {
    'order.created': order,
    'order.status_changed': order,
    'printer.print_finished': report,
    'printer.print_failed': report,
    'filament.low_stock': { filament_id: ID, name: text('PLA red'), remaining_grams: 120.5, threshold_grams: 200 },
    'lead.created': {
      lead_id: ID,
      description: text('ten gears'),
      contact: text('Ada'),
      client_email: text('ada@example.com'),
      budget: text('50 euros'),
      deadline: text('next week'),
      has_file: true,
      created_at: TIME,
    },
    'invoice.paid': {
      document_id: ID,
      number: text('2026-17'),
      amount: 99.5,
      paid_at: TIME,
      order_ids: [ID, ID],
      needs_review: true,
    },
    'webhook.test': { subscription_id: ID, message: text('It works') },
  };
}

const URLS: Record<SubscriptionFormat, string> = {
  signed: 'https://n8n.example/webhook/1?x=1',
  slack: 'https://hooks.slack.com/services/T0/B0/secret',
  discord: 'https://discord.com/api/webhooks/1/secret?thread_id=5',
};

function renderOne(
  format: SubscriptionFormat,
  event: EventName,
  data: unknown,
  url = URLS[format],
  context: MessageContext = {},
  traceparent: string | null = null,
) {
  const body = JSON.stringify({ event, occurred_at: TIME, data });
  const subscription = { format, url, secret: format === 'signed' ? 'whsec_x' : null };
  return { stored: body, ...render(subscription, { ...DELIVERY, sequence: 7, event, body, traceparent }, context) };
}

interface SlackBody {
  text: string;
  blocks: {
    type: string;
    text?: { type: string; text: string; verbatim: boolean };
    fields?: { text: string; verbatim: boolean }[];
  }[];
}
interface DiscordBody {
  content: string;
  embeds: { color: number; timestamp: string; fields: { name: string; value: string }[] }[];
  allowed_mentions: { parse: string[] };
}
const slack = (event: EventName, data: unknown) => JSON.parse(renderOne('slack', event, data).body) as SlackBody;
const discord = (event: EventName, data: unknown) => JSON.parse(renderOne('discord', event, data).body) as DiscordBody;

/** All text a person sees in a message. */
const slackTexts = (body: SlackBody): string[] => [
  body.text,
  ...body.blocks.flatMap((block) => [
    ...(block.text ? [block.text.text] : []),
    ...(block.fields ?? []).map((field) => field.text),
  ]),
];
const discordTexts = (body: DiscordBody): string[] => [
  body.content,
  ...body.embeds.flatMap((embed) => embed.fields.map((field) => field.value)),
];

test('the samples match the catalog', () => {
  for (const event of EVENT_NAMES) expect(() => EVENTS[event].data.parse(dataOf()[event])).not.toThrow();
});

describe('headers', () => {
  const cases = SUBSCRIPTION_FORMATS.flatMap((format) => EVENT_NAMES.map((event) => [format, event] as const));
  test.each(cases)('%s %s', (format, event) => {
    const { headers } = renderOne(format, event, dataOf()[event]);
    const signatures = ['X-Svc-Signature', 'webhook-id', 'webhook-timestamp', 'webhook-signature'];
    expect(headers).toEqual({
      'Content-Type': 'application/json',
      'User-Agent': 'Farmboard',
      'X-Svc-Event': event,
      'X-Svc-Delivery': ID,
      'X-Svc-Sequence': '7',
      ...(format === 'signed' && Object.fromEntries(signatures.map((name) => [name, expect.any(String)]))),
    });
  });
});

describe('the signed format', () => {
  test.each(SUBSCRIPTION_FORMATS)('of the formats, it alone continues a trace: %s', (format) => {
    const renderIn = (traceparent: string | null) =>
      renderOne(format, 'order.created', dataOf()['order.created'], URLS[format], {}, traceparent);
    const without = renderIn(null);
    const { headers, ...rest } = renderIn('00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01');
    const { traceparent, ...others } = headers;
    // the signature is the same, too
    expect({ headers: others, ...rest }).toEqual(without);
    const own = ID.replaceAll('-', '').slice(16);
    expect(traceparent).toBe(format === 'signed' ? `00-4bf92f3577b34da6a3ce929d0e0e4736-${own}-01` : undefined);
  });

  test('sends the stored body and the URL unchanged, with its signature', () => {
    fc.assert(
      fc.property(fc.string({ unit: CODE_POINT }), (body) => {
        const subscription = { format: 'signed' as const, url: URLS.signed, secret: 'whsec_x' };
        const request = render(subscription, {
          ...DELIVERY,
          sequence: 1,
          event: 'webhook.test',
          body,
          traceparent: null,
        });
        expect(request).toMatchObject({ url: URLS.signed, body });
        expect(request.headers['X-Svc-Signature']).toBe(sign('whsec_x', body));
      }),
    );
  });

  test('is never sent unsigned', () => {
    for (const secret of [null, '']) {
      const delivery = { ...DELIVERY, sequence: 1, event: 'webhook.test' as const, body: '{}', traceparent: null };
      expect(() => render({ format: 'signed', url: URLS.signed, secret }, delivery)).toThrow('no secret');
    }
  });
});

describe('messages', () => {
  const SLACK: Record<EventName, string> = {
    'order.created': 'New order *Benchy ×3* (print error)',
    'order.status_changed': 'Order *Benchy ×3* → print error',
    'printer.print_finished': '*Prusa 1* finished *benchy.gcode*',
    'printer.print_failed': '*Prusa 1* reported an error while printing *benchy.gcode*',
    'filament.low_stock': 'Low stock: *PLA red* has 120.5 g left',
    'lead.created': 'New request from *Ada*',
    'invoice.paid': 'Invoice *2026-17* paid: 99.5 (needs review)',
    'webhook.test': 'It works',
  };

  test.each(EVENT_NAMES)('%s, in Slack and in Discord', (event) => {
    const inSlack = slack(event, dataOf()[event]);
    expect(inSlack.blocks[0]?.text?.text).toBe(SLACK[event]);
    expect(inSlack.text.split('\n')[0]).toBe(SLACK[event]);
    expect(discord(event, dataOf()[event]).content).toBe(SLACK[event].replaceAll('*', '**'));
  });

  test('an order shows material, due date and printer', () => {
    const data = dataOf()['order.status_changed'];
    expect(slack('order.status_changed', data).text).toBe(
      [
        'Order *Benchy ×3* → print error',
        'Material: PLA · #FF0000 · 45.5 g',
        'Due: 2026-12-01',
        'Printer: Prusa 1',
        'Print time: 2.25 h',
        'Notes: no stringing please',
      ].join('\n'),
    );
    const [embed] = discord('order.status_changed', {
      ...data,
      printer_id: null,
      printer_name: null,
      order_notes: '',
    }).embeds;
    expect(embed?.fields.map((field) => `${field.name}: ${field.value}`)).toEqual([
      'Material: PLA · #FF0000 · 45.5 g',
      'Due: 2026-12-01',
      'Printer: not assigned',
      'Print time: 2.25 h',
    ]);
  });
});

describe('message context', () => {
  const context = { publicUrl: 'https://farm.example', currency: 'EUR' };
  const PAGES: Partial<Record<EventName, string>> = {
    'order.created': `/?order=${ID}`,
    'order.status_changed': `/?order=${ID}`,
    'printer.print_finished': `/printers/${ID}`,
    'printer.print_failed': `/printers/${ID}`,
    'filament.low_stock': `/stock/${ID}`,
    'lead.created': `/requests/${ID}`,
    'invoice.paid': `/invoices/${ID}`,
  };

  test.each(EVENT_NAMES)('%s links to its page of the console', (event) => {
    const url = PAGES[event] && `https://farm.example/console${PAGES[event]}`;
    const inSlack = JSON.parse(renderOne('slack', event, dataOf()[event], URLS.slack, context).body) as SlackBody;
    expect(slackTexts(inSlack).filter((text) => url !== undefined && text.includes(`<${url}|Open `))).toHaveLength(
      url === undefined ? 0 : 2,
    );
    const [embed] = (
      JSON.parse(renderOne('discord', event, dataOf()[event], URLS.discord, context).body) as {
        embeds: { url?: string }[];
      }
    ).embeds;
    expect(embed?.url).toBe(url);
  });

  test('an amount has its currency', () => {
    const { body } = renderOne('slack', 'invoice.paid', dataOf()['invoice.paid'], URLS.slack, context);
    expect((JSON.parse(body) as SlackBody).blocks[0]?.text?.text).toBe(
      'Invoice *2026-17* paid: 99.50 EUR (needs review)',
    );
  });
});

describe('hostile text', () => {
  const PAYLOADS = [
    ...[
      '<!channel>',
      '<!here>',
      '<!everyone>',
      '<!subteam^S0>',
      '<@U012AB3CD>',
      '<#C024BE7LR>',
      '<https://evil.example|bank.example>',
    ],
    ...[
      '@channel',
      '@here',
      '@everyone',
      '@all',
      '＠everyone',
      '@\teveryone',
      '<@123456>',
      '<@!123456>',
      '<@&123456>',
      '<#123456>',
      '<id:guide>',
    ],
    ...[
      '<t:1:R>',
      '<:smile:1>',
      '</command:1>',
      '[click](https://evil.example)',
      'https://evil.example/x',
      '||spoiler||',
      '# heading',
      '> quote',
    ],
    ...[
      '- list',
      '**bold**',
      '__under__',
      '~~out~~',
      '`code`',
      '```block```',
      '\\<@123>',
      '\\',
      '&lt;!channel&gt;',
      '&',
      '<<!channel>>',
      '\u202e<!here>',
    ],
    ...[
      '<!chan\u0000nel>',
      '<!chan\u200bnel>',
      'a\nb\r\nc\u2028d',
      '\ud800',
      '\udc00x',
      '\ufeff',
      '\u0000',
      '   ',
      '"}],"text":"x',
    ],
  ];

  test(`${PAYLOADS.length} payloads in every text field of every event are shown as text`, () => {
    for (const payload of PAYLOADS) {
      for (const event of EVENT_NAMES) {
        const data = dataOf(() => payload)[event];
        for (const text of slackTexts(slack(event, data))) {
          expect(text).not.toMatch(/[<>]/);
          expect(text.replace(/&(amp|lt|gt);/g, '')).not.toContain('&');
          expect(text).not.toMatch(/@(channel|here|everyone|all)\b/i);
        }
        const body = discord(event, data);
        expect(body.allowed_mentions).toEqual({ parse: [] });
        for (const text of discordTexts(body)) {
          // every special character follows an odd number of backslashes
          const shown = text.replace(/\\[^0-9A-Za-z\s]/g, '').replace(/^\*\*|\*\*$| \*\*|\*\* |\*\*$/g, ' ');
          expect([payload, event, shown]).toEqual([payload, event, expect.not.stringMatching(/[<>[\]`~|_]|:\/\//)]);
          expect(text).not.toMatch(/@(here|everyone)\b/i);
          expect(text).not.toMatch(/^[#+-]/);
        }
      }
    }
  });

  const expectWithinLimits = (event: EventName, text: string): void => {
    const data = dataOf(() => text)[event];
    const inSlack = slack(event, data);
    expect(inSlack.text.length).toBeLessThanOrEqual(3_000);
    expect(inSlack.text.trim()).not.toBe('');
    for (const block of inSlack.blocks) {
      if (block.text) {
        expect(block.text.text.length).toBeLessThanOrEqual(3_000);
        expect(block.text).toMatchObject({ type: 'mrkdwn', verbatim: true });
      }
      if (block.fields) expect(block.fields.length).toBeLessThanOrEqual(10);
      for (const field of block.fields ?? []) expect(field.text.length).toBeLessThanOrEqual(2_000);
    }
    const inDiscord = discord(event, data);
    expect(inDiscord.content.length).toBeLessThanOrEqual(2_000);
    expect(inDiscord.content.trim()).not.toBe('');
    let total = 0;
    for (const { fields } of inDiscord.embeds) {
      expect(fields.length).toBeLessThanOrEqual(25);
      for (const { name, value } of fields) {
        expect(name.length).toBeLessThanOrEqual(256);
        expect(value.length).toBeLessThanOrEqual(1_024);
        expect(value).not.toBe('');
        total += name.length + value.length;
      }
    }
    expect(total).toBeLessThanOrEqual(6_000);
    // the services refuse a whole message for half a character or entity
    for (const text of [...slackTexts(inSlack), ...discordTexts(inDiscord)]) expect(text).not.toMatch(/\p{Surrogate}/u);
    for (const text of slackTexts(inSlack)) expect(text).not.toMatch(/&(?!(amp|lt|gt);)/);
  };

  test.each(['<', '&', '*', '\\', '😀', '\ud83d', 'e\u0301', '@everyone ', 'x', ' ', '\n', '_'])(
    '100,000 times %j stays within the limits',
    (text) => {
      for (const event of EVENT_NAMES) expectWithinLimits(event, text.repeat(100_000 / text.length));
    },
  );

  test('any Unicode text of any length stays within the limits', () => {
    const texts = fc.oneof(
      fc.string({ unit: CODE_POINT, maxLength: 4_000 }),
      fc.array(fc.integer({ min: 0, max: 0xffff }), { maxLength: 3_000 }).map((units) => String.fromCharCode(...units)),
      fc.string({ unit: fc.constantFrom('<', '&', '😀', '*', 'a', '\\', '@here', '\ud800'), maxLength: 3_000 }),
    );
    fc.assert(fc.property(fc.constantFrom(...EVENT_NAMES), texts, expectWithinLimits), { numRuns: 500 });
  });
});

describe('the URL', () => {
  test.each([
    ['https://discord.com/api/webhooks/1/s', 'https://discord.com/api/webhooks/1/s?wait=true'],
    ['https://discord.com/api/webhooks/1/s?thread_id=5', 'https://discord.com/api/webhooks/1/s?thread_id=5&wait=true'],
    ['https://discord.com/api/webhooks/1/s?wait=false&a=1', 'https://discord.com/api/webhooks/1/s?wait=true&a=1'],
  ])('of Discord waits for the message: %s', (url, expected) => {
    expect(renderOne('discord', 'webhook.test', dataOf()['webhook.test'], url).url).toBe(expected);
  });

  test('of Slack is unchanged', () => {
    expect(renderOne('slack', 'webhook.test', dataOf()['webhook.test']).url).toBe(URLS.slack);
  });

  test('is masked where it is a secret', () => {
    expect(maskUrl(URLS.signed, 'signed')).toBe(URLS.signed);
    expect(maskUrl(URLS.slack, 'slack')).toBe('https://hooks.slack.com/***');
    expect(maskUrl('http://chat.lan:8065/hooks/secret?token=x#y', 'slack')).toBe('http://chat.lan:8065/***');
    expect(maskUrl('https://user:secret@discord.com/api', 'discord')).toBe('https://discord.com/***');
    expect(maskUrl('secret', 'discord')).toBe('***');
  });
});
