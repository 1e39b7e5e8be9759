import { type Farm, OWNER, openFarm } from '../kit/browser-farm.ts';
import { dragCard } from '../kit/drag.ts';
import { eventually } from '../kit/eventually.ts';

const ORDERS = 5_000;
const STATUSES = ['negotiation', 'confirmed', 'assigned', 'printing', 'packing'];
const AT_ONCE = 25;

let farm: Farm;

beforeAll(async () => {
  farm = await openFarm();
  let next = 0;
  const work = async () => {
    while (next < ORDERS) {
      const n = next++;
      await farm.ask('POST', '/print-jobs', {
        model_name: `Part ${n}`,
        workflow_status: STATUSES[n % STATUSES.length],
        material_grams: 1,
        print_hours: 1,
      });
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
}, 180_000);

afterAll(() => farm?.close());

test('5,000 open orders: every column counts all of its orders, draws a few, and a card is dragged', async () => {
  const visitor = await farm.visit('/no-such-page');
  const { page } = visitor;
  const column = (status: string) => page.locator(`section:has([data-column="${status}"])`);
  const count = (status: string) => column(status).locator('h2 span').last().textContent();
  const drawn = () => page.locator('[data-order]').count();

  await page.context().clearCookies();
  await page.goto(`${farm.service.origin}/console/`);
  await page.getByLabel('E-mail').fill(OWNER.email);
  await page.getByRole('textbox', { name: 'Password' }).fill(OWNER.password);
  const began = Date.now();
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.locator('[data-order]').first().waitFor();
  const first = Date.now() - began;
  for (const status of STATUSES) {
    await eventually(
      () => count(status),
      (seen) => seen === String(ORDERS / STATUSES.length),
      20_000,
    );
  }
  console.info(`first card ${first} ms, all of ${ORDERS} orders ${Date.now() - began} ms after the click`);
  expect(await drawn()).toBeLessThan(500);
  expect(await column('negotiation').locator('header p').textContent()).toMatch(/^1 kg · 1,000 h$/);

  // the end of a column is there when it is scrolled to
  const cards = page.locator('[data-column="negotiation"]');
  await cards.hover();
  await eventually(
    async () => {
      // the heights of cards are known only when they are drawn: the end moves while one scrolls to it
      await page.mouse.wheel(0, 1_000_000);
      return cards.locator('[data-index="999"]').count();
    },
    (seen) => seen === 1,
    10_000,
  );
  expect(await drawn()).toBeLessThan(500);

  const card = page.locator('[data-column="confirmed"] [data-order]').first();
  const id = await card.getAttribute('data-order');
  await dragCard(page, card, 'printing');
  await eventually(
    async () => (await farm.ask('GET', `/print-jobs/${id}`)).workflow_status,
    (status) => status === 'printing',
    10_000,
  );
  await eventually(
    async () => [await count('confirmed'), await count('printing')],
    (seen) => seen.join() === '999,1001',
    10_000,
  );
  expect(visitor.complaints).toEqual([]);
}, 120_000);
