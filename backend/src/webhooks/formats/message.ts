import { lookupTable } from '../../../../common/src/lookup-table.ts';
import type { EventData, EventName } from '../../events/catalog.ts';
import { digitsOf } from '../../shared/currency.ts';

/** Plain or emphasized text. Not markup yet: each format escapes and truncates it itself. */
type Piece = string | { strong: string };

/** An event as a message, independent of chat markup. Every text is passed through `clean`. */
export interface Message {
  title: Piece[];
  fields: { name: string; value: string }[];
  tone: 'neutral' | 'good' | 'warning' | 'bad';
  occurredAt: string;
  /** link to the console; never contains customer text */
  link?: { label: string; url: string };
}

/** What a message shows beyond the body of the event. */
export interface MessageContext {
  /** public URL of the service without trailing slash; undefined: messages have no links */
  publicUrl?: string | undefined;
  /** currency of a payment's amount */
  currency?: string | undefined;
}

/**
 * Reduces a value to one line of text that any receiver accepts: without control characters and direction overrides,
 * with collapsed white space, and with lone surrogates replaced (chat services refuse the whole message for one).
 */
const clean = (value: unknown): string =>
  String(value ?? '')
    .replace(/[\p{Cc}\s\u2028\u2029]+/gu, ' ')
    .replace(/[\p{Surrogate}\p{Noncharacter_Code_Point}]/gu, '\ufffd')
    .replace(/[\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]/gu, '')
    .trim();

/** Resolves the message context of an account's event. @param body the stored JSON envelope of the event */
export type Describe = (accountId: string, event: EventName, body: string) => Promise<MessageContext>;

/** Escapes one character, given the output before it. */
export type Escape = (character: string, before: string) => string;

/**
 * Escapes character by character and stops before the limit, so that neither an escape nor a character is cut in two.
 * @param limit of the result in UTF-16 units, which are at least as many as the characters a service counts
 */
export function escapeWithin(text: string, limit: number, toMarkup: Escape): string {
  let out = '';
  let beforeEllipsis = '';
  for (const character of text) {
    const next = out + toMarkup(character, out);
    if (next.length > limit) return `${beforeEllipsis}…`;
    out = next;
    if (out.length < limit) beforeEllipsis = out;
  }
  return out;
}

/** Breaks @channel, @everyone and similar mentions of Slack and Discord with a zero-width space. */
export const disarmMentions = (text: string): string =>
  text.replace(/@(?=\s*(?:channel|here|everyone|all|group)\b)/giu, '@\u200b');

const strong = (text: unknown): Piece => ({ strong: clean(text) });

const fields = (rows: Record<string, unknown>): Message['fields'] =>
  Object.entries(rows)
    .map(([name, value]) => ({ name, value: clean(value) }))
    .filter((field) => field.value !== '');

const joinParts = (...parts: string[]): string => parts.filter((part) => part !== '').join(' · ');

const grams = (value: number): string => `${value} g`;

const statusLabel = (status: string): string => clean(status).replaceAll('_', ' ');

/** Formats `2026-11-21T11:30:00.000Z` for people. */
const minute = (time: string): string => clean(time).replace(/^(\S{10})T(\d\d:\d\d).*Z$/u, '$1 $2 UTC');

const orderTitle = (order: EventData<'order.created'>): Piece =>
  strong(`${clean(order.model_name)} ×${clean(order.quantity_pieces)}`);

const orderFields = (order: EventData<'order.created'>): Message['fields'] =>
  fields({
    Material: joinParts(clean(order.material_name), clean(order.color_hex), grams(order.material_grams)),
    Due: order.due_date,
    Printer: order.printer_name ?? 'not assigned',
    'Print time': `${order.print_hours} h`,
    Notes: order.order_notes,
  });

const ORDER_TONES = lookupTable<Message['tone']>({ done: 'good', print_error: 'bad', cancelled: 'warning' });

type MessageContent = Omit<Message, 'occurredAt' | 'link'>;

const amount = (value: number, currency: string | undefined): string =>
  currency === undefined ? clean(value) : `${value.toFixed(digitsOf(currency))} ${currency}`;

const MESSAGES: { [N in EventName]: (data: EventData<N>, context: MessageContext) => MessageContent } = {
  'order.created': (order) => ({
    title: ['New order ', orderTitle(order), ` (${statusLabel(order.workflow_status)})`],
    fields: orderFields(order),
    tone: 'neutral',
  }),
  'order.status_changed': (order) => ({
    title: ['Order ', orderTitle(order), ` → ${statusLabel(order.workflow_status)}`],
    fields: orderFields(order),
    tone: ORDER_TONES.get(order.workflow_status) ?? 'neutral',
  }),
  'printer.print_finished': (report) => ({
    title: [strong(report.printer_name), ' finished ', strong(report.filename)],
    fields: fields({ Time: minute(report.at) }),
    tone: 'good',
  }),
  'printer.print_failed': (report) => ({
    title: [strong(report.printer_name), ' reported an error while printing ', strong(report.filename)],
    fields: fields({ Time: minute(report.at) }),
    tone: 'bad',
  }),
  'filament.low_stock': (stock) => ({
    title: ['Low stock: ', strong(stock.name), ` has ${grams(stock.remaining_grams)} left`],
    fields: fields({ Threshold: grams(stock.threshold_grams) }),
    tone: 'warning',
  }),
  'lead.created': (lead) => ({
    title: ['New request from ', strong(clean(lead.contact) || clean(lead.client_email) || 'an anonymous customer')],
    fields: fields({
      Description: lead.description,
      Email: lead.client_email,
      Budget: lead.budget,
      Deadline: lead.deadline,
      File: lead.has_file ? 'attached' : 'none',
    }),
    tone: 'neutral',
  }),
  'invoice.paid': (invoice, { currency }) => ({
    title: [
      'Invoice ',
      strong(invoice.number),
      ` paid: ${amount(invoice.amount, currency)}`,
      invoice.needs_review ? ' (needs review)' : '',
    ],
    fields: fields({
      Review: invoice.needs_review ? 'duplicate payment, or paid at an outdated amount' : '',
      Orders: invoice.order_ids.length,
      Paid: minute(invoice.paid_at),
    }),
    tone: invoice.needs_review ? 'warning' : 'good',
  }),
  'webhook.test': (test) => ({
    title: [clean(test.message) || 'Test event from Farmboard'],
    fields: [],
    tone: 'neutral',
  }),
};

/** The console page of an event's subject. */
const PAGES: { [N in EventName]?: (data: EventData<N>) => { label: string; path: string } } = {
  'order.created': ({ id }) => ({ label: 'Open order', path: `/?order=${id}` }),
  'order.status_changed': ({ id }) => ({ label: 'Open order', path: `/?order=${id}` }),
  'printer.print_finished': ({ printer_id }) => ({ label: 'Open printer', path: `/printers/${printer_id}` }),
  'printer.print_failed': ({ printer_id }) => ({ label: 'Open printer', path: `/printers/${printer_id}` }),
  'filament.low_stock': ({ filament_id }) => ({ label: 'Open filament', path: `/stock/${filament_id}` }),
  'lead.created': ({ lead_id }) => ({ label: 'Open request', path: `/requests/${lead_id}` }),
  'invoice.paid': ({ document_id }) => ({ label: 'Open invoice', path: `/invoices/${document_id}` }),
};

/** Builds the message of an event. @param body the stored JSON envelope of the event */
export function messageOf(event: EventName, body: string, context: MessageContext): Message {
  const { occurred_at: occurredAt, data } = JSON.parse(body) as { occurred_at: string; data: unknown };
  // the envelope was written by the catalog entry that types these functions
  const content = (MESSAGES[event] as (data: unknown, context: MessageContext) => MessageContent)(data, context);
  const page = (PAGES[event] as ((data: unknown) => { label: string; path: string }) | undefined)?.(data);
  if (!page || context.publicUrl === undefined) return { ...content, occurredAt };
  return { ...content, occurredAt, link: { label: page.label, url: `${context.publicUrl}/console${page.path}` } };
}
