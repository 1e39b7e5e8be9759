import { z } from 'zod';
import { EXAMPLE_IDS } from '../http/examples.ts';
import { LANGUAGES } from '../shared/language.ts';
import { listOf, pageQuery } from '../shared/pagination.ts';
import {
  currencyCode,
  day,
  flag,
  nonBlank,
  searchText,
  text,
  timestamp,
  uuid,
  wholeNumber,
} from '../shared/schemas.ts';
import {
  INVOICE_FILTERS,
  INVOICE_SORTS,
  INVOICE_STATUSES,
  MAX_AMOUNT,
  PAYMENT_KINDS,
  PAYMENT_SOURCES,
  REVIEW_REASONS,
} from './invoice.ts';
import { PROVIDER_KINDS } from './payments/providers/provider.ts';

const moment = () => z.iso.datetime();

const fields = {
  id: uuid().meta({ example: EXAMPLE_IDS.invoice }),
  number: z
    .string()
    .nullable()
    .describe(
      'year and number, without gaps, such as `2026-0001`; sample invoices have a series of their own, such as `DEMO-0001`; null for a draft',
    )
    .meta({ example: '2026-0001' }),
  status: z.enum(INVOICE_STATUSES).meta({ example: 'issued' }),
  customer_name: z.string(),
  currency: z.string(),
  total: z.int().describe('in minor units of `currency`, like every amount here').meta({ example: 4990 }),
  received: z.int().describe('payments minus refunds'),
  amount_due: z.int().describe('what remains to be paid').meta({ example: 4990 }),
  issue_date: z.iso.date().nullable(),
  due_date: z.iso.date().nullable(),
  order_ids: z.array(uuid()),
  needs_review: z.boolean().describe('one of its payments needs to be reviewed'),
  issued_at: moment().nullable(),
  paid_at: moment().nullable(),
  voided_at: moment().nullable().meta({ example: null }),
  created_at: moment(),
  updated_at: moment(),
};

const InvoiceRecord = z.object(fields).meta({ id: 'Invoice' });
export type Invoice = z.output<typeof InvoiceRecord>;

export const PaymentRecord = z
  .object({
    id: uuid().meta({ example: EXAMPLE_IDS.payment }),
    invoice_id: uuid()
      .nullable()
      .describe("null: it couldn't be matched to an invoice")
      .meta({ example: EXAMPLE_IDS.invoice }),
    source: z.enum(PAYMENT_SOURCES).describe('`manual`: entered by the owner'),
    kind: z.enum(PAYMENT_KINDS),
    amount: z.int(),
    currency: z.string(),
    at: moment(),
    payer: z.string().nullable().meta({ example: 'Vera Smith' }),
    note: z.string().nullable().meta({ example: 'Wall bracket, 4 pieces' }),
    named_invoice: z
      .string()
      .nullable()
      .describe('the invoice that the provider named, if the account has none with that number or ID')
      .meta({ example: null }),
    payment_id: z.string().nullable().describe("the provider's own ID").meta({ example: 'b-2026-11-22-0001' }),
    needs_review: z.boolean(),
    reason: z.enum(REVIEW_REASONS).nullable().meta({ example: null }),
    reviewed_at: moment().nullable().meta({ example: null }),
  })
  .meta({ id: 'InvoicePayment' });
export type Payment = z.output<typeof PaymentRecord>;

export const InvoiceDetailRecord = z
  .object({
    ...fields,
    customer_details: z.string().meta({ example: 'Example Street 1, Berlin' }),
    language: z.enum(LANGUAGES),
    note: z.string().meta({ example: 'Thank you for your order.' }),
    lines: z.array(
      z
        .object({
          order_id: uuid().nullable(),
          description: z.string().meta({ example: 'Wall bracket' }),
          quantity: z.int(),
          unit_price: z.int().meta({ example: 4990 }),
          amount: z.int(),
        })
        .meta({ id: 'InvoiceLine' }),
    ),
    payments: z.array(PaymentRecord).describe('newest first'),
    pay_url: z
      .string()
      .nullable()
      .describe('the payment link for the customer; null while the invoice is a draft, and after `SECRET_KEY` was lost')
      .meta({ example: 'http://127.0.0.1:3000/pay/2vYfGkq8TzR1sXbN' }),
    document_sha256: z
      .string()
      .nullable()
      .describe('SHA-256 of the document as it was issued')
      .meta({ example: 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855' }),
  })
  .meta({ id: 'InvoiceDetail' });
export type InvoiceDetail = z.output<typeof InvoiceDetailRecord>;

export const InvoiceList = listOf(InvoiceRecord);

export const InvoiceQuery = z.strictObject({
  ...pageQuery,
  status: z
    .enum(INVOICE_FILTERS)
    .optional()
    .describe('`issued`: not paid yet; `review`: with a payment that needs to be reviewed'),
  order_id: uuid().optional().describe('only invoices that include this order'),
  q: searchText('the number, the customer or the note').optional(),
  sort: z.enum(INVOICE_SORTS).default('-created_at').describe('`-`: descending'),
});

const MAX_LINES = 100;

const draft = {
  customer_name: text(300),
  customer_details: text(1000).describe('address, tax number, contact; several lines'),
  language: z.enum(LANGUAGES).describe('the language of the document'),
  note: text(2000),
  currency: currencyCode(),
  due_date: day().nullable(),
  lines: z
    .array(
      z.object({
        order_id: uuid().nullable().optional(),
        description: nonBlank(500),
        quantity: wholeNumber(1, 1_000_000).describe('pieces'),
        unit_price: wholeNumber(-MAX_AMOUNT, MAX_AMOUNT).describe(
          'in minor units of `currency`; negative for a discount',
        ),
      }),
    )
    .max(MAX_LINES),
};

export const InvoicePatch = z
  .object(draft)
  .partial()
  .meta({ id: 'InvoicePatch', examples: [{ customer_name: 'Vera Smith', due_date: '2099-12-31' }] });
/** Absent fields keep their values; in a new invoice they get their defaults. */
export type InvoiceInput = z.output<typeof InvoicePatch>;

export const NewInvoice = z
  .object({
    ...draft,
    order_ids: z
      .array(uuid())
      .max(MAX_LINES)
      .refine((list) => new Set(list).size === list.length, 'must contain each ID only once')
      .describe('orders of one customer in one currency; each becomes a line unless `lines` are sent'),
  })
  .partial()
  .meta({
    id: 'NewInvoice',
    examples: [{ customer_name: 'Vera Smith', currency: 'EUR', order_ids: [EXAMPLE_IDS.order] }],
  });
export type NewInvoiceInput = z.output<typeof NewInvoice>;

export const Issue = z
  .object({
    issue_date: day().optional().describe("today's date where the seller is; default: today in UTC"),
  })
  .meta({ id: 'InvoiceIssue', examples: [{}] });

export const NewManualPayment = z
  .object({
    kind: z.enum(PAYMENT_KINDS),
    amount: wholeNumber(1, MAX_AMOUNT).describe("in minor units of the invoice's currency"),
    at: timestamp().optional().describe('default: the current time'),
    note: text(500).optional(),
  })
  .meta({ id: 'NewManualPayment', examples: [{ kind: 'payment', amount: 4990, note: 'Cash' }] });
export type ManualPayment = z.output<typeof NewManualPayment>;

export const PaymentList = listOf(PaymentRecord);

export const PaymentQuery = z.strictObject({
  ...pageQuery,
  unassigned: flag().default(false).describe("only payments that aren't matched to an invoice"),
  waiting: flag().default(false).describe('only payments that need to be reviewed'),
});

const seller = {
  name: text(300).meta({ example: 'Layer Workshop' }),
  address: text(1000).meta({ example: 'Example Street 1, Berlin' }),
  tax_id: text(100).meta({ example: 'DE123456789' }),
  bank_details: text(1000).meta({ example: 'IBAN DE02 1203 0000 0000 2020 51' }),
  payment_note: text(1000)
    .describe('payment instructions for the customer, shown on the invoice and the payment page')
    .meta({ example: 'Please name the number of the invoice.' }),
  default_currency: currencyCode().meta({ example: 'EUR' }),
};

export const SellerRecord = z.object(seller).meta({ id: 'InvoiceSeller' });
export type Seller = z.output<typeof SellerRecord>;
export const SellerPatch = z
  .object(seller)
  .partial()
  .meta({ id: 'InvoiceSellerPatch', examples: [{ name: 'Layer Workshop', address: 'Example Street 1, Berlin' }] });

export const ProviderRecordSchema = z
  .object({
    id: uuid().meta({ example: EXAMPLE_IDS.provider }),
    kind: z.enum(PROVIDER_KINDS).meta({ example: 'notification' }),
    name: z.string().meta({ example: 'Bank' }),
    enabled: z
      .boolean()
      .describe("if false, customers can't choose it on payment pages; what it reports is still recorded"),
    is_test: z.boolean().describe('Stripe’s test mode: no money moves'),
    is_ready: z
      .boolean()
      .describe(
        "its signing secret is set, so its reports can be verified; until then it isn't offered on payment pages",
      ),
    notification_url: z
      .string()
      .describe('the URL to which the provider sends its reports')
      .meta({ example: `http://127.0.0.1:3000/payments/notification/${EXAMPLE_IDS.provider}` }),
    created_at: moment(),
    updated_at: moment(),
    secret: z
      .string()
      .optional()
      .describe('the signing secret of signed notifications; in this response only')
      .meta({ example: 'pnsec_0123456789abcdefghijklmnopqrstuvwxyzABCD' }),
  })
  .meta({ id: 'PaymentProvider' });
/** Without secrets except for one that is shown once. */
export type ProviderRecord = z.output<typeof ProviderRecordSchema>;

export const ProviderList = z.object({ items: z.array(ProviderRecordSchema), total: z.int() });

const provider = {
  name: nonBlank(100),
  enabled: z.boolean(),
  secret_key: z
    .string()
    .max(300)
    .regex(/^[sr]k_(test|live)_[0-9A-Za-z]+$/, 'must be a secret key of Stripe: sk_live_…, sk_test_… or rk_…')
    .describe('the secret key or restricted key from Stripe'),
  webhook_secret: z
    .string()
    .max(300)
    .regex(/^whsec_[0-9A-Za-z+/=_-]+$/, 'must be the signing secret of Stripe’s webhook: whsec_…')
    .describe('the signing secret that Stripe shows once `notification_url` is added there as an endpoint'),
};

export const NewProvider = z
  .object(provider)
  .partial()
  .extend({ kind: z.enum(PROVIDER_KINDS) })
  .meta({ id: 'NewPaymentProvider', examples: [{ kind: 'notification', name: 'Bank' }] });
export type NewProviderInput = z.output<typeof NewProvider>;
export const ProviderPatch = z
  .object(provider)
  .partial()
  .meta({ id: 'PaymentProviderPatch', examples: [{ name: 'Bank', enabled: true }] });
export type ProviderInput = z.output<typeof ProviderPatch>;
