import { readFileSync } from 'node:fs';
import { eventually, expectSoon } from '../kit/eventually.ts';
import { startFarm, UNKNOWN_ID } from '../kit/farm.ts';
import { HOSTILE_BODIES, sendHostile, type Target } from '../kit/hostile-bodies.ts';
import { type OpenForm, openForm } from '../kit/leads.ts';
import { forSuite } from '../kit/opened.ts';

/*
 * What bodies of requests hold, on every path that can have one, however they are sent: by the service's own count, and
 * measured.
 */

const MB = 1024 * 1024;
const CONNECTIONS = 64;
/** A third of what all bodies may hold. */
const MAX_HELD = 32 * MB;
/** Two fifths of the memory of the smallest setups: compose.small.yml and deploy/systemd/farmboard.service. */
const MAX_RESIDENT = 0.4 * 1024 * MB;

const OPERATOR = 'for-tests-only-and-with-enough-characters';
const farm = forSuite(() =>
  startFarm({ OPERATOR_SECRET: OPERATOR, SIGN_UP: 'open', SIMULATIONS: '1', TRUSTED_PROXIES: '127.0.0.1' }),
);

const CONSOLE = { 'Sec-Fetch-Site': 'same-origin' };
const JSON_TYPE = 'application/json';
const FORM = 'multipart/form-data; boundary=x';
let form: OpenForm;
let known: { bearer: Record<string, string>; cookie: Record<string, string>; agent: Record<string, string> };

beforeAll(async () => {
  const console = await farm.console();
  const profile = { slug: 'anna', is_public: true, headline: 'Anna prints', materials: ['PETG'] };
  expect((await console.put('/profile', profile)).status).toBe(200);
  form = await openForm(farm.origin, 'anna');
  const agent = await farm.agent({ printer_id: (await farm.printer()).id });
  known = {
    bearer: { Authorization: `Bearer ${farm.token}` },
    cookie: { ...CONSOLE, Cookie: `farmboard=${console.cookie()}` },
    agent: { Authorization: `Bearer ${agent.token}` },
  };
});

/** Every reader of bodies, and paths that have one but don't read it. */
const PATHS: [string, string, () => Target][] = [
  ['sign-in', JSON_TYPE, () => ({ path: '/console/api/session', headers: CONSOLE })],
  ['sign-up', JSON_TYPE, () => ({ path: '/console/api/sign-up', headers: CONSOLE })],
  ['setup', JSON_TYPE, () => ({ path: '/console/api/setup', headers: CONSOLE })],
  ['simulation', JSON_TYPE, () => ({ path: '/console/api/simulation', headers: CONSOLE })],
  ['OctoPrint as JSON', JSON_TYPE, () => ({ path: '/agent/v1/octoprint' })],
  ['OctoPrint as a form', FORM, () => ({ path: '/agent/v1/octoprint' })],
  ['Apprise', FORM, () => ({ path: '/agent/v1/apprise', headers: known.agent })],
  ['print reports', JSON_TYPE, () => ({ path: '/agent/v1/reports', headers: known.agent })],
  ['payments by Stripe', JSON_TYPE, () => ({ path: `/payments/stripe/${UNKNOWN_ID}` })],
  ['the public form', FORM, () => ({ path: form.action })],
  ['orders', JSON_TYPE, () => ({ method: 'PUT', path: `/api/v1/print-jobs/${UNKNOWN_ID}`, headers: known.bearer })],
  [
    'a route without a body',
    JSON_TYPE,
    () => ({ method: 'DELETE', path: `/api/v1/print-jobs/${UNKNOWN_ID}`, headers: known.bearer }),
  ],
  ['photos', 'application/octet-stream', () => ({ path: '/console/api/profile/photos', headers: known.cookie })],
  ['live updates', JSON_TYPE, () => ({ method: 'GET', path: '/console/api/live', headers: known.cookie })],
  ['a public page', JSON_TYPE, () => ({ method: 'GET', path: form.action.replace('/requests', '') })],
  ['a payment page', FORM, () => ({ path: '/pay/unknown/checkout' })],
  ['no token', JSON_TYPE, () => ({ path: '/api/v1/print-jobs' })],
];

const port = () => Number(new URL(farm.origin).port);

/** Bytes that the service counts. */
async function held(): Promise<number> {
  const response = await fetch(`${farm.origin}/metrics`, { headers: { Authorization: `Bearer ${OPERATOR}` } });
  return Number(/^farmboard_request_body_bytes (\S+)$/m.exec(await response.text())?.[1]);
}

/** The most that the process has taken so far. */
const resident = (): number =>
  Number(/^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${farm.service.pid}/status`, 'utf8'))?.[1]) * 1024;

/** The most that the service counts until it has read what there is to read: until nothing changes any more. */
async function mostHeld(responses: () => number): Promise<number> {
  const seen: string[] = [];
  let most = 0;
  const look = async () => {
    const now = await held();
    most = Math.max(most, now);
    seen.push(`${now} ${responses()}`);
  };
  await eventually(look, () => seen.length > 5 && new Set(seen.slice(-5)).size === 1);
  return most;
}

describe.each(PATHS)('%s', (_name, type, target) => {
  test.each(Object.keys(HOSTILE_BODIES))('%s', async (kind) => {
    const body = HOSTILE_BODIES[kind]!(type, form.token);
    const sent = await sendHostile(port(), CONNECTIONS, target(), body);
    const most = await mostHeld(() => sent.statuses.length);
    const [health, list] = await Promise.all([
      fetch(`${farm.origin}/healthz`),
      fetch(`${farm.service.baseUrl}/print-jobs`, { headers: known.bearer }),
    ]);
    sent.close();
    expect({ health: health.status, list: list.status }).toEqual({ health: 200, list: 200 });
    expect(most).toBeLessThanOrEqual(MAX_HELD);
    expect(resident()).toBeLessThan(MAX_RESIDENT);
    await expectSoon(held, 0);
  });
});
