// `npm run bench:leads`: how much slower the console gets for the owner while bots use the public form. The console's
// answers are timed alone and during 5,000 posts of a separate bot process, in one run, and compared as a ratio.
const { spawn } = require('node:child_process');
const { once } = require('node:events');
const { createRequests } = require('../kit/public-profile.cjs');
const { withFarm } = require('../kit/temporary-farm.cjs');

const POSTS = 5_000;
const AT_ONCE = 10;
const MIN_SAMPLES = 1_000;

const percentile = (times, share) => [...times].sort((a, b) => a - b)[Math.floor((times.length - 1) * share)];

/**
 * What a bot sends: in turn too fast, forged, with the hidden field filled in, and valid ones that the limits refuse.
 */
async function attack(origin) {
  const html = await (await fetch(`${origin}/masters/north-hall`)).text();
  const token = /<input (?=[^>]*name="token")[^>]*value="([^"]*)"/.exec(html)[1];
  const ways = [{ leave_blank: 'x' }, { token: `${token}x` }, { description: '' }, {}];
  const statuses = {};
  let next = 0;
  const work = async () => {
    for (let n = next++; n < POSTS; n = next++) {
      const form = new FormData();
      const fields = { token, description: `buy ${n}`, client_email: 'a@b.example', ...ways[n % ways.length] };
      for (const [name, value] of Object.entries(fields)) form.append(name, value);
      const answer = await fetch(`${origin}/masters/north-hall/requests`, {
        method: 'POST',
        body: form,
        redirect: 'manual',
        headers: { 'X-Forwarded-For': `10.${(n >> 4) & 255}.${n >> 12}.1` },
      });
      await answer.arrayBuffer();
      statuses[answer.status] = (statuses[answer.status] ?? 0) + 1;
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  process.stdout.write(`${JSON.stringify(statuses)}\n`);
}

async function bench() {
  process.env.TRUSTED_PROXIES = '127.0.0.1';
  await withFarm({ demo: true }, async ({ browser, origin, signIn }) => {
    const context = await browser.newContext();
    await signIn(context);
    await createRequests({ origin, request: context.request });
    const [{ name, value }] = await context.cookies();
    const paths = ['/leads', '/print-jobs?per_page=50', '/lead-counts', '/stats/printers'];
    const times = async (goesOn) => {
      const all = [];
      for (let n = 0; n < MIN_SAMPLES || goesOn(); n++) {
        const began = performance.now();
        const path = `${origin}/console/api${paths[n % paths.length]}`;
        const answer = await fetch(path, { headers: { Cookie: `${name}=${value}` } });
        await answer.arrayBuffer();
        if (answer.status !== 200) throw new Error(`${path}: ${answer.status}`);
        all.push(performance.now() - began);
        // like a page that polls now and then, so that the measurement adds no load
        await new Promise((resolve) => setTimeout(resolve, 5));
      }
      return all;
    };
    await times(() => false);
    const idle = await times(() => false);
    const bots = spawn(process.execPath, [__filename, origin], { stdio: ['ignore', 'inherit', 'inherit'] });
    let isOver = false;
    const ended = once(bots, 'exit').then(() => {
      isOver = true;
    });
    const busy = await times(() => !isOver);
    await ended;
    const line = (label, list) =>
      `${label}: p50 ${percentile(list, 0.5).toFixed(1)} ms, p99 ${percentile(list, 0.99).toFixed(1)} ms (${list.length})\n`;
    process.stdout.write(line('console, alone', idle) + line(`console, during ${POSTS} posts`, busy));
    process.stdout.write(`p99 ratio: ${(percentile(busy, 0.99) / percentile(idle, 0.99)).toFixed(2)}\n`);
  });
}

if (process.argv[2]) attack(process.argv[2]);
else bench();
