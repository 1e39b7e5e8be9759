import { type Browser, openBrowser, PASSWORD } from '../kit/console-client.ts';
import { expectProblem, type Listed, type Schemas, startFarm, UNKNOWN_ID, UTC_TIME, UUID } from '../kit/farm.ts';
import { FORM_FIELDS, openForm, PNG, REQUEST, sendForm, waitUntilAccepted } from '../kit/leads.ts';
import { forSuite } from '../kit/opened.ts';
import { isGenuine, type Received } from '../kit/receiver.ts';

type Lead = Schemas['Lead'];

const farm = forSuite(() => startFarm({ TRUSTED_PROXIES: '127.0.0.1' }));
let owner: Browser;

beforeAll(async () => {
  owner = await openBrowser(farm.service);
  expect((await owner.signIn(farm.email, PASSWORD)).status).toBe(200);
  const profile = { slug: 'anna-prints', is_public: true, headline: 'Anna prints', materials: ['PETG', 'Нейлон'] };
  expect((await owner.put('/profile', profile)).status).toBe(200);
});
afterEach(() => farm.clear());

/** Each test uses its own address, so that rate limits don't interfere. */
let visitors = 0;
const visitor = () => {
  visitors += 1;
  return { 'X-Forwarded-For': `203.0.113.${visitors}` };
};

const leads = async (query = '') => (await farm.client.get<Listed<Lead>>(`/leads${query}`)).body;

test('sends lead.created for a request from the public profile', async () => {
  const subscription = await farm.subscription({ events: ['lead.created'] });
  const form = await openForm(farm.service.origin, 'anna-prints');
  await waitUntilAccepted(form);
  const before = (await leads()).total;
  const sent = await sendForm(farm.service.origin, form, {
    file: { name: 'bracket.png', content: PNG },
    headers: visitor(),
  });
  expect([sent.status, sent.headers.get('location')]).toEqual([303, '/masters/anna-prints/sent?lang=en']);
  await subscription.until((all) => all.length === 1);
  const [received] = subscription.received as [Received];
  expect(isGenuine(subscription.secret, received)).toBe(true);
  expect(received.headers['x-svc-event']).toBe('lead.created');
  const { body } = received;
  expect(Object.keys(body)).toEqual(['event', 'occurred_at', 'data']);
  expect(body.data).toEqual({
    ...REQUEST,
    lead_id: expect.stringMatching(UUID),
    has_file: true,
    created_at: expect.stringMatching(UTC_TIME),
  });
  expect(body.occurred_at).toBe(body.data.created_at);
  farm.client.checkPushed('lead.created', body);

  const list = await leads();
  expect(list.total).toBe(before + 1);
  const lead = (await farm.client.get<Lead>(`/leads/${body.data.lead_id}`)).body;
  expect(list.items[0]).toEqual(lead);
  expect(lead).toMatchObject({ ...REQUEST, state: 'new', order_id: null });
  expect(lead.file).toEqual({ name: 'bracket.png', kind: 'png', bytes: PNG.length });
});

test('uses empty strings for missing fields and false for no file', async () => {
  const subscription = await farm.subscription({ events: ['lead.created'] });
  const form = await openForm(farm.service.origin, 'anna-prints');
  await waitUntilAccepted(form);
  const fields = { description: 'Ваза', client_email: 'a@b.example' };
  // as a form without enctype and curl -d send it
  const body = new URLSearchParams({ ...fields, token: form.token });
  const to = new URL(form.action, farm.service.origin);
  expect((await fetch(to, { method: 'POST', body, headers: visitor(), redirect: 'manual' })).status).toBe(303);
  await subscription.until((all) => all.length === 1);
  expect(subscription.received[0]?.body.data).toEqual({
    lead_id: expect.stringMatching(UUID),
    ...Object.fromEntries(FORM_FIELDS.map((field) => [field, ''])),
    ...fields,
    has_file: false,
    created_at: expect.stringMatching(UTC_TIME),
  });
});

test('returns requests only to their account', async () => {
  const { token } = await farm.newAccount();
  const [first] = (await leads()).items as [Lead];
  expect((await farm.client.get<Listed<Lead>>('/leads', { token })).body.total).toBe(0);
  expectProblem(await farm.client.get(`/leads/${first.id}`, { token }), 404, 'not_found');
  expectProblem(await farm.client.get(`/leads/${UNKNOWN_ID}`), 404, 'not_found');
  expectProblem(await farm.client.get('/leads?state=lost'), 422, 'validation_error');
  expect((await leads('?state=answered')).total).toBe(0);
  expect((await leads('?q=ВАЗА')).items.map(({ description }) => description)).toEqual(['Ваза']);
});

/** The next such day after today, in UTC like the service. */
function comingFriday(): string {
  const DAY_MS = 24 * 60 * 60 * 1000;
  const ahead = (5 - new Date().getUTCDay() + 7) % 7 || 7;
  return new Date(Date.now() + ahead * DAY_MS).toISOString().slice(0, 10);
}

test('creates one order from a request, due on the requested day', async () => {
  const subscription = await farm.subscription({ events: ['order.created'] });
  const lead = (await leads('?q=bracket')).items[0] as Lead;
  const tries = await Promise.all([1, 2, 3, 4].map(() => owner.post<Lead>(`/leads/${lead.id}/order`, {})));
  expect(tries.map(({ status }) => status).sort()).toEqual([200, 200, 200, 201]);
  expect(new Set(tries.map(({ body }) => body.order_id)).size).toBe(1);
  const [{ body }] = tries as [(typeof tries)[0]];
  // this doesn't answer the customer
  expect(body.state).toBe('new');
  const order = await farm.readOrder(body.order_id ?? '');
  expect(order).toMatchObject({
    model_name: REQUEST.description,
    customer_name: REQUEST.contact,
    customer_contact: REQUEST.client_email,
    order_notes: `${REQUEST.description}\n\nBudget: up to 100\nDeadline: next Friday\nFile: bracket.png`,
    due_date: comingFriday(),
  });
  await subscription.until((all) => all.length === 1);
  expect((await leads(`?order_id=${order.id}`)).items.map(({ id }) => id)).toEqual([lead.id]);
  expect((await farm.client.delete(`/print-jobs/${order.id}`)).status).toBe(204);
  expect((await owner.get<Lead>(`/leads/${lead.id}`)).body.order_id).toBeNull();
  expect((await owner.post<Lead>(`/leads/${lead.id}/order`, { language: 'ru' })).status).toBe(201);
  expect(subscription.received.length).toBeGreaterThanOrEqual(1);
});
