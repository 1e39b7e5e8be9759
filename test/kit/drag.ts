import type { Locator, Page } from 'playwright-core';
import { eventually } from './eventually.ts';

interface Point {
  x: number;
  y: number;
}

/**
 * Drags like a person: waits until the element is still and uncovered, lifts it, and drops it where the page shows the
 * drop mark.
 * @param to evaluated after lifting, because the page may change its layout
 * @param mark shown when the drop position is right
 */
export async function drag(page: Page, grip: Locator, to: () => Promise<Point>, mark: Locator): Promise<void> {
  await grip.hover();
  await page.mouse.down();
  const { x, y } = await middleOf(grip);
  await page.mouse.move(x + 20, y + 20, { steps: 4 });
  await page.locator('[data-dragging]').waitFor();
  const end = await to();
  await page.mouse.move(end.x, end.y, { steps: 8 });
  await mark.waitFor();
  await page.mouse.up();
}

export async function boxOf(locator: Locator) {
  const box = await locator.boundingBox();
  if (!box) throw new Error(`${locator} is not shown`);
  return box;
}

async function middleOf(locator: Locator): Promise<Point> {
  const { x, y, width, height } = await boxOf(locator);
  return { x: x + width / 2, y: y + height / 2 };
}

const columnOver = (page: Page) => page.locator('section[data-over] [data-column]');

/** Drags a card of the board into the column of a status. */
export async function dragCard(page: Page, card: Locator, status: string): Promise<void> {
  const upperMiddle = async () => {
    const { x, y, width } = await boxOf(page.locator(`[data-column="${status}"]`));
    return { x: x + width / 2, y: y + 60 };
  };
  await drag(page, card, upperMiddle, columnOver(page).and(page.locator(`[data-column="${status}"]`)));
}

/** Moves a card of the board from column to column by keyboard and drops it. */
export async function carryCard(page: Page, card: Locator, arrows: ('ArrowLeft' | 'ArrowRight')[]): Promise<void> {
  const over = () => columnOver(page).getAttribute('data-column');
  await card.focus();
  await page.keyboard.press('Space');
  let now = await over();
  // a lifted card listens from the next turn of the event loop on
  await page.evaluate('new Promise((resolve) => setTimeout(resolve))');
  for (const arrow of arrows) {
    const before = now;
    await page.keyboard.press(arrow);
    now = await eventually(over, (status) => status !== before);
  }
  await page.keyboard.press('Space');
}
