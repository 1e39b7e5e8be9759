import { openFarm } from '../kit/browser-farm.ts';
import { eventually } from '../kit/eventually.ts';

/** A simulated farm, watched from an empty board and removed again. */

let farm: Awaited<ReturnType<typeof openFarm>>;

beforeAll(async () => {
  farm = await openFarm();
});

afterAll(() => farm?.close());

test('moves the board, says on every page that it is a simulation, and is removed in one click', async () => {
  const { page } = await farm.visit('/');
  await page.getByRole('button', { name: 'Watch a simulated farm' }).click();
  const banner = page.getByRole('region', { name: 'Simulation' });
  await banner.waitFor();
  await page.locator('[data-column="printing"]').getByText('Vera').waitFor();
  const progress = banner.getByRole('progressbar', { name: 'Vera prints' });
  const percent = async () => Number(await progress.getAttribute('aria-valuenow'));
  const before = await eventually(percent, (value) => value > 0);
  await eventually(percent, (value) => value !== before);

  await page.getByRole('link', { name: 'Stock' }).click();
  await page.getByText('PETG Black').first().waitFor();
  expect(await banner.isVisible()).toBe(true);

  await banner.getByRole('button', { name: 'Remove the simulation' }).click();
  await page.getByRole('button', { name: 'Watch a simulated farm' }).waitFor();
  expect(await banner.count()).toBe(0);
  await page.close();
});

test('says so in Russian', async () => {
  const { page } = await farm.visit('/', { language: 'ru' });
  await page.getByRole('button', { name: 'Посмотреть симуляцию фермы' }).click();
  const banner = page.getByRole('region', { name: 'Симуляция' });
  await banner.getByText('Здесь всё ненастоящее').waitFor();
  await banner.getByRole('button', { name: 'Удалить симуляцию' }).click();
  await page.getByRole('button', { name: 'Посмотреть симуляцию фермы' }).waitFor();
  await page.close();
});

test('a link to a simulation that is gone says so', async () => {
  const { page } = await farm.visit('/simulation#set_gone');
  await page.getByText('This simulation has been removed.').waitFor();
  await page.close();
});
