import { created, type Route, routesOf } from '../http/route.ts';
import { toEnvelope } from '../shared/pagination.ts';
import { idParams } from '../shared/schemas.ts';
import {
  InvoiceDetailRecord,
  InvoicePatch,
  Issue,
  NewInvoice,
  NewManualPayment,
  NewProvider,
  PaymentList,
  PaymentQuery,
  PaymentRecord,
  ProviderList,
  ProviderPatch,
  ProviderRecordSchema,
  SellerPatch,
  SellerRecord,
} from './invoice-schema.ts';
import type { InvoiceService } from './invoice-service.ts';
import type { ProviderService } from './payments/provider-service.ts';

const { get, post, put, remove } = routesOf('Invoices');

const NO_STORE = { 'Cache-Control': 'no-store' };

/** Console routes for writing and issuing invoices. Programs can only read them. */
export const invoiceConsoleRoutes = (invoices: InvoiceService, providers: ProviderService): Route[] => [
  post('/invoices', {
    operationId: 'createInvoice',
    summary: 'Create a draft invoice',
    description: 'A draft made of orders or custom lines. It has no number and can be edited until it is issued.',
    body: NewInvoice,
    idempotent: true,
    responses: { 201: { description: 'The draft', schema: InvoiceDetailRecord, headers: { Location: 'its URL' } } },
    reply: async ({ actor, body, idempotency }) => created('invoices', await invoices.create(actor, body, idempotency)),
  }),
  put('/invoices/{id}', {
    operationId: 'updateInvoice',
    summary: 'Update a draft',
    description: 'Changes only the fields sent; `lines` are replaced as a whole.',
    params: idParams,
    body: InvoicePatch,
    errors: ['invoice_state', 'version_conflict'],
    responses: { 200: { description: 'The draft', schema: InvoiceDetailRecord } },
    handle: ({ actor, params, body }) => invoices.update(actor, params.id, body),
  }),
  remove('/invoices/{id}', {
    operationId: 'deleteInvoice',
    summary: 'Delete a draft',
    params: idParams,
    errors: ['invoice_state', 'version_conflict'],
    responses: { 204: { description: 'Deleted' } },
    handle: ({ actor, params }) => invoices.remove(actor, params.id),
  }),
  post('/invoices/{id}/issue', {
    operationId: 'issueInvoice',
    summary: 'Issue an invoice',
    description: "Assigns the next number of the year and a payment link. The invoice can't be edited afterwards.",
    params: idParams,
    body: Issue,
    idempotent: true,
    errors: ['invoice_state', 'version_conflict'],
    responses: { 200: { description: 'The invoice', schema: InvoiceDetailRecord } },
    handle: ({ actor, params, body, idempotency }) => invoices.issue(actor, params.id, body, idempotency),
  }),
  post('/invoices/{id}/void', {
    operationId: 'voidInvoice',
    summary: 'Void an invoice',
    description: 'The invoice keeps its number but can no longer be paid. Voiding it again has no effect.',
    params: idParams,
    errors: ['invoice_state', 'version_conflict'],
    responses: { 200: { description: 'The invoice', schema: InvoiceDetailRecord } },
    handle: ({ actor, params }) => invoices.void(actor, params.id),
  }),
  post('/invoices/{id}/payments', {
    operationId: 'recordPayment',
    summary: 'Record a payment or refund',
    description: 'For cash, bank transfers and other offline payments. Sends no `invoice.paid`.',
    params: idParams,
    body: NewManualPayment,
    idempotent: true,
    errors: ['invoice_state', 'version_conflict'],
    responses: { 201: { description: 'The invoice', schema: InvoiceDetailRecord } },
    handle: ({ actor, params, body, idempotency }) => invoices.recordManual(actor, params.id, body, idempotency),
  }),
  get('/invoice-payments', {
    operationId: 'listPayments',
    summary: 'List payments and refunds',
    description: 'Newest first, including unmatched payments.',
    query: PaymentQuery,
    responses: { 200: { description: 'A page of payments', schema: PaymentList } },
    handle: async ({ actor, query }) => toEnvelope(await invoices.listPayments(actor.accountId, query, query), query),
  }),
  post('/invoice-payments/{id}/review', {
    operationId: 'reviewPayment',
    summary: 'Mark a payment as reviewed',
    params: idParams,
    errors: ['version_conflict'],
    responses: { 200: { description: 'The payment', schema: PaymentRecord } },
    handle: ({ actor, params }) => invoices.review(actor, params.id),
  }),
  get('/invoice-seller', {
    operationId: 'getSeller',
    summary: 'Get the business details',
    responses: { 200: { description: 'The seller', schema: SellerRecord } },
    handle: ({ actor }) => invoices.seller(actor.accountId),
  }),
  put('/invoice-seller', {
    operationId: 'updateSeller',
    summary: 'Update the business details',
    description: 'Applies to invoices issued from now on.',
    body: SellerPatch,
    errors: ['version_conflict', 'password_required'],
    responses: { 200: { description: 'The seller', schema: SellerRecord } },
    handle: ({ actor, body }) => invoices.updateSeller(actor, body),
  }),
  get('/payment-providers', {
    operationId: 'listPaymentProviders',
    summary: 'List payment providers',
    description: 'Oldest first, without their secrets.',
    responses: { 200: { description: 'All of them', schema: ProviderList } },
    async handle({ actor }) {
      const items = await providers.list(actor.accountId);
      return { items, total: items.length };
    },
  }),
  post('/payment-providers', {
    operationId: 'createPaymentProvider',
    summary: 'Add a payment provider',
    description: 'For signed notifications, the response contains the secret, only once.',
    body: NewProvider,
    idempotent: true,
    errors: ['password_required'],
    responses: {
      201: { description: 'The provider', schema: ProviderRecordSchema, headers: { 'Cache-Control': '`no-store`' } },
    },
    async reply({ actor, body, idempotency }) {
      const { result, replayed } = await providers.create(actor, body, idempotency);
      return { status: 201, body: result, replayed, headers: NO_STORE };
    },
  }),
  put('/payment-providers/{id}', {
    operationId: 'updatePaymentProvider',
    summary: 'Update a payment provider',
    params: idParams,
    body: ProviderPatch,
    errors: ['version_conflict', 'password_required'],
    responses: { 200: { description: 'The provider', schema: ProviderRecordSchema } },
    handle: ({ actor, params, body }) => providers.update(actor, params.id, body),
  }),
  post('/payment-providers/{id}/secret', {
    operationId: 'renewNotificationSecret',
    summary: 'Replace the secret for signed notifications',
    description: 'The response contains the new secret, only once. The old one stops working immediately.',
    params: idParams,
    idempotent: true,
    errors: ['version_conflict', 'password_required'],
    responses: {
      200: { description: 'The provider', schema: ProviderRecordSchema, headers: { 'Cache-Control': '`no-store`' } },
    },
    async reply({ actor, params, idempotency }) {
      const { result, replayed } = await providers.renewSecret(actor, params.id, idempotency);
      return { status: 200, body: result, replayed, headers: NO_STORE };
    },
  }),
  remove('/payment-providers/{id}', {
    operationId: 'deletePaymentProvider',
    summary: 'Delete a payment provider',
    description: 'Its payments stay. Later reports from it are rejected.',
    params: idParams,
    errors: ['version_conflict', 'password_required'],
    responses: { 204: { description: 'Deleted' } },
    handle: ({ actor, params }) => providers.remove(actor, params.id),
  }),
];
