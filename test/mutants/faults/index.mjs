// All faults, each with its part of the product.
import { accounts } from './accounts.mjs';
import { agents } from './agents.mjs';
import { consolePages } from './console.mjs';
import { http } from './http.mjs';
import { invoicesAndLeads } from './invoices.mjs';
import { isolation } from './isolation.mjs';
import { n8n } from './n8n.mjs';
import { operations } from './operations.mjs';
import { ordersAndStock } from './orders.mjs';
import { storage } from './storage.mjs';
import { webhooks } from './webhooks.mjs';

/** @type {Record<string, import('../types.d.ts').Fault[]>} */
const PARTS = {
  storage,
  webhooks,
  isolation,
  accounts,
  'orders and stock': ordersAndStock,
  http,
  'invoices and leads': invoicesAndLeads,
  agents,
  operations,
  n8n,
  console: consolePages,
};

export const FAULTS = Object.entries(PARTS).flatMap(([part, faults]) => faults.map((fault) => ({ part, ...fault })));
