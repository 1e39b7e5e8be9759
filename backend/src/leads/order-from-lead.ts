import type { NewOrder } from '../orders/order-schema.ts';
import type { Language } from '../shared/language.ts';
import { toName } from '../shared/names.ts';
import { readDeadline } from './deadline.ts';
import type { Lead } from './lead-schema.ts';

const LABELS: Record<Language, { budget: string; deadline: string; file: string; cut: string }> = {
  en: { budget: 'Budget', deadline: 'Deadline', file: 'File', cut: '… (the rest is in the request)' },
  ru: { budget: 'Бюджет', deadline: 'Срок', file: 'Файл', cut: '… (остальное — в заявке)' },
};

const MAX_NAME = 80;
const MAX_NOTES = 5000;
const MAX_CUSTOMER = 300;

/** Cuts a text to this many UTF-16 code units without splitting a surrogate pair. */
const cut = (text: string, maxLength: number, more: string): string => {
  if (text.length <= maxLength) return text;
  const kept = text.slice(0, maxLength - more.length);
  return (kept.isWellFormed() ? kept : kept.slice(0, -1)) + more;
};

/**
 * The order that a request asks for, due on the customer's deadline if that can be read.
 * @param today `YYYY-MM-DD`
 */
export function toOrder(lead: Lead, language: Language, today: string): NewOrder {
  const labels = LABELS[language];
  const details = [
    lead.budget && `${labels.budget}: ${lead.budget}`,
    lead.deadline && `${labels.deadline}: ${lead.deadline}`,
    lead.file && `${labels.file}: ${lead.file.name}`,
  ].filter(Boolean);
  const foot = details.length > 0 ? `\n\n${details.join('\n')}` : '';
  return {
    model_name: cut(toName(...lead.description.split('\n'), lead.client_email), MAX_NAME, '…'),
    order_notes: cut(lead.description, MAX_NOTES - foot.length, labels.cut) + foot,
    customer_name: cut(toName(lead.contact, lead.client_email), MAX_CUSTOMER, '…'),
    customer_contact: cut(lead.client_email, MAX_CUSTOMER, '…'),
    due_date: readDeadline(lead.deadline, today),
  };
}
