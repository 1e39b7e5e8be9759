// Every page of the console, for requirements that all of them must meet.

/**
 * @typedef {object} ConsolePage
 * @property {string} name of its picture
 * @property {string} path below /console; {order}, {filament}, {printer}, {lead}, {draft} and {invoice} (an issued one)
 *   stand for ids of records that exist
 * @property {boolean} [isSignedOut] shown while signed out
 * @property {string[]} [forms] CSS of what opens the forms that are on it
 */

/** @type {ConsolePage[]} */
exports.PAGES = [
  { name: 'sign-in', path: '/', isSignedOut: true },
  { name: 'sign-up', path: '/sign-up', isSignedOut: true },
  { name: 'setup', path: '/setup#used', isSignedOut: true },
  { name: 'board', path: '/', forms: ['main button:has-text("New order")'] },
  { name: 'order', path: '/?order={order}' },
  { name: 'labels', path: '/labels?ids={order}&size=62x29' },
  { name: 'orders', path: '/orders', forms: ['header button[aria-label*="can"]'] },
  { name: 'stock', path: '/stock', forms: ['main button:has-text("Add filament")'] },
  {
    name: 'filament',
    path: '/stock/{filament}',
    forms: ['Deduct', 'Stocktake', 'Edit'].map((name) => `main button:has-text("${name}")`),
  },
  {
    name: 'printers',
    path: '/printers',
    forms: ['New group', 'New printer'].map((name) => `main button:has-text("${name}")`),
  },
  { name: 'printer', path: '/printers/{printer}', forms: ['main button:has-text("New agent")'] },
  {
    name: 'channels',
    path: '/automation/channels',
    forms: ['main button:has-text("New channel")', 'main button:has-text("Edit")'],
  },
  { name: 'tokens', path: '/automation/tokens', forms: ['main button:has-text("New token")'] },
  { name: 'events', path: '/automation/events' },
  { name: 'connect', path: '/automation/connect' },
  { name: 'requests', path: '/requests' },
  { name: 'request', path: '/requests/{lead}' },
  { name: 'profile', path: '/profile' },
  { name: 'invoices', path: '/invoices', forms: ['main button:has-text("New invoice")'] },
  { name: 'draft', path: '/invoices/{draft}' },
  {
    name: 'invoice',
    path: '/invoices/{invoice}',
    forms: ['main button:has-text("Record payment")'],
  },
  { name: 'invoice-settings', path: '/invoices/settings', forms: ['main button:has-text("Add Stripe")'] },
  { name: 'dashboard', path: '/dashboard' },
  { name: 'account', path: '/account' },
];

/** Runs in the page: true as soon as nothing is loading. */
exports.isSettled = () =>
  document.querySelector('h1, h2, form') !== null &&
  document.querySelector('[aria-busy=true], .mantine-Loader-root, .mantine-Skeleton-root') === null;

/**
 * Fills the ids into a path.
 * @param {ConsolePage} page
 * @param {Record<string, string>} ids
 */
exports.pathOf = (page, ids) => page.path.replace(/\{(\w+)\}/g, (_, name) => String(ids[name]));
