// `npm run bench:console`: how long the first visit to the board takes on a slow connection with 60 open orders, and what it
// transfers; how long it takes with 5,000, from the click on "Sign in" until a card opens, and how many frames a second are
// drawn while a card is dragged, compared with an empty page in the same browser.
const { withFarm } = require('../kit/temporary-farm.cjs');

/** @typedef {import('../kit/temporary-farm.cjs').TemporaryFarm} Farm */
/** @typedef {Record<'idle' | 'shown' | 'opened' | 'dragged', number>} Visit in milliseconds */

const FEW_ORDERS = 60;
const ORDERS = 5_000;
const SLOW_LINE = { offline: false, latency: 150, downloadThroughput: 200_000, uploadThroughput: 200_000 };
const AT_ONCE = 25;
const ROUNDS = 5;
const STATUSES = ['negotiation', 'confirmed', 'assigned', 'printing', 'packing'];

/** @type {(values: number[]) => number} */
const median = (values) => Number([...values].sort((a, b) => a - b)[Math.floor(values.length / 2)]);

/** Runs in the page: notes the time of each frame until asked for them. */
const watchFrames = () => {
  /** @type {number[]} */
  const times = [];
  /** @param {number} time */
  const note = (time) => {
    times.push(time);
    requestAnimationFrame(note);
  };
  requestAnimationFrame(note);
  const takeFrames = () => times.splice(0).flatMap((time, n, all) => (n === 0 ? [] : [time - Number(all[n - 1])]));
  Object.assign(globalThis, { takeFrames });
};

/**
 * The first visit of a signed-in owner, with an empty browser cache.
 * @param {Pick<Farm, 'browser' | 'origin' | 'signIn'>} farm
 */
async function visitFirst({ browser, origin, signIn }) {
  const context = await browser.newContext({ locale: 'en-GB', viewport: { width: 1440, height: 900 } });
  await signIn(context);
  const page = await context.newPage();
  const network = await context.newCDPSession(page);
  await network.send('Network.enable');
  await network.send('Network.emulateNetworkConditions', SLOW_LINE);
  const types = new Map();
  let bytes = 0;
  network.on('Network.responseReceived', ({ requestId, type }) => types.set(requestId, type));
  network.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
    if (['Script', 'Stylesheet'].includes(types.get(requestId))) bytes += encodedDataLength;
  });
  const began = performance.now();
  await page.goto(`${origin}/console/`, { waitUntil: 'commit' });
  await page.locator('[data-column] [data-order]').first().waitFor();
  const ms = performance.now() - began;
  await page.waitForLoadState();
  // the placeholder has nothing that counts as content
  const painted = await page.evaluate(`performance.getEntriesByName('first-paint')[0]?.startTime`);
  await context.close();
  return { ms, painted: Number(painted), bytes };
}

/**
 * @param {Farm['ask']} ask
 * @returns what creates orders until there are so many
 */
function createFill(ask) {
  let next = 0;
  /** @param {number} total */
  const work = async (total) => {
    while (next < total) {
      const n = next++;
      const order = { model_name: `Part ${n}`, material_name: 'PETG', material_grams: 12.5, print_hours: 1.5 };
      await ask('POST', '/print-jobs', { ...order, workflow_status: STATUSES[n % STATUSES.length] });
    }
  };
  /** @param {number} total */
  return (total) => Promise.all(Array.from({ length: AT_ONCE }, () => work(total)));
}

/**
 * Drags the card without dropping it.
 * @param {import('playwright-core').Page} page
 * @param {import('playwright-core').Locator} card
 * @returns the median time of a frame
 */
async function dragAround(page, card) {
  const from = await card.boundingBox();
  if (!from) throw new Error('the card is not shown');
  await page.mouse.move(from.x + 20, from.y + 10);
  await page.mouse.down();
  await page.mouse.move(from.x + 60, from.y + 40, { steps: 4 });
  await page.evaluate('takeFrames()');
  for (let step = 0; step < 120; step += 1) {
    await page.mouse.move(from.x + 60 + step * 8, from.y + 40 + 60 * Math.sin(step / 10));
  }
  return median(/** @type {number[]} */ (await page.evaluate('takeFrames()')));
}

/**
 * Signs in with many open orders, opens a card and drags it.
 * @param {Pick<Farm, 'browser' | 'origin' | 'owner'> & { throttle: number }} options how many times slower the processor is
 * @returns {Promise<Visit>}
 */
async function visitMany({ browser, origin, owner, throttle }) {
  const context = await browser.newContext({ locale: 'en-GB', viewport: { width: 1440, height: 900 } });
  const page = await context.newPage();
  await page.addInitScript(watchFrames);
  await page.goto('about:blank');
  await page.waitForTimeout(1_000);
  const idle = median(/** @type {number[]} */ (await page.evaluate('takeFrames()')));
  const processor = await context.newCDPSession(page);
  await processor.send('Emulation.setCPUThrottlingRate', { rate: throttle });

  await page.goto(`${origin}/console/`);
  await page.getByLabel('Email').fill(owner.email);
  await page.getByRole('textbox', { name: 'Password' }).fill(owner.password);
  const began = performance.now();
  await page.getByRole('button', { name: 'Sign in' }).click();
  const card = page.locator('[data-column] [data-order]').first();
  await card.waitFor();
  const shown = performance.now() - began;
  await card.click();
  await page.getByRole('dialog').waitFor();
  const opened = performance.now() - began;
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await page.getByText(/Loading orders/).waitFor({ state: 'detached' });

  const dragged = await dragAround(page, card);
  await page.keyboard.press('Escape');
  await page.mouse.up();
  await context.close();
  return { idle, shown, opened, dragged };
}

/**
 * @param {number} throttle
 * @param {Visit[]} rounds
 */
function report(throttle, rounds) {
  /** @param {keyof Visit} name */
  const medianOf = (name) => median(rounds.map((round) => round[name]));
  /** @param {number} ms */
  const fps = (ms) => (1000 / ms).toFixed(1);
  const [idle, dragged] = [medianOf('idle'), medianOf('dragged')];
  process.stdout.write(
    [
      `${ORDERS} open orders, processor ${throttle} times slower, ${rounds.length} rounds, medians`,
      `first card after the click on "Sign in"   ${medianOf('shown').toFixed(0)} ms`,
      `that card open                            ${medianOf('opened').toFixed(0)} ms (bar ${throttle === 1 ? 1000 : 2500} ms)`,
      `frames a second while dragging            ${fps(dragged)}; of an empty page ${fps(idle)}; ratio ${(idle / dragged).toFixed(2)}`,
      `by round: open ${rounds.map(({ opened }) => opened.toFixed(0)).join(' ')} ms`,
      '',
    ].join('\n'),
  );
}

withFarm({ demo: false }, async ({ browser, origin, owner, ask, signIn }) => {
  const fill = createFill(ask);
  await fill(FEW_ORDERS);
  /** @type {Awaited<ReturnType<typeof visitFirst>>[]} */
  const visits = [];
  for (let round = 0; round < ROUNDS; round += 1) visits.push(await visitFirst({ browser, origin, signIn }));
  /** @param {'ms' | 'painted' | 'bytes'} name */
  const medianOf = (name) => median(visits.map((one) => one[name]));
  process.stdout.write(
    [
      `first visit at 1.6 Mbit/s and 150 ms, ${FEW_ORDERS} open orders, ${ROUNDS} rounds, medians`,
      `first paint                               ${medianOf('painted').toFixed(0)} ms`,
      `first card                                ${medianOf('ms').toFixed(0)} ms (bar 2500 ms)`,
      `JavaScript and CSS, as sent               ${(medianOf('bytes') / 1000).toFixed(1)} kB (bar 250 kB)`,
      `by round: ${visits.map(({ ms }) => ms.toFixed(0)).join(' ')} ms`,
      '',
    ].join('\n'),
  );

  await fill(ORDERS);

  for (const throttle of [1, 4]) {
    /** @type {Visit[]} */
    const rounds = [];
    while (rounds.length < ROUNDS) rounds.push(await visitMany({ browser, origin, owner, throttle }));
    report(throttle, rounds);
  }
});
