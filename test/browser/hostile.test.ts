import type { Page } from 'playwright-core';
import {
  type ConsolePage,
  createInvoices,
  openFarm,
  PAGES,
  reportPrints,
  type ShownIds,
  settle,
  showPage,
} from '../kit/browser-farm.ts';
import { visit } from '../kit/chromium.ts';
import { times } from '../kit/length.ts';
import { forSuite } from '../kit/opened.ts';
import { startReceiver } from '../kit/receiver.ts';

/**
 * Hostile texts: if one runs, it calls `ran`, loads an image of another host or violates the content security policy.
 */
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

/**
 * How many texts each field gets. The long form types every text into every field. In the short form, a field gets every
 * fifth text, so some of each kind, and the fields take turns, so every text gets into about 20 of the console's 99
 * fields.
 */
const ROUNDS = times(12, HOSTILE.length);

/** How many texts each field of the public pages gets: in the short form, each text gets into two of the four fields. */
const PUBLIC_ROUNDS = times(HOSTILE.length / 2, HOSTILE.length);

/** The texts that the fields of a public page get in a round. */
const textsOfRound = (round: number): string[] => {
  const first = Math.floor((round * HOSTILE.length) / PUBLIC_ROUNDS);
  return [0, 1, 2, 3].map((place) => HOSTILE[(first + place) % HOSTILE.length] as string);
};

/** Joined emoji and stacked marks, which the fonts of invoices lack. */
const NOT_IN_PDF = /\u{1f469}\u200d|\u{1f3f4}|[\u0354\u036b]/u;

/** Line separators and overrides of direction, which names can't have. */
const NOT_IN_NAMES = /[\u2028\u2029\u202e]/;

/** Typed last: a value in a field opens its list of options. */
const OPEN_LISTS: [string[], number] = [['<'], 1];

const { typeAll } = require('../kit/type-all.cjs') as { typeAll(plan: [string[], number]): Promise<number> };

const farm = forSuite(() => openFarm({ env: { SIGN_UP: 'open', WEBHOOK_ALLOWED_HOSTS: 'loopback' } }));
let ids: ShownIds;
let channels: string[];
const receiver = forSuite(startReceiver);

beforeAll(async () => {
  const profile = { headline: HOSTILE[0], about: HOSTILE.join('\n'), materials: [HOSTILE[1]], contact: HOSTILE[7] };
  const texts = { description: HOSTILE.join('\n'), contact: HOSTILE[2], budget: HOSTILE[6], deadline: HOSTILE[15] };
  // the public form refuses what is sent within three seconds, so the other records are created meanwhile
  const requests = farm.createRequests({ profile, requests: [{ ...texts, client_email: 'a@b.example' }] });
  channels = await makeChannels();
  // so many that the page of printers has a search field
  for (let n = 1; n <= 12; n += 1) await farm.askConsole('POST', '/printers', { name: `Printer ${n}`, model: 'MK4' });
  ids = {
    ...(await makeRecords(HOSTILE[0] as string)),
    ...(await createInvoices(
      farm,
      HOSTILE.filter((text) => !NOT_IN_PDF.test(text)),
      HOSTILE.filter((text) => NOT_IN_PDF.test(text)),
    )),
    lead: await requests,
  };
});

/** A page that must run no data as code, signed in or not. */
async function watch(who: 'owner' | 'stranger' = 'owner') {
  const visitor = await (who === 'owner' ? farm.enter() : visit(farm.browser, farm.service.origin));
  const { page } = visitor;
  const ran: string[] = [];
  await page.exposeFunction('ran', (what?: string) => ran.push(`${what ?? 'a script'} at ${page.url()}`));
  await page.addInitScript(`
    addEventListener('securitypolicyviolation', (event) => ran('policy ' + event.violatedDirective));
  `);
  page.on('dialog', (dialog) => {
    // the console asks before unsaved text is left
    if (dialog.type() === 'beforeunload') return dialog.accept();
    ran.push(dialog.message());
    return dialog.dismiss();
  });
  return { ...visitor, ran };
}

test('has 60 hostile texts', () => expect(new Set(HOSTILE).size).toBe(60));

/** As much of a text as a name may contain: control characters and direction overrides are refused there. */
const asName = (text: string): string => text.replace(/[\u2028\u2029\u202e]/g, '');

/** A record of each kind with the text in every field. @returns the ids of those with a page */
async function makeRecords(text: string) {
  const { askConsole: requestConsole } = farm;
  const post = async (path: string, data: object) => (await requestConsole('POST', path, data)).id;
  const name = asName(text);
  const group_id = await post('/printer-groups', { name });
  const printer = await post('/printers', { name, internal_name: name, model: name, group_id });
  const filament = await post('/filaments', { name, brand: name, type_name: name, spool_count: 1 });
  const order = await post('/print-jobs', {
    model_name: name,
    material_name: name,
    order_notes: text,
    customer_name: name,
    customer_contact: text,
    printer_id: printer,
  });
  await farm.ask('PUT', `/print-jobs/${order}`, { workflow_status: text });
  await post(`/filaments/${filament}/consume`, { grams: 1, order_id: order, note: text });
  await post('/tokens', { name: name.slice(0, 100).trim() });
  return { order, filament, printer };
}

/** As many channels as leave one of the ten for a form. @returns their ids */
const makeChannels = () =>
  Promise.all(
    HOSTILE.slice(0, CHANNELS).map(async (text) => {
      const channel = { url: receiver.url, events: ['order.created'], name: asName(text).slice(0, 100) };
      const { id } = await farm.askConsole('POST', '/webhook-subscriptions', channel);
      await farm.askConsole('POST', `/webhook-subscriptions/${id}/test`, {});
      return id;
    }),
  );

/**
 * Types texts into each field of a page and of its forms, as `ROUNDS` says, and then a value that opens the lists of
 * options. @returns how many fields there were
 */
async function fillPage(page: Page, shown: ConsolePage): Promise<[string, number][]> {
  const filled: [string, number][] = [];
  // each page and form starts with another text
  const typeFrom = async (start: number) => {
    const plan: [string[], number] = [[...HOSTILE.slice(start), ...HOSTILE.slice(0, start)], ROUNDS];
    const count = await page.evaluate(typeAll, plan);
    await page.evaluate(typeAll, OPEN_LISTS);
    return count;
  };
  await showPage(farm, page, shown, ids);
  let typed = await typeFrom(PAGES.indexOf(shown));
  filled.push([shown.name, typed]);
  for (const [place, form] of (shown.forms ?? []).entries()) {
    if (typed > 0) await showPage(farm, page, shown, ids);
    await page.locator(form).first().click();
    await page.getByRole('dialog').last().waitFor();
    await settle(page);
    typed = await typeFrom(PAGES.indexOf(shown) + place + 1);
    filled.push([`${shown.name} ${form}`, typed]);
  }
  return filled;
}

test('runs no script that is typed into a text field or stored in a record', async () => {
  await Promise.all([...HOSTILE.slice(1).map(makeRecords), reportPrints(farm, ids.printer, HOSTILE)]);
  const visitors = await Promise.all([watch(), watch(), watch('stranger')]);
  const [one, other, stranger] = visitors;
  const next = PAGES.filter(({ isSignedOut }) => !isSignedOut);
  const counted: [string, number][] = [];
  // a page can be drawn while another is prepared
  await Promise.all([
    ...[one, other].map(async ({ page }) => {
      for (let shown = next.shift(); shown; shown = next.shift()) counted.push(...(await fillPage(page, shown)));
    }),
    (async () => {
      for (const shown of PAGES.filter(({ isSignedOut }) => isSignedOut))
        counted.push(...(await fillPage(stranger.page, shown)));
    })(),
  ]);
  const filled = Object.fromEntries(counted);
  process.stdout.write(`hostile.test: 60 strings in ${JSON.stringify(filled)}\n`);
  expect(Object.entries(filled).filter(([name, count]) => name.includes(' ') && count === 0)).toEqual([]);
  expect(filled).toMatchObject({ 'sign-in': 2, 'sign-up': 5, printers: 1 });
  for (const { page, ran, browserErrors } of visitors) {
    expect(ran).toEqual([]);
    expect(browserErrors).toEqual([]);
    await page.context().close();
  }
});

test('runs no script in the names of channels', async () => {
  const { page, ran, browserErrors } = await watch();
  for (let next = CHANNELS; next < HOSTILE.length; next += CHANNELS) {
    await Promise.all(
      channels.map((id, place) =>
        farm.ask('PUT', `/webhook-subscriptions/${id}`, { name: asName(HOSTILE[next + place] ?? 'n8n').slice(0, 100) }),
      ),
    );
    for (const path of ['/automation/channels', '/automation/events']) {
      await farm.open(page, path);
      await settle(page);
    }
  }
  expect(ran).toEqual([]);
  expect(browserErrors).toEqual([]);
  await page.context().close();
});

test('runs no script on the public pages', async () => {
  const slug = 'hostile-farm';
  await farm.askConsole('PUT', '/profile', { slug, is_public: true, headline: 'Farm' });
  const { page, ran, browserErrors } = await watch('stranger');
  const at = `${farm.service.origin}/masters/${slug}`;
  for (let round = 0; round < PUBLIC_ROUNDS; round += 1) {
    const [headline = '', about, material = '', contact = ''] = textsOfRound(round);
    const profile = {
      headline: NOT_IN_NAMES.test(headline) ? 'Farm' : headline.slice(0, 100),
      about,
      materials: [material.slice(0, 40)],
      contact: contact.slice(0, 500),
    };
    await farm.askConsole('PUT', '/profile', profile);
    for (const path of [at, `${farm.service.origin}/masters`]) {
      await page.goto(path);
      expect((await page.locator('main').textContent())?.length).toBeGreaterThan(0);
    }
  }
  // four at a time, with an invalid email: the page returns with what was typed
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
  // the browser logs the refusals of the form
  expect(browserErrors.filter((text) => !text.includes('status of 422'))).toEqual([]);
  await page.context().close();
});
