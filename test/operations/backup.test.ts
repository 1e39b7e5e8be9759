import { existsSync, readdirSync, statSync } from 'node:fs';
import { type Client, createClient } from '../kit/client.ts';
import { write } from '../kit/database.ts';
import { ENGINE } from '../kit/engine.ts';
import { eventually } from '../kit/eventually.ts';
import { times } from '../kit/length.ts';
import { type Acknowledged, countOf, startLoad } from '../kit/load.ts';
import { forSuite } from '../kit/opened.ts';
import { createFolder, type Place, postgresPlace, refused, sqlitePlace, succeed, tallies } from '../kit/place.ts';
import { startReceiver } from '../kit/receiver.ts';
import { createAccountWithToken, type Service, startService } from '../kit/service.ts';

const BACKUPS = times(3, 50);
const CLIENTS = 8;

const folder = createFolder();
const source = ENGINE === 'postgres' ? postgresPlace() : sqlitePlace(folder.path('farm.sqlite3'));
const name = source.url.replace('sqlite:', '');
let service: Service;
const receiver = forSuite(startReceiver);
let client: Client;
let filament: string;

beforeAll(async () => {
  service = await startService(source.env);
  const { token } = await createAccountWithToken(source.env);
  client = await createClient(service.origin, token);
  for (const events of [['order.created', 'order.status_changed'], ['order.status_changed']]) {
    await client.post('/webhook-subscriptions', { url: receiver.url, events });
  }
  filament = String((await client.post('/filaments', { name: 'PETG', spool_count: 1 })).body.id);
  for (let batch = 0; batch < 50; batch++) await client.post(`/filaments/${filament}/batches`, { spool_count: 10 });
});

afterAll(async () => {
  await service?.kill();
  source.drop();
  folder.remove();
});

/** What of the acknowledged is not in a database. */
async function missing(place: Place, { orders, changes, uses }: Acknowledged): Promise<string[]> {
  const stored = new Set([
    ...(await place.rows<{ id: string }>('SELECT id FROM orders')).map(({ id }) => id),
    ...(await place.rows<{ order_id: string; to_status: string }>('SELECT order_id, to_status FROM order_history')).map(
      (row) => `${row.order_id} ${row.to_status}`,
    ),
    ...(await place.rows<{ note: string }>('SELECT note FROM filament_ledger')).map(({ note }) => note),
  ]);
  return [...orders, ...changes, ...uses].filter((one) => !stored.has(one));
}

test(`takes ${BACKUPS} consistent backups while ${CLIENTS} clients write`, async () => {
  const acknowledged: Acknowledged = { orders: [], changes: [], uses: [] };
  const during: number[] = [];
  const took: number[] = [];
  let interrupted = 0;
  for (let round = 0; round < BACKUPS; round++) {
    const began = countOf(acknowledged);
    const load = startLoad(client, filament, CLIENTS, acknowledged);
    await eventually(
      () => countOf(acknowledged) - began,
      (count) => count >= 5 * CLIENTS,
    );
    const before: Acknowledged = {
      orders: [...acknowledged.orders],
      changes: [...acknowledged.changes],
      uses: [...acknowledged.uses],
    };
    const file = folder.path(`backup ${round}`);
    const started = Date.now();
    await succeed(['backup', file], source.env);
    took.push(Date.now() - started);
    during.push(countOf(acknowledged) - countOf(before));
    await load.stop();

    const target =
      ENGINE === 'postgres' && round % 2 === 0 ? postgresPlace() : sqlitePlace(folder.path(`restored ${round}`));
    try {
      const said = await succeed(['restore', file], target.env);
      interrupted += Number(/^(\d+) deliveries were unfinished/m.exec(said)?.[1] ?? 0);
      expect(await succeed(['check'], target.env)).toBe('No problems found.\n');
      expect(await missing(target, before)).toEqual([]);
      // one moment: a change has its event, and nothing waits to be sent
      const [counts] = await target.rows<Record<string, number>>(`SELECT
        (SELECT count(*) FROM order_history WHERE kind IN ('created', 'status_changed')) AS changes,
        (SELECT count(*) FROM events WHERE event LIKE 'order.%') AS events,
        (SELECT count(*) FROM deliveries WHERE state IN ('pending', 'sending')) AS open`);
      expect(counts).toEqual({ changes: expect.anything(), events: counts?.changes, open: expect.anything() });
      expect(Number(counts?.open)).toBe(0);
    } finally {
      target.drop();
    }
  }
  // a backup that held up the writers, or began after them, would show nothing
  expect(during.filter((count) => count === 0)).toEqual([]);
  const sorted = (list: number[]) => [...list].sort((a, b) => a - b);
  process.stdout.write(
    `backup.test: ${BACKUPS} backups of ${ENGINE}, ${sorted(took)[Math.floor(BACKUPS / 2)]} ms (median), ${sorted(during)[0]} to ${sorted(during).at(-1)} ` +
      `writes acknowledged during each, ${countOf(acknowledged)} in all, ${interrupted} deliveries interrupted\n`,
  );
});

test('writes one SQLite file that only its owner can read and reports its content', async () => {
  const file = folder.path('one');
  const held = tallies(await succeed(['backup', file, '--verbose'], source.env));
  expect((statSync(file).mode & 0o777).toString(8)).toBe('600');
  expect(readdirSync(folder.path('')).filter((one) => one.startsWith('one'))).toEqual(['one']);
  const target = sqlitePlace(folder.path('restored from one'));
  expect(tallies(await succeed(['restore', file, '--verbose'], target.env))).toEqual(held);
  expect(held.length).toBeGreaterThan(10);
});

test('refuses a database that violates its invariants unless told to accept it', async () => {
  await service.stop();
  const file = folder.path('faulty');
  await write(name, 'UPDATE filaments SET used_mg = used_mg + 1');
  expect(await refused(['backup', file], source.env)).toMatch(/The copy is inconsistent.*Filament .* says/);
  expect(existsSync(file)).toBe(false);
  await succeed(['backup', file, '--faults', 'accept'], source.env);

  const target = sqlitePlace(folder.path('restored faulty'));
  expect(await refused(['restore', file], target.env)).toMatch(/faulty is inconsistent/);
  expect(await target.tables()).toEqual([]);
  expect(await refused(['restore', file, '--faults', 'maybe'], target.env)).toContain('--faults accepts only "accept"');
  await succeed(['restore', file, '--faults', 'accept'], target.env);
  await write(name, 'UPDATE filaments SET used_mg = used_mg - 1');
});

test('refuses to back up a database of another schema, or none', async () => {
  const file = folder.path('other');
  await write(name, "INSERT INTO schema_migrations VALUES ('99990101000000_later', 0)");
  expect(await refused(['backup', file], source.env)).toContain('newer version of Farmboard (99990101000000_later)');
  await write(name, "DELETE FROM schema_migrations WHERE name = '99990101000000_later'");
  const nowhere = sqlitePlace(folder.path('nowhere'));
  expect(await refused(['backup', file], nowhere.env)).toContain('File not found');
  expect(existsSync(folder.path('nowhere'))).toBe(false);
  expect(readdirSync(folder.path('')).filter((one) => one.startsWith('other'))).toEqual([]);
});
