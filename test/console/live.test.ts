import { createClient } from '../kit/client.ts';
import { type Browser, createFirstOwner, OWNER, openBrowser, PASSWORD } from '../kit/console-client.ts';
import { eventually, expectSoon } from '../kit/eventually.ts';
import { listen } from '../kit/live-stream.ts';
import { forTest } from '../kit/opened.ts';
import { createAccountWithToken, createServiceFolder, type Service } from '../kit/service.ts';

const SECRET = 'o'.repeat(32);

const folder = forTest(createServiceFolder);

/** Two processes on one database if Redis connects them, otherwise one. */
beforeEach(async () => {
  const settings = { SIGN_UP: 'open', OPERATOR_SECRET: SECRET, WEBHOOK_ALLOWED_HOSTS: 'loopback' };
  await folder.start(settings);
  if (folder.env.REDIS_URL) await folder.start({ ...settings, ROLE: 'api' });
});

const first = () => folder.running[0] as Service;
const last = () => folder.running.at(-1) as Service;

/** Number of open streams, from the process's metrics. */
async function listeners({ origin }: Service): Promise<number> {
  const answer = await fetch(`${origin}/metrics`, { headers: { Authorization: `Bearer ${SECRET}` } });
  return Number(/^farmboard_live_listeners (\d+)$/m.exec(await answer.text())?.[1]);
}

async function signedIn(): Promise<Browser> {
  const browser = await openBrowser(first());
  await browser.signIn();
  return browser;
}

test('sends changes to open pages of the account through every process, and nothing of other accounts', async () => {
  const owner = await createFirstOwner(first());
  const stranger = await openBrowser(first());
  await stranger.post('/sign-up', { ...OWNER, email: 'other@farm.example', password: PASSWORD });
  const token = String((await owner.post('/tokens', { name: 'n8n' })).body.token);
  const mine = await listen(owner, first().origin);
  const others = await listen(stranger, first().origin);
  expect(mine.headers).toMatchObject({
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-store',
    'x-accel-buffering': 'no',
  });
  // not compressed although the browser would accept it
  expect(mine.headers).not.toHaveProperty('content-encoding');
  // created in one process, announced in the other
  const client = await createClient(last().origin, token);
  const next = async (kind: string, id: unknown, more = {}) => {
    const [change] = (
      await eventually(
        () => mine.heard.filter((one) => one.kind !== 'event' && one.kind !== 'delivery'),
        (all) => all.length > 0,
      )
    ).slice(-1);
    mine.heard.length = 0;
    expect(change).toMatchObject({ kind, id, ...more });
  };
  const order = await client.post('/print-jobs', { model_name: 'Bracket' });
  await next('order', order.body.id);
  await client.put(`/print-jobs/${order.body.id}`, { workflow_status: 'printing' });
  await next('order', order.body.id);
  const filament = await client.post('/filaments', { name: 'PETG', spool_count: 1 });
  await next('filament', filament.body.id);
  await client.post(`/filaments/${filament.body.id}/consume`, { grams: 5 });
  await next('filament', filament.body.id);
  const subscription = await client.post('/webhook-subscriptions', {
    url: 'http://127.0.0.1:9/',
    events: ['order.created'],
  });
  await next('subscription', subscription.body.id);
  const other = await client.post('/print-jobs', { model_name: 'Vase' });
  await next('order', other.body.id);
  await client.delete(`/print-jobs/${other.body.id}`);
  await next('order', other.body.id, { gone: true });
  // requests that change nothing or are refused send no update
  await client.put(`/print-jobs/${order.body.id}`, {});
  expect((await client.post('/print-jobs', { model_name: 7 })).status).toBe(422);
  await new Promise((resolve) => setTimeout(resolve, 300));
  expect(others.heard).toEqual([]);
  await client.delete(`/print-jobs/${order.body.id}`);
  await next('order', order.body.id);
  others.close();
  mine.close();
});

test('requires a session, and HEAD opens no stream', async () => {
  const owner = await createFirstOwner(first());
  expect((await owner.ask('HEAD', '/live')).status).toBe(200);
  await owner.delete('/session');
  expect((await owner.get('/live')).status).toBe(401);
});

test('leaks nothing after 100 open pages and closes all streams on stop', async () => {
  const owner = await createFirstOwner(first());
  const { token } = await createAccountWithToken(folder.env);
  const browsers = await Promise.all(Array.from({ length: 5 }, signedIn));
  const pages = await Promise.all(
    browsers.flatMap((one) => Array.from({ length: 20 }, () => listen(one, first().origin))),
  );
  expect(await listeners(first())).toBe(100);
  await owner.post('/print-jobs', { model_name: 'Bracket' });
  for (const page of pages) {
    await expectSoon(() => page.heard.filter(({ kind }) => kind === 'order').length, 1);
  }
  for (const page of pages.slice(0, 50)) page.close();
  await expectSoon(() => listeners(first()), 50);
  // closed before the response: no listener stays
  const hasty = Array.from({ length: 50 }, () => {
    const abort = new AbortController();
    const asked = fetch(`${first().origin}/console/api/live`, {
      headers: { Cookie: `farmboard=${owner.cookie()}` },
      signal: abort.signal,
    }).catch(() => undefined);
    setTimeout(() => abort.abort(), Math.random() * 20);
    return asked;
  });
  await Promise.all(hasty);
  await expectSoon(() => listeners(first()), 50);
  expect((await (await createClient(first().origin, token)).get('/me')).status).toBe(200);

  const code = first().stop();
  await Promise.all(pages.slice(50).map(({ ended }) => ended));
  expect(await code).toBe(0);
  expect(first().log.filter((line) => /Warning|leak|"level":50/.test(line))).toEqual([]);
});

test('ends the streams of a session at once when it ends, through any process, and sends them nothing more', async () => {
  const owner = await createFirstOwner(first());
  const [other, away] = [await signedIn(), await signedIn()];
  const mine = await listen(owner, first().origin);
  const pages = [await listen(other, first().origin), await listen(other, last().origin)];
  const left = await listen(away, last().origin);
  // with a change right behind it
  await away.delete('/session');
  await owner.post('/print-jobs', { model_name: 'Bracket' });
  await left.ended;
  await owner.delete('/sessions');
  await owner.post('/print-jobs', { model_name: 'Vase' });
  await Promise.all(pages.map(({ ended }) => ended));
  const ordersOf = ({ heard }: typeof mine) => heard.filter(({ kind }) => kind === 'order').length;
  await expectSoon(() => ordersOf(mine), 2);
  expect([ordersOf(left), ...pages.map(ordersOf)]).toEqual([0, 1, 1]);
  expect([...mine.heard, ...left.heard].filter(({ kind }) => kind === 'session')).toEqual([]);
  expect(mine.isOver()).toBe(false);
  mine.close();
});

test('ends the oldest stream of a session that opens too many', async () => {
  const owner = await createFirstOwner(first());
  const oldest = await listen(owner, first().origin);
  const others: (typeof oldest)[] = [];
  for (let n = 0; n < 20; n++) others.push(await listen(owner, first().origin));
  await oldest.ended;
  expect(await listeners(first())).toBe(20);
  expect(others.some((page) => page.isOver())).toBe(false);
  for (const page of others) page.close();
});
