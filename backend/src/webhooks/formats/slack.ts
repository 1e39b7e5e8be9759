import { lookupTable } from '../../../../common/src/lookup-table.ts';
import type { Format } from './format.ts';
import { disarmMentions, escapeWithin, type Message, messageOf } from './message.ts';

/** Slack's limit for the text of a section, applied to the whole `text` as well. */
const MAX_TEXT = 3_000;
/** Part of MAX_TEXT reserved for the link. */
const RESERVED_FOR_LINK = 400;
const MAX_STRONG = 600;
/** Slack allows 2,000 per field; shorter fields stay readable. */
const MAX_FIELD = 700;

const ENTITIES = lookupTable<string>({ '&': '&amp;', '<': '&lt;', '>': '&gt;' });

/** Escapes Slack's three control characters: without `<` there are no mentions and links. */
const toMarkup = (character: string): string => ENTITIES.get(character) ?? character;

const text = (value: string, limit: number): string => escapeWithin(disarmMentions(value), limit, toMarkup);

/** Bold, unless the text contains characters that would end it early. */
const bold = (value: string, limit: number): string => {
  const escaped = text(value, limit);
  return escaped === '' || /[*_~`]/.test(escaped) ? escaped : `*${escaped}*`;
};

/**
 * Renders the body of a Slack incoming webhook: `text` for notifications and receivers without block support, and
 * blocks.
 */
function renderSlack(message: Message): string {
  const title = message.title
    .map((piece) => (typeof piece === 'string' ? text(piece, MAX_STRONG) : bold(piece.strong, MAX_STRONG)))
    .join('');
  const rows = message.fields.map(({ name, value }) => ({ name, value: text(value, MAX_FIELD) }));
  const lines = [title];
  for (const row of rows) {
    const line = `${row.name}: ${row.value}`;
    if (lines.join('\n').length + 1 + line.length <= MAX_TEXT - RESERVED_FOR_LINK) lines.push(line);
  }
  // `verbatim` keeps Slack from creating links and mentions from plain text
  const mrkdwn = (content: string) => ({ type: 'mrkdwn', text: content, verbatim: true });
  const details =
    rows.length > 0 ? [{ type: 'section', fields: rows.map((row) => mrkdwn(`*${row.name}*\n${row.value}`)) }] : [];
  const link = message.link ? `<${message.link.url.replace(/[<>|]/g, encodeURIComponent)}|${message.link.label}>` : '';
  if (link !== '') lines.push(link);
  const linkBlocks = link === '' ? [] : [{ type: 'section', text: mrkdwn(link) }];
  return JSON.stringify({
    text: lines.join('\n'),
    blocks: [{ type: 'section', text: mrkdwn(title) }, ...details, ...linkBlocks],
    unfurl_links: false,
    unfurl_media: false,
  });
}

export const slack: Format = {
  isSigned: false,
  render: ({ url }, { event, body }, context) => ({ url, body: renderSlack(messageOf(event, body, context)) }),
};
