import type { Page } from 'playwright-core';
import {
  type ConsolePage,
  type Farm,
  findBarriers,
  makeInvoices,
  openFarm,
  PAGES,
  reportPrints,
  type ShownIds,
  showPage,
} from '../kit/browser-farm.ts';
import { visit } from '../kit/chromium.ts';
import { startReceiver } from '../kit/receiver.ts';

let farm: Farm;
let ids: ShownIds;
let receiver: Awaited<ReturnType<typeof startReceiver>>;

beforeAll(async () => {
  farm = await openFarm({ demo: true, env: { SIGN_UP: 'open', WEBHOOK_ALLOWED_HOSTS: 'loopback' } });
  receiver = await startReceiver();
  const first = async (path: string) => (await farm.ask<{ items: { id: string }[] }>('GET', path)).items[0]?.id ?? '';
  ids = {
    order: await first('/print-jobs?workflow_status=done'),
    filament: await first('/filaments?q=PETG%20Black'),
    printer: await first('/printers'),
    lead: await farm.makeRequests(),
    ...(await makeInvoices(farm)),
  };
  await reportPrints(farm, ids.printer);
  const url = receiver.url;
  const { id } = await farm.ask('POST', '/webhook-subscriptions', { url, events: ['order.status_changed'] });
  await farm.ask('POST', `/webhook-subscriptions/${id}/test`);
  await farm.ask('PUT', `/print-jobs/${ids.order}`, { workflow_status: 'no such status' });
}, 60_000);

afterAll(async () => {
  await receiver?.stop();
  await farm?.close();
});

async function show(page: Page, shown: ConsolePage) {
  await showPage(farm, page, shown, ids);
  // until it has slid in, colours are not yet what they will be
  await page.waitForTimeout(400);
}

const LOOKS = (['light', 'dark'] as const).flatMap((colorScheme) =>
  (['en-GB', 'ru-RU'] as const).map((locale) => ({ colorScheme, locale })),
);

test.each(LOOKS)(
  'no page keeps anybody out: $colorScheme, $locale',
  async (look) => {
    const owner = await farm.visit('/account', look);
    const stranger = await visit(farm.browser, farm.service.origin, look);
    const barriers: Record<string, string[]> = {};
    for (const shown of PAGES) {
      const { page } = shown.isDoor ? stranger : owner;
      await show(page, shown);
      expect(await page.getAttribute('html', 'lang')).toBe(look.locale.slice(0, 2));
      const found = await findBarriers(page);
      if (found.length > 0) barriers[shown.name] = found;
    }
    expect(barriers).toEqual({});
    expect([...owner.complaints, ...stranger.complaints]).toEqual([]);
    await owner.page.context().close();
    await stranger.page.context().close();
  },
  180_000,
);

test.each(['light', 'dark'] as const)(
  'what is pointed at is as easy to read: %s',
  async (colorScheme) => {
    const { page } = await farm.visit('/account', { colorScheme });
    const faint: string[] = [];
    const looks = new Set<string>();
    for (const shown of PAGES) {
      if (shown.isDoor) continue;
      await show(page, shown);
      // not locators: what comes or goes meanwhile would make each of them another one
      for (const one of await page.locator('button:enabled:visible, a:visible').elementHandles()) {
        // of those that look alike the first stands for all
        const look = `${await one.getAttribute('class')} ${await one.getAttribute('style')}`;
        const box = await one.boundingBox();
        if (looks.has(look) || !box || box.y < 0 || box.y + box.height > 900) continue;
        looks.add(look);
        await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
        const text = await one.textContent();
        for (const barrier of await findBarriers(page)) faint.push(`${shown.name}, at "${text}": ${barrier}`);
      }
    }
    process.stdout.write(`every-page.test: pointed at ${looks.size} kinds of buttons and links\n`);
    expect(faint).toEqual([]);
    await page.context().close();
  },
  180_000,
);

test.each(['en-GB', 'ru-RU'])(
  'no page is wider than a phone: %s',
  async (locale) => {
    const { page } = await farm.visit('/account', { locale, viewport: { width: 390, height: 844 } });
    const wider: Record<string, unknown> = {};
    for (const shown of PAGES.filter(({ isDoor }) => !isDoor)) {
      await show(page, shown);
      const found = await page.evaluate(
        '({ whole: document.documentElement.scrollWidth, page: document.querySelector("main > div")?.scrollWidth })',
      );
      const { whole, page: inner } = found as { whole: number; page: number | undefined };
      const isBoard = shown.path.startsWith('/?') || shown.path === '/';
      if (whole > 390 || (!isBoard && (inner ?? 0) > 390)) wider[shown.name] = found;
    }
    expect(wider).toEqual({});
    await page.context().close();
  },
  120_000,
);
