import type { Page } from 'playwright-core';
import {
  askConsole,
  type Farm,
  makeInvoices,
  openFarm,
  PAGES,
  reportPrints,
  type ShownIds,
  settle,
  showPage,
} from '../kit/browser-farm.ts';
import { visit } from '../kit/chromium.ts';
import { startReceiver } from '../kit/receiver.ts';

/** Whatever of these runs calls `ran`, loads a picture of another host, or breaks the policy of the pages. */
const HOSTILE = [
  '<script>ran()</script>',
  '"><script>ran()</script>',
  "'><script>ran()</script>",
  '</script><script>ran()</script>',
  '<ScRiPt>ran()</sCrIpT>',
  '<script src=https://evil.example/x.js></script>',
  '<img src=x onerror=ran()>',
  '"><img src=x onerror="ran()">',
  '<img src="https://evil.example/x.png">',
  '<svg onload=ran()>',
  '<svg><script>ran()</script></svg>',
  '<svg><animate onbegin=ran() attributeName=x dur=1s>',
  '<body onload=ran()>',
  '<iframe srcdoc="<script>parent.ran()</script>">',
  '<iframe src="javascript:parent.ran()">',
  '<a href="javascript:ran()">x</a>',
  'javascript:ran()',
  'JaVaScRiPt:ran()//',
  'data:text/html,<script>ran()</script>',
  '<details open ontoggle=ran()>',
  '<input autofocus onfocus=ran()>',
  '" autofocus onfocus="ran()',
  "' onmouseover='ran()",
  '" style="background:url(https://evil.example/x.png)',
  '<style>*{background:url(https://evil.example/x.png)}</style>',
  '</style><script>ran()</script>',
  '<link rel=stylesheet href=https://evil.example/x.css>',
  '<meta http-equiv=refresh content="0;url=https://evil.example/">',
  '<base href="https://evil.example/">',
  '<form action="https://evil.example/"><button>x</button></form>',
  '<object data="javascript:ran()">',
  '<embed src="javascript:ran()">',
  '<math><mtext><script>ran()</script></mtext></math>',
  '<template><script>ran()</script></template>',
  '<noscript><p title="</noscript><img src=x onerror=ran()>">',
  '<!--><img src=x onerror=ran()>-->',
  ']]><script>ran()</script>',
  '{{constructor.constructor("ran()")()}}',
  // biome-ignore lint/suspicious/noTemplateCurlyInString: that is the point
  '${ran()}',
  '<%= ran() %>',
  '#{ran()}',
  '`;ran();//',
  "';ran();//",
  '\\";ran();//',
  '\u2028ran()\u2029',
  '&lt;script&gt;ran()&lt;/script&gt;',
  '&#60;script&#62;ran()&#60;/script&#62;',
  '%3Cscript%3Eran()%3C/script%3E',
  '\\u003cscript\\u003eran()\\u003c/script\\u003e',
  '__proto__',
  'constructor',
  'hasOwnProperty',
  "' OR '1'='1",
  "'; DROP TABLE orders; --",
  '../../../../etc/passwd',
  '=HYPERLINK("https://evil.example/","x")',
  '\u202egnp.exe',
  'Z͑ͫ̓ͪ̂ͫ̽͏̴̙̤̞͉͚̯̞̠͍A̴̵̜̰͔ͫ͗͢',
  '👩‍👩‍👧‍👦🏴‍☠️',
  'x'.repeat(150),
];

const CHANNELS = 9;

const { typeAll } = require('../kit/type-all.cjs') as { typeAll(field: unknown, texts: string[]): Promise<void> };

let farm: Farm;
let ids: ShownIds;
let receiver: Awaited<ReturnType<typeof startReceiver>>;

beforeAll(async () => {
  farm = await openFarm({ env: { SIGN_UP: 'open', WEBHOOK_ALLOWED_HOSTS: 'loopback' } });
  receiver = await startReceiver();
}, 60_000);

afterAll(async () => {
  await receiver?.stop();
  await farm?.close();
});

/** A page in which nothing may run that was only data: of the owner, or of somebody who is not signed in. */
async function watch(who: 'owner' | 'stranger' = 'owner') {
  const visitor = await (who === 'owner' ? farm.visit('/') : visit(farm.browser, farm.service.origin));
  const { page } = visitor;
  const ran: string[] = [];
  await page.exposeFunction('ran', (what?: string) => ran.push(`${what ?? 'a script'} at ${page.url()}`));
  await page.addInitScript(`
    addEventListener('securitypolicyviolation', (event) => ran('policy ' + event.violatedDirective));
  `);
  page.on('dialog', (dialog) => {
    ran.push(dialog.message());
    dialog.dismiss();
  });
  if (who === 'owner') await page.reload();
  return { ...visitor, ran };
}

test('there are 60 of them', () => expect(new Set(HOSTILE).size).toBe(60));

test('stored in every field of every record they are shown as text on every page', async () => {
  const owner = await farm.visit('/account');
  const post = (path: string, data: unknown) => askConsole<{ id: string }>(farm, owner.page, 'POST', path, data);
  let order = '';
  let filament = '';
  let printer = '';
  const channels: string[] = [];
  for (const [index, text] of HOSTILE.entries()) {
    const { id: group_id } = await post('/printer-groups', { name: text });
    const { id: printer_id } = await post('/printers', { name: text, internal_name: text, model: text, group_id });
    printer = printer_id;
    ({ id: filament } = await post('/filaments', { name: text, brand: text, type_name: text, spool_count: 1 }));
    ({ id: order } = await post('/print-jobs', {
      model_name: text,
      material_name: text,
      order_notes: text,
      customer_name: text,
      customer_contact: text,
      printer_id,
    }));
    await farm.ask('PUT', `/print-jobs/${order}`, { workflow_status: text });
    await post(`/filaments/${filament}/consume`, { grams: 1, order_id: order, note: text });
    await post('/tokens', { name: text.slice(0, 100).trim() });
    // one place of the ten is left for the form below
    if (index < CHANNELS) {
      const name = text.slice(0, 100);
      const { id } = await post('/webhook-subscriptions', { url: receiver.url, events: ['order.created'], name });
      await post(`/webhook-subscriptions/${id}/test`, {});
      channels.push(id);
    }
  }
  await owner.page.context().close();
  const profile = { headline: HOSTILE[0], about: HOSTILE.join('\n'), materials: [HOSTILE[1]], contact: HOSTILE[7] };
  const texts = { description: HOSTILE.join('\n'), contact: HOSTILE[2], budget: HOSTILE[6], deadline: HOSTILE[15] };
  const requests = [{ ...texts, client_email: 'a@b.example' }];
  const lead = await farm.makeRequests({ profile, requests });
  ids = { order, filament, printer, lead, ...(await makeInvoices(farm, HOSTILE)) };
  await reportPrints(farm, printer, HOSTILE);
  const { page, ran, complaints } = await watch();
  for (const shown of PAGES.filter(({ isDoor }) => !isDoor)) {
    await showPage(farm, page, shown, ids);
    await page.waitForTimeout(300);
  }
  // the others as names of the channels that there are
  for (let next = CHANNELS; next < HOSTILE.length; next += CHANNELS) {
    for (const [place, id] of channels.entries()) {
      const name = HOSTILE[next + place]?.slice(0, 100) ?? 'n8n';
      await farm.ask('PUT', `/webhook-subscriptions/${id}`, { name });
    }
    for (const path of ['/automation/channels', '/automation/events']) {
      await page.goto(`${farm.service.origin}/console${path}`);
      await settle(page);
    }
  }
  expect(ran).toEqual([]);
  expect(complaints).toEqual([]);
  await page.context().close();
}, 480_000);

/** Fills each of the fields that are shown now with each of the strings. @returns how many fields there were */
async function fillAll(page: Page): Promise<number> {
  const fields = page.locator(
    'input:visible:not([type=checkbox]):not([type=radio]):not([type=file]):not([type=date]):not([type=datetime-local]):not([readonly]):not([inputmode=decimal]):not([inputmode=numeric]):not([type=number]), textarea:visible',
  );
  const count = await fields.count();
  for (let index = 0; index < count; index += 1) {
    await fields.nth(index).focus();
    await fields.nth(index).evaluate(typeAll, HOSTILE);
    await fields.nth(index).blur();
  }
  return count;
}

test('typed into every text field of every page and form they run nothing', async () => {
  const [owner, stranger] = [await watch(), await watch('stranger')];
  const filled: Record<string, number> = {};
  for (const shown of PAGES) {
    const { page } = shown.isDoor ? stranger : owner;
    await showPage(farm, page, shown, ids);
    filled[shown.name] = await fillAll(page);
    for (const form of shown.forms ?? []) {
      await showPage(farm, page, shown, ids);
      await page.locator(form).first().click();
      await page.getByRole('dialog').last().waitFor();
      filled[`${shown.name} ${form}`] = await fillAll(page);
    }
  }
  process.stdout.write(`hostile.test: 60 strings in ${JSON.stringify(filled)}\n`);
  expect(Object.entries(filled).filter(([name, count]) => name.includes(' ') && count === 0)).toEqual([]);
  expect(filled).toMatchObject({ 'sign-in': 2, 'sign-up': 4 });
  for (const { page, ran, complaints } of [owner, stranger]) {
    expect(ran).toEqual([]);
    expect(complaints).toEqual([]);
    await page.context().close();
  }
}, 480_000);

test('on the pages for people outside they run nothing: shown in a profile, and sent back by its form', async () => {
  const owner = await farm.visit('/account');
  const slug = 'hostile-farm';
  await askConsole(farm, owner.page, 'PUT', '/profile', { slug, is_public: true, headline: 'Farm' });
  const { page, ran, complaints } = await watch('stranger');
  const at = `${farm.service.origin}/masters/${slug}`;
  for (const text of HOSTILE) {
    const profile = {
      headline: text.slice(0, 100),
      about: text,
      materials: [text.slice(0, 40)],
      contact: text.slice(0, 500),
    };
    await askConsole(farm, owner.page, 'PUT', '/profile', profile);
    for (const path of [at, `${farm.service.origin}/masters`]) {
      await page.goto(path);
      expect((await page.locator('main').textContent())?.length).toBeGreaterThan(0);
    }
  }
  // four at a time, with an e-mail that is none: the page comes back with what was typed
  for (let first = 0; first < HOSTILE.length; first += 4) {
    await page.goto(at);
    const texts = HOSTILE.slice(first, first + 4);
    for (const [index, name] of ['description', 'contact', 'budget', 'deadline'].entries()) {
      await page.locator(`form [name=${name}]`).evaluate((field, value) => {
        (field as unknown as { value: string }).value = value as string;
      }, texts[index] as string);
    }
    await page.locator('form [name=client_email]').evaluate((field) => {
      Object.assign(field, { type: 'text', value: 'no e-mail', required: false });
    });
    await page.locator('form[method=post] button').click();
    await page.locator('[aria-invalid]').first().waitFor();
    expect(await page.locator('form [name=description]').inputValue()).not.toBe('');
  }
  expect(ran).toEqual([]);
  // the browser's own word about what the form refused
  expect(complaints.filter((text) => !text.includes('status of 422'))).toEqual([]);
  await page.context().close();
  await owner.page.context().close();
}, 240_000);
