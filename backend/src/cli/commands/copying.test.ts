import { withProgress } from './copying.ts';

const { stderr } = process;
const wasTerminal = stderr.isTTY;
afterEach(() => {
  stderr.isTTY = wasTerminal;
  jest.restoreAllMocks();
});

/** @returns what two steps and then a failure write to standard error */
async function written(isTerminal: boolean, options: Record<string, string>): Promise<string> {
  stderr.isTTY = isTerminal;
  let text = '';
  jest.spyOn(stderr, 'write').mockImplementation((line) => {
    text += line;
    return true;
  });
  const work = withProgress({ words: [], options }, async (progress) => {
    progress('orders: 10%');
    progress('comparing');
    throw new Error('no space');
  });
  await expect(work).rejects.toThrow('no space');
  return text;
}

test('shows on a terminal the current step only, and nothing of it afterwards', async () => {
  const clear = '\r\x1b[K';
  expect(await written(true, {})).toBe(`${clear}orders: 10%${clear}comparing${clear}`);
});

test('shows nothing elsewhere, and with --verbose each step', async () => {
  expect(await written(false, {})).toBe('');
  for (const isTerminal of [false, true])
    expect(await written(isTerminal, { verbose: 'true' })).toBe('orders: 10%\ncomparing\n');
});
