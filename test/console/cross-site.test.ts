import { type Browser, createFirstOwner, OWNER, openBrowser } from '../kit/console-client.ts';
import { inspectDatabase } from '../kit/database.ts';
import { forSuite } from '../kit/opened.ts';
import { startReceiver } from '../kit/receiver.ts';
import { createEmptyDataFolder, startService } from '../kit/service.ts';
import { bodyForAny, listOperations, makeOneOfEach, readEverything } from '../kit/state-changing.ts';

type Headers = Record<string, string | undefined>;

/** Changes the headers of a console page to those of a cross-site page. */
const ELSEWHERE: [string, (host: string) => Headers][] = [
  ['another site', () => ({ 'Sec-Fetch-Site': 'cross-site', Origin: 'https://evil.example' })],
  ['another site that leaves Origin out', () => ({ 'Sec-Fetch-Site': 'cross-site' })],
  ['another site with our Origin', (host) => ({ 'Sec-Fetch-Site': 'cross-site', Origin: `http://${host}` })],
  ['another host or port of this site', (host) => ({ 'Sec-Fetch-Site': 'same-site', Origin: `http://${host}` })],
  ['nowhere', (host) => ({ 'Sec-Fetch-Site': 'none', Origin: `http://${host}` })],
  ['an invented place', () => ({ 'Sec-Fetch-Site': 'same-origin, cross-site' })],
  ['an empty Sec-Fetch-Site', (host) => ({ 'Sec-Fetch-Site': '', Origin: `http://${host}` })],
  // plain HTTP in a LAN: only the Origin header is available
  ['another host', () => ({ 'Sec-Fetch-Site': undefined, Origin: 'http://evil.example' })],
  ['a host that begins as ours', (host) => ({ 'Sec-Fetch-Site': undefined, Origin: `http://${host}.evil.example` })],
  ['a host that ends as ours', (host) => ({ 'Sec-Fetch-Site': undefined, Origin: `http://evil.example@${host}` })],
  ['a sandboxed page', () => ({ 'Sec-Fetch-Site': undefined, Origin: 'null' })],
  ['another scheme', (host) => ({ 'Sec-Fetch-Site': undefined, Origin: `https://${host}` })],
  ['another port', (host) => ({ 'Sec-Fetch-Site': undefined, Origin: `http://${host.split(':')[0]}:1` })],
  ['no port', (host) => ({ 'Sec-Fetch-Site': undefined, Origin: `http://${host.split(':')[0]}` })],
  [
    'a name that resolves to us (DNS rebinding)',
    () => ({ 'Sec-Fetch-Site': undefined, Origin: 'http://evil.example:3000', Host: 'evil.example:3000' }),
  ],
  [
    'a name that begins as an address',
    () => ({ 'Sec-Fetch-Site': undefined, Origin: 'http://127.0.0.1.evil.example', Host: '127.0.0.1.evil.example' }),
  ],
  ['an empty Origin', () => ({ 'Sec-Fetch-Site': undefined, Origin: '' })],
  ['who says nothing', () => ({ 'Sec-Fetch-Site': undefined })],
  [
    'who says nothing but Referer',
    (host) => ({ 'Sec-Fetch-Site': undefined, Referer: `http://${host}/console/`, 'X-Requested-With': 'fetch' }),
  ],
];

/** What a form of another page can send without a preflight request. */
const FORMS: Headers[] = [
  {},
  { 'Content-Type': 'text/plain' },
  { 'Content-Type': 'application/x-www-form-urlencoded' },
  { 'Content-Type': 'multipart/form-data; boundary=x' },
];

const folder = forSuite(createEmptyDataFolder);
const receiver = forSuite(startReceiver);
const service = forSuite(() => startService({ ...folder.env, SIGN_UP: 'open', WEBHOOK_ALLOWED_HOSTS: 'loopback' }));
const inspector = forSuite(() => inspectDatabase(folder.file));
let owner: Browser;
let host: string;
let ids: Map<string, string>;

beforeAll(async () => {
  host = new URL(service.origin).host;
  owner = await createFirstOwner(service);
  ids = await makeOneOfEach(owner, receiver.url);
});

test('refuses changes by pages of other sites in every operation and by every kind of request', async () => {
  const before = await readEverything(inspector);
  const table = listOperations(owner.document, ids);
  expect(table.length).toBeGreaterThanOrEqual(34);
  expect(table.map(({ path }) => path).join()).not.toContain('undefined');
  let refused = 0;
  for (const { method, path } of table) {
    for (const [who, from] of ELSEWHERE) {
      const forms = method === 'POST' ? FORMS : FORMS.slice(0, 1);
      for (const form of forms) {
        const raw = JSON.stringify(bodyForAny(receiver.url));
        const answer = await owner.ask(method, path, { raw, headers: { ...from(host), ...form } });
        expect([method, path, who, answer.status, answer.body.code]).toEqual([method, path, who, 403, 'cross_site']);
        expect(answer.headers.get('set-cookie')).toBeNull();
        expect(answer.headers.get('access-control-allow-origin')).toBeNull();
        refused += 1;
      }
    }
  }
  process.stdout.write(`cross-site.test: ${table.length} operations, ${refused} requests refused\n`);
  expect(await readEverything(inspector)).toBe(before);
  expect(receiver.received).toHaveLength(1);
});

test('refuses other methods and reads by other pages', async () => {
  const evil = { 'Sec-Fetch-Site': 'cross-site', Origin: 'https://evil.example' };
  for (const method of ['PATCH', 'LOCK', 'COPY']) {
    expect((await owner.ask(method, '/print-jobs', { headers: evil })).status).toBe(403);
  }
  const asked = await owner.ask('OPTIONS', '/print-jobs', {
    headers: { ...evil, 'Access-Control-Request-Method': 'POST' },
  });
  const read = await owner.get('/print-jobs', { headers: evil });
  for (const { headers } of [asked, read]) {
    expect([...headers.keys()].filter((name) => name.startsWith('access-control'))).toEqual([]);
  }
});

test('refuses form content types, even from its own pages', async () => {
  const raw = JSON.stringify(bodyForAny(receiver.url));
  for (const form of FORMS.slice(1)) {
    expect((await owner.ask('POST', '/print-jobs', { raw, headers: form })).status).toBe(415);
  }
});

test('accepts its own pages by Sec-Fetch-Site, and in a LAN by Origin at any IP address', async () => {
  const add = (headers: Headers) =>
    owner.post('/print-jobs', { model_name: 'ours' }, { headers: { 'Sec-Fetch-Site': undefined, ...headers } });
  expect((await add({ 'Sec-Fetch-Site': 'same-origin' })).status).toBe(201);
  for (const at of [host, '192.168.1.20:3000', '[fd00::20]:3000', 'localhost:3000'])
    expect([at, (await add({ Origin: `http://${at}`, Host: at })).status]).toEqual([at, 201]);
  expect((await add({ Origin: 'http://192.168.1.20:3000', Host: '192.168.1.20' })).status).toBe(403);
});

test('accepts a name in a LAN only if PUBLIC_URL has it, and else says so', async () => {
  const signUp = (browser: Browser, at: string) =>
    browser.post('/sign-up', OWNER, { headers: { 'Sec-Fetch-Site': undefined, Origin: `http://${at}`, Host: at } });
  const refused = await signUp(owner, 'farm.lan:3000');
  expect(refused.status).toBe(403);
  expect(refused.body).toMatchObject({
    code: 'cross_site',
    detail: expect.stringMatching(/^http:\/\/farm\.lan:3000 isn't .* Set PUBLIC_URL /),
  });
  const place = createEmptyDataFolder();
  const named = await startService({ ...place.env, PUBLIC_URL: 'http://farm.lan', SIGN_UP: 'open' });
  try {
    const browser = await openBrowser(named);
    expect((await signUp(browser, 'other.lan:3000')).status).toBe(403);
    expect((await signUp(browser, 'farm.lan:3000')).status).toBe(200);
  } finally {
    await named.stop();
    place.remove();
  }
});

test('accepts its own pages in every operation', async () => {
  const last = (path: string) => ['/session', '/password'].indexOf(path);
  // creating operations first, then deleting ones, and the session last
  const rank = ({ method, path }: { method: string; path: string }) => (method === 'DELETE' ? 10 : 0) + last(path);
  for (const { method, path } of listOperations(owner.document, ids).sort((a, b) => rank(a) - rank(b))) {
    const { status } = await owner.ask(method, path, {
      body: bodyForAny(receiver.url),
      headers: { 'Sec-Fetch-Site': undefined, Origin: `http://${host}` },
    });
    expect([method, path, status === 403 || status === 401 || status >= 500]).toEqual([method, path, false]);
  }
});

test('accepts the public address behind a proxy that changes the host', async () => {
  const place = createEmptyDataFolder();
  const behind = await startService({ ...place.env, PUBLIC_URL: 'https://farm.example/board', SIGN_UP: 'open' });
  try {
    const browser = await openBrowser(behind, { name: '__Host-farmboard' });
    const signUp = (headers: Headers) =>
      browser.post('/sign-up', OWNER, { headers: { 'Sec-Fetch-Site': undefined, ...headers } });
    const own = new URL(behind.origin).host;
    for (const Origin of ['http://farm.example', `http://${own}`, 'https://farm.example.evil.example']) {
      expect((await signUp({ Origin })).status).toBe(403);
    }
    expect((await signUp({ Origin: 'https://farm.example' })).status).toBe(200);
  } finally {
    await behind.stop();
    place.remove();
  }
});
