// All faults, each with the part of the product that it is in.
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
 * @property {string[]} suites files, or folders of them: the only ones that run
 * @property {string} [tests] a part of the name of the tests that run; all of the suites otherwise
 * @property {'postgres'} [engine] where SQLite cannot show it
 * @property {string} [failsWith] a part of the error by which its tests fail, where that is no assertion of theirs
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
