import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createClient } from '../kit/client.ts';
import { write } from '../kit/database.ts';
import { expectSoon } from '../kit/eventually.ts';
import { times } from '../kit/length.ts';
import { forSuite } from '../kit/opened.ts';
import {
  createFolder,
  killAt,
  type Place,
  postgresPlace,
  refused,
  sqlitePlace,
  succeed,
  tallies,
} from '../kit/place.ts';
import { isGenuine, startReceiver } from '../kit/receiver.ts';
import { seed, WAITING } from '../kit/seed.ts';
import { createAccountWithToken, startService } from '../kit/service.ts';

const ORDERS = times(2_000, 100_000);
const EVENTS = 2 * ORDERS;
/** `seed` leaves as many numbers unused as a purge would */
const GONE = 1000;

const folder = createFolder();
const file = folder.path('farm.sqlite3');
const origin = sqlitePlace(file);
const back = sqlitePlace(folder.path('back.sqlite3'));
const over = postgresPlace();
const ENV = { SECRET_KEY: origin.env.SECRET_KEY };
const receiver = forSuite(startReceiver);
let token: string;
let subscription: { id: string; secret: string };
let filament: string;
let moved: string[];

const move = (from: Place, to: Place) => ['move', '--from', from.url, '--to', to.url];
const digest = () => createHash('sha256').update(readFileSync(file)).digest('hex');

beforeAll(async () => {
  const service = await startService(origin.env);
  token = (await createAccountWithToken(origin.env)).token;
  const client = await createClient(service.origin, token);
  const events = ['order.created', 'order.status_changed'];
  subscription = (await client.post<typeof subscription>('/webhook-subscriptions', { url: receiver.url, events })).body;
  await client.post('/webhook-subscriptions', { url: receiver.url, events, enabled: false });
  filament = String((await client.post('/filaments', { name: 'PETG', spool_count: 3 })).body.id);
  await client.post('/print-jobs', { model_name: 'before the move' });
  await receiver.until((all) => all.length === 1);
  await service.stop();
  await write(file, 'DELETE FROM deliveries');
  await write(file, 'DELETE FROM events');
  await write(file, 'UPDATE subscriptions SET last_sequence = 0');
  await seed(file, ORDERS);
});

afterAll(async () => {
  over.drop();
  folder.remove();
});

test('leaves the target empty and the source unchanged when killed', async () => {
  const before = digest();
  for (const progress of ['accounts:', 'events:', 'deliveries:']) {
    await killAt(progress, move(origin, over), ENV);
    expect(await over.tables()).toEqual([]);
  }
  expect(digest()).toBe(before);
});

test(`moves ${ORDERS} orders to PostgreSQL and back without differences`, async () => {
  const before = digest();
  const began = Date.now();
  const said = await succeed([...move(origin, over), '--verbose'], ENV);
  const there = Date.now();
  expect(said).toContain('start the service with the new database only');
  moved = tallies(said);
  expect(moved.map((line) => line.split(/ +/).slice(0, 2))).toEqual(
    expect.arrayContaining([
      ['orders', String(ORDERS + 1)],
      ['events', String(EVENTS)],
      ['deliveries', String(2 * EVENTS - WAITING)],
      ['subscriptions', '2'],
    ]),
  );
  expect(digest()).toBe(before);
  const returned = await succeed([...move(over, back), '--verbose'], ENV);
  expect(tallies(returned)).toEqual(moved);
  process.stdout.write(
    `move.test: ${ORDERS} orders to PostgreSQL in ${there - began} ms and back in ${Date.now() - there} ms\n`,
  );
});

test.each([
  ['PostgreSQL', over],
  ['SQLite', back],
])('serves the moved data: %s', async (_engine, place) => {
  expect(await succeed(['check'], place.env)).toBe('No problems found.\n');
  const [last] = await place.rows<{ n: number }>('SELECT max(seq) AS n FROM events');
  receiver.received.length = 0;
  const service = await startService(place.env);
  try {
    const client = await createClient(service.origin, token);
    const order = await client.post('/print-jobs', { model_name: 'after the move' });
    // what waited is sent, once, and then what is new
    await receiver.until((all) => all.length > WAITING);
    const used = await client.post(`/filaments/${filament}/consume`, { grams: 10, order_id: order.body.id });
    expect(used.body).toMatchObject({ used_grams: 10 });
    await expectSoon(() => place.rows("SELECT seq FROM deliveries WHERE state IN ('pending', 'sending')"), []);
    expect(receiver.received.every((one) => isGenuine(subscription.secret, one))).toBe(true);
    expect(receiver.received.map(({ headers }) => Number(headers['x-svc-sequence'])).sort((a, b) => a - b)).toEqual(
      Array.from({ length: WAITING + 1 }, (_, i) => EVENTS - WAITING + 1 + i),
    );
    const news = receiver.received.filter(({ body }) => body.data.id === order.body.id);
    expect(news.map(({ body }) => body.event)).toEqual(['order.created']);
    const [next] = await place.rows<{ n: number }>('SELECT max(seq) AS n FROM events');
    expect(next?.n).toBe((last?.n as number) + GONE + 1);
  } finally {
    await service.stop();
  }
  expect(await succeed(['check'], place.env)).toBe('No problems found.\n');
});

describe('a move', () => {
  const target = sqlitePlace(folder.path('refused.sqlite3'));

  test('is refused into a target that is not empty, as when source and target are one', async () => {
    expect(await refused(move(origin, over), ENV)).toContain('The target is not empty');
    expect(await refused(move(over, over), ENV)).toContain('The target is not empty');
  });

  test('is refused while the service runs on PostgreSQL or a worker elsewhere is sending', async () => {
    const service = await startService(over.env);
    try {
      expect(await refused(move(over, target), ENV)).toMatch(
        /The database is in use \(farmboard \d+@.*Stop the service/,
      );
    } finally {
      await service.stop();
    }
    const claim = (until: number) =>
      write(
        over.url,
        `UPDATE deliveries SET state = 'sending', claimed_by = 'elsewhere/1/x', claimed_until = ${until} WHERE seq = (SELECT max(seq) FROM deliveries)`,
      );
    await claim(Date.now() + 60_000);
    expect(await refused(move(over, target), ENV)).toContain(
      'A worker is still sending deliveries from this database (elsewhere/1)',
    );
    expect(await target.tables()).toEqual([]);
    await claim(Date.now() - 1);
    await succeed(move(over, target), ENV);
  });

  test('is refused without the key that PostgreSQL will be served with', async () => {
    const empty = postgresPlace();
    try {
      expect(await refused(move(origin, empty), { SECRET_KEY: undefined })).toMatch(/SECRET_KEY is missing/);
      expect(await refused(move(origin, empty), { SECRET_KEY: 'x'.repeat(32) })).toMatch(/doesn't match their key/);
      expect(await empty.tables()).toEqual([]);
    } finally {
      empty.drop();
    }
  });
});
