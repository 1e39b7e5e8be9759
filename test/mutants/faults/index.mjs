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

/**
 * @typedef {object} Fault
 * @property {string} id stable
 * @property {string} breaks what goes wrong, in a sentence
 * @property {string} file
 * @property {string} find its place: must be in the file exactly once
 * @property {string} replace
 * @property {string[]} suites files or folders: the only ones that run
 * @property {string} [tests] a part of the names of the tests that run; by default all of the suites
 * @property {'postgres'} [engine] if SQLite can't show it
 * @property {string} [failsWith] a part of the error by which its tests fail, if that isn't one of their assertions
 */

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
