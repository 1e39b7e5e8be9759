import type { Format } from './format.ts';
import { disarmMentions, type Escape, escapeWithin, type Message, messageOf } from './message.ts';

/**
 * Discord's limits: content 2,000, field value 1,024, all text of the embeds 6,000. These limits together stay below
 * them.
 */
const MAX_PIECE = 600;
const MAX_FIELD = 1_000;

const COLORS: Record<Message['tone'], number> = { neutral: 0x4a7dc4, good: 0x3f9a5a, warning: 0xd99a2b, bad: 0xc8453b };

/** Discord shows escaped punctuation literally. */
const toMarkup: Escape = (character, before) => {
  if (/[\\*_~`|<>[\]]/.test(character)) return `\\${character}`;
  // lists and headings at the start of a line
  if (before === '' && /[#+-]/.test(character)) return `\\${character}`;
  // a bare URL would become a link with a preview
  return character === '/' && before.endsWith(':') ? '\\/' : character;
};

const text = (value: string, limit: number): string => escapeWithin(disarmMentions(value), limit, toMarkup);

/** Renders the body of a Discord webhook. */
function renderDiscord(message: Message): string {
  const content = message.title
    .map((piece) => {
      if (typeof piece === 'string') return text(piece, MAX_PIECE);
      const escaped = text(piece.strong, MAX_PIECE);
      return escaped === '' ? '' : `**${escaped}**`;
    })
    .join('');
  const fields = message.fields.map(({ name, value }) => ({
    name,
    value: text(value, MAX_FIELD),
    inline: value.length <= 40,
  }));
  const { link } = message;
  const title = link && { title: link.label, url: link.url };
  return JSON.stringify({
    content,
    embeds:
      fields.length > 0 || link
        ? [{ ...title, color: COLORS[message.tone], fields, timestamp: message.occurredAt }]
        : [],
    // customer text must not notify anyone
    allowed_mentions: { parse: [] },
  });
}

/** Adds `wait=true`: without it, Discord responds 204 before it knows whether it accepts the message. */
function discordUrl(text: string): string {
  const url = new URL(text);
  url.searchParams.set('wait', 'true');
  return url.href;
}

export const discord: Format = {
  isSigned: false,
  render: ({ url }, { event, body }, context) => ({
    url: discordUrl(url),
    body: renderDiscord(messageOf(event, body, context)),
  }),
};
