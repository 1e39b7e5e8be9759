/** What an operation outputs if it isn't the answer of the API. */
const DELETED = 'deleted';
const FILE = 'file';
/** One of the results of a request for many orders. */
const BULK = 'bulk';

/**
 * Every operation of the node: the documented request that it sends, its required fields, and the API operation whose
 * answer it outputs. Stored workflows contain the names, so they must never change.
 * @type {Record<string, { request: string, required: string[], output: string }>}
 */
const OPERATIONS = {
  'event getAll': { request: 'GET /events', required: ['subscriptionId'], output: 'listEvents' },
  'farm getSummary': { request: 'GET /summary', required: [], output: 'getSummary' },
  'filament addBatch': {
    request: 'POST /filaments/{id}/batches',
    required: ['filamentId', 'spoolCount'],
    output: 'addFilamentBatch',
  },
  'filament consume': {
    request: 'POST /filaments/{id}/consume',
    required: ['filamentId', 'grams'],
    output: 'consumeFilament',
  },
  'filament create': { request: 'POST /filaments', required: ['name'], output: 'createFilament' },
  'filament get': { request: 'GET /filaments/{id}', required: ['filamentId'], output: 'getFilament' },
  'filament getAll': { request: 'GET /filaments', required: [], output: 'listFilaments' },
  'filament getBatches': {
    request: 'GET /filaments/{id}/batches',
    required: ['filamentId'],
    output: 'listFilamentBatches',
  },
  'filament getLabel': {
    request: 'GET /filaments/{id}/label',
    required: ['binaryPropertyName', 'filamentId'],
    output: FILE,
  },
  'filament getLedger': {
    request: 'GET /filaments/{id}/ledger',
    required: ['filamentId'],
    output: 'getFilamentLedger',
  },
  'filament stocktake': {
    request: 'POST /filaments/{id}/stocktake',
    required: ['filamentId', 'remainingGrams'],
    output: 'takeStockOfFilament',
  },
  'filament undo': {
    request: 'POST /filaments/{id}/ledger/{entry_id}/undo',
    required: ['entryId', 'filamentId'],
    output: 'undoFilamentLedgerEntry',
  },
  'filament update': { request: 'PUT /filaments/{id}', required: ['filamentId'], output: 'updateFilament' },
  'invoice get': { request: 'GET /invoices/{id}', required: ['invoiceId'], output: 'getInvoice' },
  'invoice getAll': { request: 'GET /invoices', required: [], output: 'listInvoices' },
  'invoice getPdf': { request: 'GET /invoices/{id}/pdf', required: ['binaryPropertyName', 'invoiceId'], output: FILE },
  'lead get': { request: 'GET /leads/{id}', required: ['leadId'], output: 'getLead' },
  'lead getAll': { request: 'GET /leads', required: [], output: 'listLeads' },
  'order create': { request: 'POST /print-jobs', required: ['modelName'], output: 'createOrder' },
  'order createOrUpdate': {
    request: 'PUT /print-jobs/by-external-id/{source}/{external_id}',
    required: ['externalId', 'fields', 'source'],
    output: 'putOrderByExternalId',
  },
  'order delete': { request: 'DELETE /print-jobs/{id}', required: ['orderId'], output: DELETED },
  'order get': { request: 'GET /print-jobs/{id}', required: ['orderId'], output: 'getOrder' },
  'order getAll': { request: 'GET /print-jobs', required: [], output: 'listOrders' },
  'order getHistory': { request: 'GET /print-jobs/{id}/history', required: ['orderId'], output: 'getOrderHistory' },
  'order getLabel': {
    request: 'GET /print-jobs/{id}/label',
    required: ['binaryPropertyName', 'orderId'],
    output: FILE,
  },
  'order setStatus': {
    request: 'PUT /print-jobs/{id}',
    required: ['orderId', 'workflowStatus'],
    output: 'updateOrder',
  },
  'order setStatusInBulk': {
    request: 'POST /print-jobs/status',
    required: ['orderId', 'workflowStatus'],
    output: BULK,
  },
  'order update': { request: 'PUT /print-jobs/{id}', required: ['orderId'], output: 'updateOrder' },
  'printer get': { request: 'GET /printers/{id}', required: ['printerId'], output: 'getPrinter' },
  'printer getAll': { request: 'GET /printers', required: [], output: 'listPrinters' },
  'webhook create': {
    request: 'POST /webhook-subscriptions',
    required: ['events', 'url'],
    output: 'createWebhookSubscription',
  },
  'webhook delete': { request: 'DELETE /webhook-subscriptions/{id}', required: ['subscriptionId'], output: DELETED },
  'webhook get': {
    request: 'GET /webhook-subscriptions/{id}',
    required: ['subscriptionId'],
    output: 'getWebhookSubscription',
  },
  'webhook getAll': { request: 'GET /webhook-subscriptions', required: [], output: 'listWebhookSubscriptions' },
  'webhook getDeliveries': {
    request: 'GET /webhook-subscriptions/{id}/deliveries',
    required: ['subscriptionId'],
    output: 'listWebhookDeliveries',
  },
  'webhook newSecret': {
    request: 'POST /webhook-subscriptions/{id}/secret',
    required: ['subscriptionId'],
    output: 'recreateWebhookSecret',
  },
  'webhook resend': {
    request: 'POST /webhook-subscriptions/{id}/deliveries/{delivery_id}/resend',
    required: ['deliveryId', 'subscriptionId'],
    output: 'resendWebhookDelivery',
  },
  'webhook sendTest': {
    request: 'POST /webhook-subscriptions/{id}/test',
    required: ['subscriptionId'],
    output: 'testWebhookSubscription',
  },
  'webhook update': {
    request: 'PUT /webhook-subscriptions/{id}',
    required: ['subscriptionId'],
    output: 'updateWebhookSubscription',
  },
};

module.exports = { OPERATIONS, DELETED, FILE, BULK };
