import type { BrowserContextOptions, Locator, Page, Route } from 'playwright-core';
import { findAccessibilityIssues, OWNER, openFarm } from '../kit/browser-farm.ts';
import { visit } from '../kit/chromium.ts';
import { write } from '../kit/database.ts';
import { eventually, expectSoon } from '../kit/eventually.ts';
import { forSuite } from '../kit/opened.ts';
import { createDataFolder, startService } from '../kit/service.ts';

const NEXT = 'another horse, another battery';

const farm = forSuite(() => openFarm({ env: { SIGN_UP: 'open' } }));

const field = (page: Page | Locator, name: string) => page.getByRole('textbox', { name, exact: true });
const button = (page: Page | Locator, name: string) => page.getByRole('button', { name, exact: true });
const goTo = (page: Page, path: string) => farm.open(page, path);

/** With a session of its own, because the tests end sessions. */
async function visitWithSession(path: string, options: BrowserContextOptions = {}, password = OWNER.password) {
  const visitor = await visit(farm.browser, farm.service.origin, options);
  const answer = await visitor.page.context().request.post(`${farm.service.origin}/console/api/session`, {
    data: { ...farm.owner, password },
    headers: { Origin: farm.service.origin, 'Sec-Fetch-Site': 'same-origin' },
  });
  expect(answer.status()).toBe(200);
  await goTo(visitor.page, path);
  return visitor;
}

test('lists the sessions and ends all others after confirmation', async () => {
  const agents = {
    'Edge on Windows':
      'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Safari/537.36 Edg/131.0.0.0',
    'Safari on iPhone':
      'Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.1 Mobile/15E148 Safari/604.1',
    'Firefox on Linux': 'Mozilla/5.0 (X11; Linux x86_64; rv:133.0) Gecko/20100101 Firefox/133.0',
    'Unknown device': 'curl/8.5.0',
  };
  const others = await Promise.all(Object.values(agents).map((userAgent) => visitWithSession('/', { userAgent })));
  const { page, browserErrors } = await visitWithSession('/account');
  await page.getByText(farm.owner.email).waitFor();
  const entries = page.getByRole('list', { name: 'Active sessions' }).getByRole('listitem');
  for (const name of Object.keys(agents)) await entries.filter({ hasText: name }).waitFor();
  await expectSoon(() => entries.count(), 5);
  await expectSoon(() => entries.filter({ hasText: 'This browser' }).count(), 1);
  await entries.filter({ hasText: 'This browser' }).filter({ hasText: 'Chrome on Linux' }).waitFor();

  // a single one
  await button(page, 'Sign out: Unknown device').click();
  await page.getByText('End this session? You’ll have to sign in again in Unknown device.').waitFor();
  await page.getByRole('dialog').getByRole('button').click();
  await page.getByText('The session has ended.').waitFor();
  await entries.filter({ hasText: 'Unknown device' }).waitFor({ state: 'detached' });
  await expectSoon(() => entries.count(), 4);

  await button(page, 'Sign out everywhere else').click();
  await page.getByText('End all other sessions?').waitFor();
  await expectSoon(() => entries.count(), 4);
  await page.getByRole('dialog').getByRole('button').click();
  await page.getByText('You’re not signed in anywhere else.').waitFor();
  await expectSoon(() => entries.count(), 1);
  for (const other of others) {
    await other.page.reload();
    await other.page.getByRole('heading', { name: 'Sign in' }).waitFor();
    await other.page.context().close();
  }

  // account settings → Integrations → Developers → Access tokens
  const integrations = page.getByRole('region', { name: 'Integrations' });
  await integrations.getByRole('heading', { name: 'Developers' }).waitFor();
  await integrations.getByRole('link', { name: 'Access tokens' }).click();
  await page.waitForURL('**/automation/tokens');
  expect(browserErrors).toEqual([]);
  await page.context().close();
});

test('stays signed in in all tabs while the password is entered in one of them', async () => {
  const { page } = await visitWithSession('/automation/tokens');
  const other = await page.context().newPage();
  const live = '/console/api/live';
  const stock = '/console/api/filaments?';
  const refused = (tab: Page, path: string) =>
    tab.waitForResponse((response) => response.url().includes(path) && response.status() === 401);
  let ofOldSession: () => Promise<unknown>;
  await page.route('**/console/api/password-check', async (route) => {
    const sent = route.request();
    const seen = ofOldSession();
    const headers = await sent.allHeaders();
    const answer = await fetch(sent.url(), { method: 'POST', headers, body: sent.postData() ?? '' });
    // the old session has ended, and the browser still has its cookie
    await seen;
    await route.fulfill({
      status: answer.status,
      headers: { 'Set-Cookie': answer.headers.getSetCookie().join('\n') },
    });
  });
  const createToken = async (name: string, beforeContinuing: () => Promise<void>) => {
    await write(farm.file, 'UPDATE sessions SET password_checked_at = 0');
    await goTo(page, '/automation/tokens');
    await button(page, 'New token').first().click();
    await field(page, 'Name').fill(name);
    await page.getByRole('radio', { name: 'Never' }).check();
    await button(page, 'Create token').click();
    const dialog = page.getByRole('dialog', { name: 'Enter your password' });
    await field(dialog, 'Password').fill(OWNER.password);
    await beforeContinuing();
    await button(dialog, 'Continue').click();
    await page.getByRole('dialog', { name: 'Your new token' }).waitFor();
  };

  await createToken('First', async () => {
    const opened = other.waitForResponse((response) => response.url().endsWith(live));
    await goTo(other, '/orders');
    await opened;
    ofOldSession = () => refused(other, live);
  });
  const name = 'Seen in the other tab';
  await farm.ask('POST', '/print-jobs', { model_name: name });
  const isShown = () => other.getByText(name).first().isVisible();
  await eventually(isShown, (shown) => shown);
  await other.close();

  // the new cookie arrives late
  await createToken('Second', async () => {
    const held = new Promise<Route>((resolve) => page.route(`**${stock}*`, resolve, { times: 1 }));
    await farm.ask('POST', '/filaments', { name: 'PLA White', type_name: 'PLA', spool_count: 1 });
    const reading = await held;
    ofOldSession = async () => {
      await refused(page, live);
      await Promise.all([refused(page, stock), reading.continue()]);
      await refused(page, live);
    };
  });
  await page.context().close();
});

test('signs out other browsers when the password changes', async () => {
  const other = await visitWithSession('/account');
  await button(other.page, 'Sign out everywhere else')
    .or(other.page.getByText('not signed in anywhere else'))
    .waitFor();
  const { page, browserErrors } = await visitWithSession('/account');
  const fill = async (current: string, next: string, again: string) => {
    await field(page, 'Current password').fill(current);
    await field(page, 'New password').fill(next);
    await field(page, 'Confirm new password').fill(again);
    await button(page, 'Change password').click();
  };
  await fill(OWNER.password, 'short', 'short');
  await page.getByText('At least 15 characters, or 12 that are hard to guess').nth(1).waitFor();
  await fill(OWNER.password, NEXT, `${NEXT}.`);
  await page.getByText('Passwords don’t match').waitFor();
  expect(browserErrors).toEqual([]);
  await fill('not the password', NEXT, NEXT);
  await page.getByText('Incorrect current password').waitFor();
  browserErrors.length = 0;
  await fill(OWNER.password, NEXT, NEXT);
  await page.getByText('You’re signed out everywhere else').waitFor();
  // no password may stay in the fields
  await expectSoon(() => field(page, 'Current password').inputValue(), '');
  await page.getByText('You’re not signed in anywhere else.').waitFor();
  await page.reload();
  await page.getByText(farm.owner.email).waitFor();

  await other.page.reload();
  await other.page.getByRole('heading', { name: 'Sign in' }).waitFor();
  const signIn = async (password: string) => {
    await field(other.page, 'Email').fill(farm.owner.email);
    await field(other.page, 'Password').fill(password);
    await button(other.page, 'Sign in').click();
  };
  await signIn(OWNER.password);
  await other.page.getByText('Incorrect email or password').waitFor();
  await signIn(NEXT);
  await other.page.getByRole('heading', { name: 'Account' }).waitFor();
  expect(browserErrors).toEqual([]);
  await other.page.context().close();
  await page.context().close();
});

test('links to sign-up when it is open, and creates a separate farm', async () => {
  await farm.ask('POST', '/print-jobs', { model_name: 'Of the first owner' });
  const { page, browserErrors } = await visit(farm.browser, farm.service.origin);
  await goTo(page, '/');
  await page.getByRole('link', { name: 'No account yet? Create one' }).click();
  await page.getByRole('heading', { name: 'Create account' }).waitFor();
  const fill = async (email: string, again: string) => {
    await field(page, 'Email').fill(email);
    await field(page, 'Farm name').fill('Second farm');
    await field(page, 'Password').fill(NEXT);
    await field(page, 'Confirm password').fill(again);
    await button(page, 'Create account').click();
  };
  await fill('second@farm.example', 'something else');
  await page.getByText('Passwords don’t match').waitFor();
  expect(browserErrors).toEqual([]);
  await fill(farm.owner.email, NEXT);
  await page.getByText(`An account for ${farm.owner.email} already exists`).first().waitFor();
  browserErrors.length = 0;
  await fill('second@farm.example', NEXT);
  await page.getByRole('heading', { name: 'Your board is empty' }).waitFor();
  await goTo(page, '/account');
  await page.getByText('second@farm.example').waitFor();
  // signed-in visitors have nothing to do on these pages
  await goTo(page, '/sign-up');
  await page.getByRole('heading', { name: 'Your board is empty' }).waitFor();
  expect(browserErrors).toEqual([]);
  await page.context().close();
});

test('shows no link when sign-up is closed, and says who creates accounts', async () => {
  const folder = createDataFolder();
  const service = await startService(folder.env);
  try {
    const { page, browserErrors } = await visit(farm.browser, service.origin);
    await page.goto(`${service.origin}/console/`);
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    expect(await page.getByRole('link').count()).toBe(0);
    await page.goto(`${service.origin}/console/sign-up`);
    await page.getByText('Sign-up is closed').waitFor();
    expect(await page.getByRole('textbox').count()).toBe(0);
    await page.getByRole('link', { name: 'Go to sign in' }).click();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    expect(browserErrors).toEqual([]);
    await page.context().close();
  } finally {
    await service.stop();
    folder.remove();
  }
});

test('shows nothing of the previous account when its session ended elsewhere and another one signs in', async () => {
  const { page } = await visitWithSession('/', {}, NEXT);
  await page.getByText('Of the first owner').waitFor();
  await write(farm.file, 'DELETE FROM sessions');
  // a page that requests something: the orders are cached
  await page.getByRole('link', { name: 'Integrations' }).first().click();
  await page.getByRole('heading', { name: 'Sign in' }).waitFor();
  await field(page, 'Email').fill('second@farm.example');
  await field(page, 'Password').fill(NEXT);
  await button(page, 'Sign in').click();
  await page.getByRole('link', { name: 'Board' }).first().click();
  await page.getByRole('heading', { name: 'Your board is empty' }).waitFor();
  expect(await page.getByText('Of the first owner').count()).toBe(0);
  await page.context().close();
});

test('asks for the password before it creates a token with full access, and offers to revoke tokens with a new one', async () => {
  const { page, browserErrors } = await visitWithSession('/automation/tokens', {}, NEXT);
  await write(farm.file, 'UPDATE sessions SET password_checked_at = 0');
  await button(page, 'New token').first().click();
  await field(page, 'Name').fill('Display');
  await page.getByRole('radio', { name: 'Never' }).check();
  await page.getByRole('checkbox', { name: 'Read only' }).check();
  await button(page, 'Create token').click();
  await page.getByRole('dialog', { name: 'Your new token' }).waitFor();
  await goTo(page, '/automation/tokens');
  await button(page, 'New token').first().click();
  await field(page, 'Name').fill('For a month');
  await page.getByRole('radio', { name: 'In 30 days' }).check();
  const dialog = page.getByRole('dialog', { name: 'Enter your password' });
  const create = () => button(page, 'Create token').click();
  await create();
  await dialog.waitFor();
  await button(dialog, 'Cancel').click();
  await page.getByText('Nothing was changed, because this needs your password.').waitFor();
  await create();
  await field(dialog, 'Password').fill('not the password');
  await button(dialog, 'Continue').click();
  await dialog.getByText('Incorrect password').waitFor();
  await field(dialog, 'Password').fill(NEXT);
  await button(dialog, 'Continue').click();
  await page.getByRole('dialog', { name: 'Your new token' }).waitFor();
  await expectSoon(() => dialog.count(), 0);
  // the stream of the old session has ended, and another one is opened
  expect(await page.getByText('Connection lost').count()).toBe(0);
  browserErrors.length = 0;

  await goTo(page, '/account');
  await field(page, 'Current password').fill(NEXT);
  await field(page, 'New password').fill(OWNER.password);
  await field(page, 'Confirm new password').fill(OWNER.password);
  await button(page, 'Change password').click();
  await page.getByText(/access tokens? .*For a month/).waitFor();
  expect(await findAccessibilityIssues(page)).toEqual([]);
  await button(page, 'Revoke all tokens').click();
  await page.getByRole('dialog').getByRole('button', { name: 'Revoke all tokens' }).click();
  await page.getByText('All access tokens are revoked.').waitFor();
  await goTo(page, '/automation/tokens');
  await page.getByText('No tokens yet').waitFor();
  expect(browserErrors).toEqual([]);
  await page.context().close();
});
