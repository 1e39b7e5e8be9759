import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { IS_LONG } from '../kit/length.ts';
import { farmboard } from '../kit/service.ts';

// The simulated day of `farmboard demo --live`, at many times its speed.

const SPEED = '60';

let temporary: string;

beforeAll(() => {
  temporary = mkdtempSync(join(tmpdir(), 'farmboard-live-'));
});

afterAll(() => rmSync(temporary, { recursive: true, force: true }));

/** @returns what a day printed, without its link */
async function runDay(seed: number): Promise<string[]> {
  const env = { PORT: '0', TMPDIR: temporary };
  const { code, stdout, stderr } = await farmboard(['demo', '--live', '--seed', String(seed), '--speed', SPEED], env);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  return stdout.split('\n').filter((line) => !line.includes('/console/simulation#'));
}

test('the same seed leaves the same statuses, grams and events, and another one does not', async () => {
  const day = await runDay(7);
  expect(await runDay(7)).toEqual(day);
  const digest = day.find((line) => line.startsWith('history '));
  expect(digest).toMatch(/^history [0-9a-f]{12}$/);
  expect(await runDay(8)).not.toContain(digest);
  // nothing is left behind
  expect(readdirSync(temporary)).toEqual([]);
});

test.each(IS_LONG ? [1, 2, 3] : [1])(
  'day %i has a print that fails, low stock and an invoice that is paid',
  async (seed) => {
    const day = (await runDay(seed)).join('\n');
    expect(day).toMatch(/1 printer\.print_failed/);
    expect(day).toMatch(/\d+ printer\.print_finished/);
    expect(day).toMatch(/\d+ filament\.low_stock/);
    expect(day).toMatch(/\d+ invoice\.paid/);
  },
);

test.each([
  [['--seed', '0'], '--seed is a whole number from 1 to 2147483647.'],
  [['--speed', 'fast'], '--speed is a whole number from 1 to 100.'],
  [['--email', 'owner@farm.example'], '--live has an account of its own, so it takes no --email.'],
])('refuses %j', async (options, message) => {
  expect(await farmboard(['demo', '--live', ...options], {})).toEqual({ code: 1, stdout: '', stderr: `${message}\n` });
});
