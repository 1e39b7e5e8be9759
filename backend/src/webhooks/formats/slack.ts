import { disarmMentions, escapeWithin, type Message } from './message.ts';

/** Slack's own limit for the text of a section, kept for the whole `text` too. */
const MAX_TEXT = 3_000;
/** Of it, what is left free for the link. */
const LINK_ROOM = 400;
const MAX_STRONG = 600;
/** Of Slack's 2,000 for a field: one glance. */
const MAX_FIELD = 700;

const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };

/** The three characters Slack's markup is made of: without `<` there is no mention and no link. */
const toMarkup = (character: string): string => ENTITIES[character] ?? character;

const text = (value: string, limit: number): string => escapeWithin(disarmMentions(value), limit, toMarkup);

/** Bold, unless the text holds what would end it early. */
const bold = (value: string, limit: number): string => {
  const escaped = text(value, limit);
  return escaped === '' || /[*_~`]/.test(escaped) ? escaped : `*${escaped}*`;
};

/** The body of a Slack incoming webhook: `text` for notifications and for receivers that know no blocks, blocks for the rest. */
export function renderSlack(message: Message): string {
  const title = message.title
    .map((piece) => (typeof piece === 'string' ? text(piece, MAX_STRONG) : bold(piece.strong, MAX_STRONG)))
    .join('');
  const rows = message.fields.map(({ name, value }) => ({ name, value: text(value, MAX_FIELD) }));
  const lines = [title];
  for (const row of rows) {
    const line = `${row.name}: ${row.value}`;
    if (lines.join('\n').length + 1 + line.length <= MAX_TEXT - LINK_ROOM) lines.push(line);
  }
  // `verbatim` keeps Slack from making links and mentions out of plain words
  const mrkdwn = (content: string) => ({ type: 'mrkdwn', text: content, verbatim: true });
  const details =
    rows.length > 0 ? [{ type: 'section', fields: rows.map((row) => mrkdwn(`*${row.name}*\n${row.value}`)) }] : [];
  const link = message.link ? `<${message.link.url.replace(/[<>|]/g, encodeURIComponent)}|${message.link.label}>` : '';
  if (link !== '') lines.push(link);
  const leadsOn = link === '' ? [] : [{ type: 'section', text: mrkdwn(link) }];
  return JSON.stringify({
    text: lines.join('\n'),
    blocks: [{ type: 'section', text: mrkdwn(title) }, ...details, ...leadsOn],
    unfurl_links: false,
    unfurl_media: false,
  });
}
