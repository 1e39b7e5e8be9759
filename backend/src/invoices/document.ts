import { sha256 } from '../../../common/src/crypto.ts';
import { digitsOf } from '../shared/currency.ts';
import type { Language } from '../shared/language.ts';
import { amountOf, type Line, totalOf } from './invoice.ts';
import type { Seller } from './invoice-schema.ts';

/** The content of an issued invoice, as it was at issue. Pages and PDFs are rendered from this alone. */
export interface InvoiceDocument {
  version: 1;
  id: string;
  number: string;
  issue_date: string;
  due_date: string | null;
  language: Language;
  seller: Omit<Seller, 'default_currency'>;
  customer: { name: string; details: string };
  currency: string;
  /** decimal places of the currency */
  digits: number;
  lines: (Line & { amount: number })[];
  total: number;
  note: string;
}

export interface PdfInput {
  document: InvoiceDocument;
  /** fonts for letters that the built-in ones lack */
  fontFiles: readonly string[];
}

export interface ToFreeze {
  id: string;
  number: string;
  issueDate: string;
  dueDate: string | null;
  language: Language;
  seller: Seller;
  customerName: string;
  customerDetails: string;
  currency: string;
  lines: Line[];
  note: string;
}

/** @returns the text to store, and its SHA-256 hash */
export function freeze(invoice: ToFreeze): { text: string; hash: string } {
  const { seller } = invoice;
  const document: InvoiceDocument = {
    version: 1,
    id: invoice.id,
    number: invoice.number,
    issue_date: invoice.issueDate,
    due_date: invoice.dueDate,
    language: invoice.language,
    seller: {
      name: seller.name,
      address: seller.address,
      tax_id: seller.tax_id,
      bank_details: seller.bank_details,
      payment_note: seller.payment_note,
    },
    customer: { name: invoice.customerName, details: invoice.customerDetails },
    currency: invoice.currency,
    digits: digitsOf(invoice.currency),
    lines: invoice.lines.map((line) => ({
      order_id: line.order_id,
      description: line.description,
      quantity: line.quantity,
      unit_price: line.unit_price,
      amount: amountOf(line),
    })),
    total: totalOf(invoice.lines),
    note: invoice.note,
  };
  const text = JSON.stringify(document);
  return { text, hash: sha256(text) };
}

/** The lines at the top of every document. */
export const LABELS = {
  en: {
    invoice: 'Invoice',
    number: (number: string) => `Invoice ${number}`,
    issued: 'Date',
    due: 'Due',
    from: 'From',
    to: 'Bill to',
    taxId: 'Tax ID',
    description: 'Description',
    quantity: 'Qty',
    unitPrice: 'Price',
    amount: 'Amount',
    total: 'Total',
    payment: 'Payment',
    note: 'Note',
    page: (page: number, pages: number) => `Page ${page} of ${pages}`,
  },
  ru: {
    invoice: 'Счёт',
    number: (number: string) => `Счёт № ${number}`,
    issued: 'Дата',
    due: 'Оплатить до',
    from: 'Исполнитель',
    to: 'Заказчик',
    taxId: 'ИНН',
    description: 'Наименование',
    quantity: 'Кол-во',
    unitPrice: 'Цена',
    amount: 'Сумма',
    total: 'Итого',
    payment: 'Оплата',
    note: 'Примечание',
    page: (page: number, pages: number) => `Страница ${page} из ${pages}`,
  },
} as const;
