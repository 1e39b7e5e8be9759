import type { Locator, Page } from 'playwright-core';
import { createInvoices, goTo, holdRequests, openFarm, settle } from '../kit/browser-farm.ts';
import type { Visitor } from '../kit/chromium.ts';
import { expectSoon } from '../kit/eventually.ts';
import { forSuite } from '../kit/opened.ts';

const farm = forSuite(openFarm);
let visitor: Visitor;
let somebodyElse: Visitor;
let orderId: string;
let draftId: string;

beforeAll(async () => {
  ({ id: orderId } = await farm.ask<{ id: string }>('POST', '/print-jobs', { model_name: 'Bracket' }));
  ({ draft: draftId } = await createInvoices(farm));
  visitor = await farm.visit('/orders');
  somebodyElse = await farm.visit('/orders');
});

interface Form {
  name: string;
  path(): string;
  field(page: Page): Locator;
  /** over another page, which a click next to it returns to */
  isDialog: boolean;
}

const inDialog = (page: Page) => page.locator('section[role=dialog]').first();

const FORMS: Form[] = [
  {
    name: 'an order',
    path: () => `/?order=${orderId}`,
    field: (page) => inDialog(page).getByLabel('Notes'),
    isDialog: true,
  },
  { name: 'a new order', path: () => '/?new=1', field: (page) => inDialog(page).getByLabel('Notes'), isDialog: true },
  {
    name: 'an invoice draft',
    path: () => `/invoices/${draftId}`,
    field: (page) => page.getByLabel('Note', { exact: true }),
    isDialog: false,
  },
  {
    name: 'the business details',
    path: () => '/invoices/settings',
    field: (page) => page.getByLabel('Payment instructions'),
    isDialog: false,
  },
  { name: 'the profile', path: () => '/profile', field: (page) => page.getByLabel('About'), isDialog: false },
];

const TYPED = 'Typed with care';
const question = (page: Page) => page.getByRole('dialog', { name: 'Discard unsaved changes?' });

/** Navigates within the console from another page, so that typed text could be lost. */
async function type(page: Page, { path, field }: Form) {
  await goTo(page, '/orders');
  await goTo(page, path());
  await field(page).click();
  await field(page).fill(TYPED);
}

async function keepEditing(page: Page) {
  await question(page).getByRole('button', { name: 'Keep editing' }).click();
  await question(page).waitFor({ state: 'detached' });
}

/** Each returns the page on which the form is afterwards. */
const WAYS: Record<string, (page: Page, form: Form) => Promise<Page>> = {
  async Esc(page, form) {
    await page.keyboard.press('Escape');
    if (form.isDialog) await keepEditing(page);
    return page;
  },
  async 'a click outside'(page, form) {
    if (form.isDialog) await page.mouse.click(10, 600);
    else await page.getByRole('link', { name: 'Stock' }).click();
    await keepEditing(page);
    return page;
  },
  async Back(page) {
    await page.evaluate('history.back()');
    await keepEditing(page);
    return page;
  },
  async 'a reload'(page) {
    const [asked] = await Promise.all([
      page.waitForEvent('dialog').then(async (dialog) => {
        await dialog.accept();
        return dialog.type();
      }),
      page.reload(),
    ]);
    expect(asked).toBe('beforeunload');
    return page;
  },
  async 'closing the tab'(page, form) {
    const next = await page.context().newPage();
    const asked = page.waitForEvent('dialog');
    await page.close({ runBeforeUnload: true });
    const dialog = await asked;
    expect(dialog.type()).toBe('beforeunload');
    const closed = page.waitForEvent('close');
    await dialog.accept();
    await closed;
    await farm.open(next, form.path());
    return next;
  },
};

async function discard(page: Page) {
  await page.evaluate('history.back()');
  await question(page).getByRole('button', { name: 'Discard changes' }).click();
  await question(page).waitFor({ state: 'detached' });
}

const TRIES = FORMS.flatMap((form) => Object.entries(WAYS).map(([way, go]) => ({ name: form.name, way, go, form })));

test.each(TRIES)('$way does not lose the text typed into $name', async ({ go, form }) => {
  await type(visitor.page, form);
  visitor.page = await go(visitor.page, form);
  const { page } = visitor;
  await expectSoon(() => form.field(page).inputValue(), TYPED);
  expect(page.url()).toBe(`${farm.service.origin}/console${form.path()}`);
  const drafts = () => page.evaluate(`Object.keys(localStorage).filter((key) => key.startsWith('farmboard-draft:'))`);
  expect(await drafts()).toHaveLength(1);
  // a dialog covers it
  await page.getByRole('link', { name: 'Orders', exact: true }).dispatchEvent('click');
  await question(page).getByRole('button', { name: 'Discard changes' }).click();
  await page.waitForURL('**/console/orders');
  expect(await drafts()).toEqual([]);
});

test('leaves a form with Back once its changes are discarded', async () => {
  const { page } = visitor;
  await type(page, FORMS[0] as Form);
  await discard(page);
  await page.waitForURL('**/console/orders');
  await goTo(page, `/?order=${orderId}`);
  await expectSoon(() => inDialog(page).getByLabel('Notes').inputValue(), '');
});

test('asks on Escape when the board was the first page, and returns to the form on a second one', async () => {
  const { page } = visitor;
  await farm.open(page, '/');
  await page.locator(`[data-order="${orderId}"]`).click();
  await inDialog(page).getByLabel('Notes').fill(TYPED);
  await page.keyboard.press('Escape');
  await settle(page);
  await question(page).waitFor();
  await page.keyboard.press('Escape');
  await question(page).waitFor({ state: 'detached' });
  await expectSoon(() => inDialog(page).getByLabel('Notes').inputValue(), TYPED);
  await discard(page);
});

test('merges changes to other fields into a draft that is older than its record', async () => {
  const { page } = visitor;
  await type(page, FORMS[0] as Form);
  page.once('dialog', (dialog) => dialog.accept());
  await page.goto('about:blank');
  await farm.ask('PUT', `/print-jobs/${orderId}`, { customer_name: 'Anna' });
  await farm.open(page, `/?order=${orderId}`);
  await inDialog(page).getByText('Your unsaved changes have been restored').waitFor();
  await inDialog(page).getByText('Changed elsewhere while you were editing, and updated here: Customer.').waitFor();
  await expectSoon(() => inDialog(page).getByLabel('Customer').inputValue(), 'Anna');
  await inDialog(page).getByRole('button', { name: 'Save' }).click();
  await page.getByText('Saved', { exact: true }).waitFor();
  expect(await farm.ask('GET', `/print-jobs/${orderId}`)).toMatchObject({ customer_name: 'Anna', order_notes: TYPED });
  await page.keyboard.press('Escape');
  await inDialog(page).waitFor({ state: 'detached' });
});

const versionsOf = (page: Page, field: string) => page.getByRole('radiogroup', { name: field });
const pick = (page: Page, field: string, whose: 'Yours' | 'Theirs') =>
  versionsOf(page, field).getByRole('radio', { name: whose }).click();

/**
 * Lets news of a change arrive only after a save has been sent, which the server then refuses.
 * @returns a function that ends it
 */
async function holdNews(page: Page, addresses: RegExp): Promise<() => Promise<void>> {
  let isHeld = false;
  let send = () => {};
  const sent = new Promise<void>((resolve) => {
    send = resolve;
  });
  await page.route(addresses, async (route) => {
    if (route.request().method() === 'PUT') send();
    else if (isHeld) await sent;
    await route.continue();
  });
  // what was asked for before would bring the news, too
  await settle(page);
  isHeld = true;
  return () => page.unroute(addresses);
}

test('shows both versions of fields that two people changed, and saves what is picked', async () => {
  const { page } = visitor;
  await farm.ask('PUT', `/print-jobs/${orderId}`, {
    order_notes: '',
    customer_name: 'Anna',
    price: 100,
    currency: 'RUB',
  });
  await goTo(page, `/?order=${orderId}`);
  const drawer = inDialog(page);
  const save = drawer.getByRole('button', { name: 'Save' });
  // news of these values after the first keystroke would be a conflict already
  await expectSoon(() => drawer.getByLabel('Price').inputValue(), '1');
  await drawer.getByLabel('Notes').fill('From tab B');
  await drawer.getByLabel('Customer').fill('Bea');
  await drawer.getByLabel('Price').fill('5');
  const tellNews = await holdNews(page, new RegExp(`/print-jobs(\\?|/${orderId}$)`));
  await farm.ask('PUT', `/print-jobs/${orderId}`, {
    order_notes: 'From tab A',
    customer_name: 'Carl',
    currency: 'EUR',
    material_name: 'PETG',
  });
  await save.click();
  await drawer.getByText('You and someone else changed the same field').waitFor();
  await tellNews();
  await expectSoon(() => drawer.getByRole('status').getByRole('radiogroup').count(), 3);
  await expectSoon(
    () => versionsOf(page, 'Notes').textContent(),
    expect.stringMatching(/Yours\s*From tab B\s*Theirs\s*From tab A/),
  );
  // 5 roubles must not become 5 euros
  await expectSoon(
    () => versionsOf(page, 'Price').textContent(),
    expect.stringMatching(/Yours\s*5 RUB\s*Theirs\s*1 EUR/),
  );
  // nothing was overwritten, and what does not collide is merged
  expect(await farm.ask('GET', `/print-jobs/${orderId}`)).toMatchObject({ order_notes: 'From tab A' });
  await expectSoon(() => drawer.getByLabel('Material', { exact: true }).inputValue(), 'PETG');
  await expectSoon(() => save.isDisabled(), true);
  await pick(page, 'Notes', 'Theirs');
  await pick(page, 'Customer', 'Theirs');
  await pick(page, 'Price', 'Yours');
  // a pick can be changed
  await pick(page, 'Customer', 'Yours');
  await expectSoon(() => drawer.getByRole('textbox', { name: 'Notes' }).inputValue(), 'From tab A');
  await save.click();
  await drawer.getByText('You and someone else').waitFor({ state: 'detached' });
  expect(await farm.ask('GET', `/print-jobs/${orderId}`)).toMatchObject({
    order_notes: 'From tab A',
    customer_name: 'Bea',
    price: 500,
    currency: 'RUB',
    material_name: 'PETG',
  });
  visitor.browserErrors.splice(0);
  await page.keyboard.press('Escape');
  await drawer.waitFor({ state: 'detached' });
});

test('merges changes made elsewhere into an invoice draft and a profile, and shows both versions', async () => {
  const { page } = visitor;
  await type(page, FORMS[2] as Form);
  await farm.askConsole('PUT', `/invoices/${draftId}`, { customer_details: 'Elsewhere 1' });
  await page.getByText('updated here: Address, tax ID, contact.').waitFor();
  await farm.askConsole('PUT', `/invoices/${draftId}`, {
    note: 'Their note',
    lines: [{ description: 'Theirs', quantity: 1, unit_price: 100 }],
  });
  await versionsOf(page, 'Note').waitFor();
  await page.getByText('updated here: Address, tax ID, contact, Line items.').waitFor();
  await expectSoon(() => page.getByRole('button', { name: 'Issue' }).isDisabled(), true);
  await pick(page, 'Note', 'Yours');
  await page.getByRole('button', { name: 'Save' }).click();
  await versionsOf(page, 'Note').waitFor({ state: 'detached' });
  expect(await farm.askConsole('GET', `/invoices/${draftId}`)).toMatchObject({
    note: TYPED,
    customer_details: 'Elsewhere 1',
    lines: [{ description: 'Theirs' }],
  });
  await type(page, FORMS.at(-1) as Form);
  await farm.askConsole('PUT', '/profile', { headline: 'From elsewhere', about: 'Their text' });
  page.once('dialog', (dialog) => dialog.accept());
  await page.reload();
  await pick(page, 'About', 'Yours');
  await expectSoon(() => page.getByLabel('Headline').inputValue(), 'From elsewhere');
  await page.getByRole('button', { name: 'Save' }).click();
  await versionsOf(page, 'About').waitFor({ state: 'detached' });
  expect(await farm.askConsole('GET', '/profile')).toMatchObject({ about: TYPED, headline: 'From elsewhere' });
});

interface EditDialog {
  name: string;
  /** the API's collection */
  path: string;
  fields: { name: string };
  /** opens the dialog for the record of this name */
  open(page: Page, id: string, name: string): Promise<void>;
  /** the field that both change, and one that only the other person does */
  both: { label: string; field: string };
  other?: { label: string; field: string };
}

const openMenu = async (page: Page, name: string, item: string) => {
  await page.getByRole('button', { name: `Actions for ${name}` }).click();
  await page.getByRole('menuitem', { name: item }).click();
};

const DIALOGS: EditDialog[] = [
  {
    name: 'a filament',
    path: '/filaments',
    fields: { name: 'PETG black' },
    async open(page, id) {
      await goTo(page, `/stock/${id}`);
      await page.getByRole('button', { name: 'Edit' }).click();
    },
    both: { label: 'Brand', field: 'brand' },
    other: { label: 'Name', field: 'name' },
  },
  {
    name: 'a printer',
    path: '/printers',
    fields: { name: 'Anna', model: 'MK4' } as { name: string },
    async open(page, _, name) {
      await goTo(page, '/printers');
      await openMenu(page, name, 'Edit');
    },
    both: { label: 'Internal name', field: 'internal_name' },
    other: { label: 'Printer model', field: 'model' },
  },
  {
    name: 'a printer group',
    path: '/printer-groups',
    fields: { name: 'Hall' },
    async open(page, _, name) {
      await goTo(page, '/printers');
      await openMenu(page, name, 'Rename');
    },
    both: { label: 'Group name', field: 'name' },
  },
  {
    name: 'a webhook channel',
    path: '/webhook-subscriptions',
    fields: { name: 'n8n', url: 'http://10.0.0.1/', events: ['order.created'] } as { name: string },
    async open(page, _, name) {
      await goTo(page, '/automation/channels');
      await page.getByRole('button', { name: `Edit: ${name}` }).click();
    },
    both: { label: 'Name', field: 'name' },
    other: { label: 'URL', field: 'url' },
  },
];

test.each(DIALOGS)('does not overwrite what somebody else saves in the dialog of $name', async (dialog) => {
  const { path, fields, both, other } = dialog;
  const { page } = visitor;
  const { page: theirPage } = somebodyElse;
  const { id } = await farm.askConsole('POST', path, fields);
  const read = async () =>
    (await farm.askConsole<{ items: Record<string, string>[] }>('GET', `${path}?per_page=200`)).items.find(
      (one) => one.id === id,
    );
  const field = (of: Page, { label }: { label: string }) => inDialog(of).getByRole('textbox', { name: label });
  const save = (of: Page) => inDialog(of).getByRole('button', { name: 'Save' });
  const closed = (of: Page) => inDialog(of).waitFor({ state: 'detached' });

  await dialog.open(page, id, fields.name);
  await dialog.open(theirPage, id, fields.name);
  await field(page, both).fill('Mine');
  const tellNews = await holdNews(page, new RegExp(`${path}(\\?|/${id}$)`));
  await field(theirPage, both).fill('Theirs');
  if (other) await field(theirPage, other).fill('http://10.0.0.2/');
  await save(theirPage).click();
  await closed(theirPage);

  await save(page).click();
  await versionsOf(page, both.label).waitFor();
  await tellNews();
  await expectSoon(
    () => versionsOf(page, both.label).textContent(),
    expect.stringMatching(/Yours\s*Mine\s*Theirs\s*Theirs/),
  );
  expect(await read()).toMatchObject({ [both.field]: 'Theirs' });
  // what does not collide is merged
  await expectSoon(() => inDialog(page).getByRole('radiogroup').count(), 1);
  if (other) await expectSoon(() => field(page, other).inputValue(), 'http://10.0.0.2/');
  await expectSoon(() => save(page).isDisabled(), true);
  await pick(page, both.label, 'Yours');
  await save(page).click();
  await closed(page);
  expect(await read()).toMatchObject({ [both.field]: 'Mine', ...(other && { [other.field]: 'http://10.0.0.2/' }) });
  visitor.browserErrors.splice(0);
  if (!other) return;

  // different fields: both are saved without a question
  const name = (await read())?.name as string;
  await dialog.open(page, id, name);
  await expectSoon(() => field(page, both).inputValue(), 'Mine');
  await field(page, both).fill('Mine again');
  const tellMore = await holdNews(page, new RegExp(`${path}(\\?|/${id}$)`));
  await farm.askConsole('PUT', `${path}/${id}`, { [other.field]: 'http://10.0.0.3/' });
  await save(page).click();
  await closed(page);
  await tellMore();
  expect(await read()).toMatchObject({ [both.field]: 'Mine again', [other.field]: 'http://10.0.0.3/' });
  // nothing of a dialog stays in the browser
  expect(await page.evaluate(`Object.keys(localStorage).filter((key) => key.startsWith('farmboard-draft:'))`)).toEqual(
    [],
  );
  visitor.browserErrors.splice(0);
});

test('keeps text typed during saving as unsaved', async () => {
  const { page } = visitor;
  await goTo(page, `/?order=${orderId}`);
  await inDialog(page).getByLabel('Notes').fill('First');
  const send = await holdRequests(page, 'PUT', `**/print-jobs/${orderId}`);
  await Promise.all([
    page.waitForRequest((request) => request.method() === 'PUT'),
    inDialog(page).getByRole('button', { name: 'Save' }).click(),
  ]);
  await inDialog(page).getByLabel('Contact').fill('Ben');
  send();
  await page.getByText('Saved', { exact: true }).first().waitFor();
  await page.unroute(`**/print-jobs/${orderId}`);
  await expectSoon(() => inDialog(page).getByLabel('Contact').inputValue(), 'Ben');
  await page.keyboard.press('Escape');
  await question(page).getByRole('button', { name: 'Discard changes' }).click();
  await inDialog(page).waitFor({ state: 'detached' });
});

test('asks on sign-out and deletes the drafts', async () => {
  const { page } = visitor;
  await type(page, FORMS.at(-1) as Form);
  await page.getByLabel('About').fill('Typed before signing out');
  // drafts of a form that is not open and of another person at the same browser must stay
  for (const person of [farm.owner.email, 'someone@else'])
    await page.evaluate(`localStorage.setItem('farmboard-draft:${person}:new-order', '{"at":${Date.now()}}')`);
  await page.getByRole('button', { name: 'Account menu' }).click();
  await page.getByRole('button', { name: 'Sign out' }).click();
  await keepEditing(page);
  await expectSoon(() => page.getByLabel('About').inputValue(), 'Typed before signing out');
  await page.getByRole('button', { name: 'Account menu' }).click();
  await page.getByRole('button', { name: 'Sign out' }).click();
  await question(page).getByRole('button', { name: 'Discard changes' }).click();
  await page.getByRole('heading', { name: 'Sign in' }).waitFor();
  const left = await page.evaluate(`Object.keys(localStorage).filter((key) => key.startsWith('farmboard-draft:'))`);
  expect(left).toEqual(['farmboard-draft:someone@else:new-order']);
});
