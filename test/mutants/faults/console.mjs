// The console. Each of these faults is built and driven in a browser, so there are few.
/** @type {import('../types.d.ts').Fault[]} */
export const consolePages = [
  {
    id: 'requests-during-a-renewal',
    breaks: 'Entering the password can sign the tab out.',
    file: 'backend/web/src/api/client.ts',
    find: '  await renewal;',
    replace: '',
    suites: ['test/browser/account.test.ts'],
    tests: 'stays signed in in all tabs while the password is entered in one of them',
    failsWith: "waiting for getByRole('dialog', { name: 'Your new token' })",
  },
  {
    id: 'renewal-unknown-to-other-tabs',
    breaks: 'Entering the password can sign the other tabs out.',
    file: 'backend/web/src/api/renew-session.ts',
    find: 'localStorage.setItem(RENEWAL, String(Date.now()))',
    replace: 'localStorage.removeItem(RENEWAL)',
    suites: ['test/browser/account.test.ts'],
    tests: 'stays signed in in all tabs while the password is entered in one of them',
  },
  {
    id: 'csv-formula-not-escaped',
    breaks: 'A cell of an exported file can be a formula.',
    file: 'backend/web/src/orders/csv/write.ts',
    find: 'escapeFormulae: FORMULA',
    replace: "escapeFormulae: FORMULA.test('')",
    suites: ['test/browser/orders.test.ts'],
  },
  {
    id: 'label-with-other-text',
    breaks: 'The code on a label is not the name of its order.',
    file: 'backend/web/src/labels/qr.ts',
    find: 'labelText = (orderId: string) => `ORDER-${orderId}`',
    replace: 'labelText = (orderId: string) => `ORDER_${orderId}`',
    suites: ['test/browser/labels.test.ts'],
    tests: 'prints readable sheets and continues on a partly used one',
  },
];
