import { REPLAYED, type Route, route, whenReplayed } from '../http/route.ts';
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

const tag = 'Invoices';

const NO_STORE = { 'Cache-Control': 'no-store' };

/** Console routes for writing and issuing invoices. Programs can only read them. */
export const invoiceConsoleRoutes = (invoices: InvoiceService, providers: ProviderService): Route[] => [
  route({
    method: 'post',
    path: '/invoices',
    operationId: 'createInvoice',
    tag,
    summary: 'Create a draft invoice',
    description: 'A draft made of orders or custom lines. It has no number and can be edited until it is issued.',
    body: NewInvoice,
    idempotent: true,
    responses: {
      201: {
        description: 'The draft',
        schema: InvoiceDetailRecord,
        headers: { Location: 'its URL', ...REPLAYED },
      },
    },
    async handle({ actor, body, idempotency }) {
      const { result, replayed } = await invoices.create(actor, body, idempotency);
      const headers = { Location: `/api/v1/invoices/${result.id}`, ...whenReplayed(replayed) };
      return { status: 201, body: result, headers };
    },
  }),
  route({
    method: 'put',
    path: '/invoices/{id}',
    operationId: 'updateInvoice',
    tag,
    summary: 'Update a draft',
    description: 'Changes only the fields sent; `lines` are replaced as a whole.',
    params: idParams,
    body: InvoicePatch,
    errors: ['invoice_state', 'version_conflict'],
    responses: { 200: { description: 'The draft', schema: InvoiceDetailRecord } },
    async handle({ actor, params, body }) {
      return { status: 200, body: await invoices.update(actor, params.id, body) };
    },
  }),
  route({
    method: 'delete',
    path: '/invoices/{id}',
    operationId: 'deleteInvoice',
    tag,
    summary: 'Delete a draft',
    params: idParams,
    errors: ['invoice_state', 'version_conflict'],
    responses: { 204: { description: 'Deleted' } },
    async handle({ actor, params }) {
      await invoices.remove(actor, params.id);
      return { status: 204 };
    },
  }),
  route({
    method: 'post',
    path: '/invoices/{id}/issue',
    operationId: 'issueInvoice',
    tag,
    summary: 'Issue an invoice',
    description: "Assigns the next number of the year and a payment link. The invoice can't be edited afterwards.",
    params: idParams,
    body: Issue,
    idempotent: true,
    errors: ['invoice_state', 'version_conflict'],
    responses: { 200: { description: 'The invoice', schema: InvoiceDetailRecord, headers: REPLAYED } },
    async handle({ actor, params, body, idempotency }) {
      const { result, replayed } = await invoices.issue(actor, params.id, body, idempotency);
      return { status: 200, body: result, headers: whenReplayed(replayed) };
    },
  }),
  route({
    method: 'post',
    path: '/invoices/{id}/void',
    operationId: 'voidInvoice',
    tag,
    summary: 'Void an invoice',
    description: 'The invoice keeps its number but can no longer be paid. Voiding it again has no effect.',
    params: idParams,
    errors: ['invoice_state', 'version_conflict'],
    responses: { 200: { description: 'The invoice', schema: InvoiceDetailRecord } },
    async handle({ actor, params }) {
      return { status: 200, body: await invoices.void(actor, params.id) };
    },
  }),
  route({
    method: 'post',
    path: '/invoices/{id}/payments',
    operationId: 'recordPayment',
    tag,
    summary: 'Record a payment or refund',
    description: 'For cash, bank transfers and other offline payments. Sends no `invoice.paid`.',
    params: idParams,
    body: NewManualPayment,
    idempotent: true,
    errors: ['invoice_state', 'version_conflict'],
    responses: { 201: { description: 'The invoice', schema: InvoiceDetailRecord, headers: REPLAYED } },
    async handle({ actor, params, body, idempotency }) {
      const { result, replayed } = await invoices.recordManual(actor, params.id, body, idempotency);
      return { status: 201, body: result, headers: whenReplayed(replayed) };
    },
  }),
  route({
    method: 'get',
    path: '/invoice-payments',
    operationId: 'listPayments',
    tag,
    summary: 'List payments and refunds',
    description: 'Newest first, including unmatched payments.',
    query: PaymentQuery,
    responses: { 200: { description: 'A page of payments', schema: PaymentList } },
    async handle({ actor, query }) {
      return { status: 200, body: toEnvelope(await invoices.listPayments(actor.accountId, query, query), query) };
    },
  }),
  route({
    method: 'post',
    path: '/invoice-payments/{id}/review',
    operationId: 'reviewPayment',
    tag,
    summary: 'Mark a payment as reviewed',
    params: idParams,
    errors: ['version_conflict'],
    responses: { 200: { description: 'The payment', schema: PaymentRecord } },
    async handle({ actor, params }) {
      return { status: 200, body: await invoices.review(actor, params.id) };
    },
  }),
  route({
    method: 'get',
    path: '/invoice-seller',
    operationId: 'getSeller',
    tag,
    summary: 'Get the business details',
    responses: { 200: { description: 'The seller', schema: SellerRecord } },
    async handle({ actor }) {
      return { status: 200, body: await invoices.seller(actor.accountId) };
    },
  }),
  route({
    method: 'put',
    path: '/invoice-seller',
    operationId: 'updateSeller',
    needsPassword: true,
    tag,
    summary: 'Update the business details',
    description: 'Applies to invoices issued from now on.',
    body: SellerPatch,
    errors: ['version_conflict'],
    responses: { 200: { description: 'The seller', schema: SellerRecord } },
    async handle({ actor, body }) {
      return { status: 200, body: await invoices.updateSeller(actor, body) };
    },
  }),
  route({
    method: 'get',
    path: '/payment-providers',
    operationId: 'listPaymentProviders',
    tag,
    summary: 'List payment providers',
    description: 'Oldest first, without their secrets.',
    responses: { 200: { description: 'All of them', schema: ProviderList } },
    async handle({ actor }) {
      const items = await providers.list(actor.accountId);
      return { status: 200, body: { items, total: items.length } };
    },
  }),
  route({
    method: 'post',
    path: '/payment-providers',
    operationId: 'createPaymentProvider',
    needsPassword: true,
    tag,
    summary: 'Add a payment provider',
    description: 'For signed notifications, the response contains the secret, only once.',
    body: NewProvider,
    idempotent: true,
    responses: {
      201: {
        description: 'The provider',
        schema: ProviderRecordSchema,
        headers: { 'Cache-Control': '`no-store`', ...REPLAYED },
      },
    },
    async handle({ actor, body, idempotency }) {
      const { result, replayed } = await providers.create(actor, body, idempotency);
      return { status: 201, body: result, headers: { ...NO_STORE, ...whenReplayed(replayed) } };
    },
  }),
  route({
    method: 'put',
    path: '/payment-providers/{id}',
    operationId: 'updatePaymentProvider',
    needsPassword: true,
    tag,
    summary: 'Update a payment provider',
    params: idParams,
    body: ProviderPatch,
    errors: ['version_conflict'],
    responses: { 200: { description: 'The provider', schema: ProviderRecordSchema } },
    async handle({ actor, params, body }) {
      return { status: 200, body: await providers.update(actor, params.id, body) };
    },
  }),
  route({
    method: 'post',
    path: '/payment-providers/{id}/secret',
    operationId: 'renewNotificationSecret',
    needsPassword: true,
    tag,
    summary: 'Replace the secret for signed notifications',
    description: 'The response contains the new secret, only once. The old one stops working immediately.',
    params: idParams,
    idempotent: true,
    errors: ['version_conflict'],
    responses: {
      200: {
        description: 'The provider',
        schema: ProviderRecordSchema,
        headers: { 'Cache-Control': '`no-store`', ...REPLAYED },
      },
    },
    async handle({ actor, params, idempotency }) {
      const { result, replayed } = await providers.renewSecret(actor, params.id, idempotency);
      return { status: 200, body: result, headers: { ...NO_STORE, ...whenReplayed(replayed) } };
    },
  }),
  route({
    method: 'delete',
    path: '/payment-providers/{id}',
    operationId: 'deletePaymentProvider',
    needsPassword: true,
    tag,
    summary: 'Delete a payment provider',
    description: 'Its payments stay. Later reports from it are rejected.',
    params: idParams,
    errors: ['version_conflict'],
    responses: { 204: { description: 'Deleted' } },
    async handle({ actor, params }) {
      await providers.remove(actor, params.id);
      return { status: 204 };
    },
  }),
];
