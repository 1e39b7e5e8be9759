import { request } from 'node:http';
import { PASSWORD } from '../kit/console-client.ts';
import { expectSoon } from '../kit/eventually.ts';
import { openForm, PNG, sendForm, waitUntilAccepted } from '../kit/leads.ts';
import { signNotification } from '../kit/payments.ts';
import { startTopology, type Topology } from '../kit/topology.ts';

const EMAIL = 'owner@farm.example';
/** The longest that an owner may wait at an unknown device. */
const MAX_DELAY_MS = 10_000;
const AT_ONCE = 60;

let topology: Topology;
let origin: string;
let cookie: string;

/** As a TLS proxy in front of the shipped one passes a client on. */
const from = (address: string) => ({ 'X-Forwarded-For': address });
const hostile = Array.from({ length: 20 }, (_, i) => `203.0.113.${i + 1}`);
/** Everybody else, each at an address of its own. */
let others = 0;
const other = () => {
  others += 1;
  return from(`198.51.100.${others}`);
};

const post = (path: string, body: unknown, headers: Record<string, string>, method = 'POST') =>
  fetch(`${origin}${path}`, {
    method,
    headers: { 'Content-Type': 'application/json', 'Sec-Fetch-Site': 'same-origin', ...headers },
    body: JSON.stringify(body),
  });

const signIn = (password: string, headers: Record<string, string>) =>
  post('/console/api/session', { email: EMAIL, password }, headers);

const asOwner = async <T>(method: string, path: string, body: unknown): Promise<T> => {
  const response = await post(`/console/api${path}`, body, { Cookie: cookie, ...other() }, method);
  expect([path, response.ok]).toEqual([path, true]);
  return (await response.json()) as T;
};

/** How often each status was answered. */
async function statusesOf(responses: Promise<Response>[]): Promise<Record<number, number>> {
  const counts: Record<number, number> = {};
  for (const { status } of await Promise.all(responses)) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
}

/** How often each status was answered, with as many requests at once as the proxy lets a client have. */
async function countStatuses(times: number, send: () => Promise<Response>): Promise<Record<number, number>> {
  const counts: Record<number, number> = {};
  for (let sent = 0; sent < times; sent += AT_ONCE) {
    const some = await statusesOf(Array.from({ length: Math.min(AT_ONCE, times - sent) }, send));
    for (const [status, count] of Object.entries(some)) counts[Number(status)] = (counts[Number(status)] ?? 0) + count;
  }
  return counts;
}

/** Begins an upload and sends nothing more. */
function stall(path: string, address: Record<string, string>) {
  const headers = { ...address, 'Content-Type': 'multipart/form-data; boundary=x', 'Content-Length': 9_000_000 };
  const sending = request(`${origin}${path}`, { method: 'POST', headers, agent: false });
  sending.on('error', () => undefined);
  sending.write('--x\r\nContent-Disposition: form-data; name="description"\r\n\r\n');
  return sending;
}

beforeAll(async () => {
  topology = await startTopology();
  origin = topology.proxy.origin;
  await topology.exec(['account', 'create', '--email', EMAIL, '--name', 'Farm', '--password', PASSWORD]);
  const signedIn = await signIn(PASSWORD, other());
  cookie = signedIn.headers
    .getSetCookie()
    .map((set) => set.split(';')[0])
    .join('; ');
  const profile = { slug: 'anna-prints', is_public: true, headline: 'Anna prints', materials: ['PETG'] };
  await asOwner('PUT', '/profile', profile);
});

afterAll(() => topology?.remove());

test('wrong passwords of 20 addresses lock nobody out; both API processes count together', async () => {
  // five at once: more would fill the queue of passwords to check
  for (let i = 0; i < hostile.length; i += 5) {
    const guess = (address: string) => statusesOf(Array.from({ length: 12 }, () => signIn('wrong', from(address))));
    const seen = await Promise.all(hostile.slice(i, i + 5).map(guess));
    expect(seen).toEqual(Array(5).fill({ 401: 10, 429: 2 }));
  }
  const began = performance.now();
  expect((await signIn(PASSWORD, other())).status).toBe(200);
  expect(performance.now() - began).toBeLessThan(MAX_DELAY_MS);
});

test('forms of 20 addresses refuse no form of a customer', async () => {
  const form = await openForm(origin, 'anna-prints');
  await waitUntilAccepted(form);
  for (const address of hostile) {
    const fields = { description: 'spam' };
    const sent = Array.from({ length: 31 }, () => sendForm(origin, form, { fields, headers: from(address) }));
    expect((await statusesOf(sent))[429]).toBeGreaterThan(0);
  }
  expect((await sendForm(origin, form, { headers: other() })).status).toBe(303);
});

test('stalled uploads of 20 addresses refuse no upload of a customer', async () => {
  const form = await openForm(origin, 'anna-prints');
  await waitUntilAccepted(form);
  const stalled = hostile.flatMap((address) => [1, 2].map(() => stall(form.action, from(address))));
  const file = { name: 'part.png', content: new Uint8Array(Buffer.concat([PNG, Buffer.alloc(1_000_000)])) };
  const sent = await sendForm(origin, form, { file, headers: other() });
  expect(sent.status).toBe(303);
  for (const sending of stalled) sending.destroy();
});

test('an upload that is refused before its end shows why', async () => {
  const form = await openForm(origin, 'anna-prints');
  await waitUntilAccepted(form);
  const file = { name: 'part.png', content: new Uint8Array(Buffer.concat([PNG, Buffer.alloc(30_000_000)])) };
  const statuses = async (times: number, to: { action: string; token: string }, headers = other()) => {
    const seen = new Set<number>();
    for (let i = 0; i < times; i++) seen.add((await sendForm(origin, to, { file, headers })).status);
    return [...seen];
  };
  expect(await statuses(10, { ...form, action: '/masters/nobody/requests' })).toEqual([404]);
  expect(await statuses(10, form)).toEqual([422]);
  expect(await statuses(10, { ...form, token: 'x' })).toEqual([422]);
  const client = other();
  // more than each API process takes of an address
  const stalled = Array.from({ length: 6 }, () => stall(form.action, client));
  await expectSoon(() => statuses(2, form, client), [503]);
  expect(await statuses(10, form, client)).toEqual([503]);
  for (const sending of stalled) sending.destroy();
});

test('pay pages that other addresses ask for refuse no page of a customer', async () => {
  for (const address of hostile.slice(0, 2)) {
    const ask = () => fetch(`${origin}/pay/x`, { headers: from(address) });
    expect([address, await countStatuses(125, ask)]).toEqual([address, { 404: 120, 429: 5 }]);
  }
  expect((await fetch(`${origin}/pay/x`, { headers: other() })).status).toBe(404);
});

test('false payment notifications refuse no genuine one', async () => {
  const { id, secret } = await asOwner<{ id: string; secret: string }>('POST', '/payment-providers', {
    kind: 'notification',
    name: 'Bank',
  });
  await asOwner('PUT', '/invoice-seller', { name: 'Farm', bank_details: 'IBAN', default_currency: 'EUR' });
  const lines = [{ description: 'Bracket', quantity: 1, unit_price: 5_000 }];
  const invoice = await asOwner<{ id: string }>('POST', '/invoices', { customer_name: 'Anna', lines });
  const { number } = await asOwner<{ number: string }>('POST', `/invoices/${invoice.id}/issue`, {});
  for (const address of hostile.slice(0, 2)) {
    const send = () =>
      fetch(`${origin}/payments/notification/${id}`, { method: 'POST', body: '{}', headers: from(address) });
    expect([address, await countStatuses(620, send)]).toEqual([address, { 400: 600, 429: 20 }]);
    // a genuine one passes even from such an address
    const raw = JSON.stringify({
      id: `paid-${address}`,
      type: 'payment',
      invoice: number,
      amount: 1,
      currency: 'EUR',
      paid_at: new Date().toISOString(),
    });
    const headers = { ...signNotification(secret, raw), ...from(address) };
    const genuine = await fetch(`${origin}/payments/notification/${id}`, { method: 'POST', body: raw, headers });
    expect([address, genuine.status]).toEqual([address, 200]);
  }
});

test('requests without a valid token limit nobody with one', async () => {
  const token = await topology.exec(['token', 'create', '--email', EMAIL, '--name', 'n8n']);
  const [address = ''] = hostile;
  const ask = (bearer: string) =>
    fetch(`${origin}/api/v1/me`, { headers: { Authorization: `Bearer ${bearer}`, ...from(address) } });
  expect(await countStatuses(310, () => ask('pat_x'))).toEqual({ 401: 300, 429: 10 });
  expect((await ask(token)).status).toBe(200);
});
