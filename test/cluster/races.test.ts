import { createClient } from '../kit/client.ts';
import { type Cluster, type Member, startCluster } from '../kit/cluster.ts';
import { openBrowser } from '../kit/console-client.ts';
import type { DatabaseInspector } from '../kit/database.ts';
import { eventually } from '../kit/eventually.ts';
import { times } from '../kit/length.ts';
import { childrenOf } from '../kit/processes.ts';
import { createRandom, seedFrom } from '../kit/random.ts';
import { createAccountWithToken } from '../kit/service.ts';

const CONSUMES = times(1_000, 10_000);
const ROUNDS = times(5, 50);
const SHOP_ROUNDS = times(3, 30);
const SEED = seedFrom('RACE_SEED');
const RACERS = 48;
const SPOOL_GRAMS = 100;

interface BatchRow {
  filament_id: string;
  capacity_mg: number;
  used_mg: number;
  needs_review: number;
}

/** Every batch, oldest first, as one statement sees them. */
const readBatches = (inspector: DatabaseInspector) =>
  inspector.rows<BatchRow>(
    `SELECT b.filament_id, b.spool_count * f.spool_weight_mg AS capacity_mg, b.used_mg, b.needs_review
     FROM filament_batches b JOIN filaments f ON f.id = b.filament_id ORDER BY b.filament_id, b.received_at, b.seq`,
  );

/** Violations of first in, first out: grams used from a batch while an older one has some left, or more than it had. */
function findFaults(batches: BatchRow[]): string[] {
  return batches.flatMap((batch, i) => {
    const older = batches[i - 1];
    const hasOlder = older?.filament_id === batch.filament_id;
    return [
      ...(batch.used_mg < 0 || batch.used_mg > batch.capacity_mg ? [`${batch.used_mg} of ${batch.capacity_mg}`] : []),
      ...(hasOlder && batch.used_mg > 0 && older.used_mg < older.capacity_mg ? [`taken before its turn: ${i}`] : []),
    ];
  });
}

describe(`3 api processes on one database (RACE_SEED=${SEED})`, () => {
  let cluster: Cluster;
  let member: Member;

  beforeAll(async () => {
    cluster = await startCluster({ apis: 3, workers: 0 });
    member = await cluster.join(0);
  });

  afterAll(() => cluster?.stop());

  test(`keeps stock exact over ${CONSUMES} racing consumes, first in, first out`, async () => {
    const { clients } = member;
    const [client] = clients as [(typeof clients)[number]];
    const random = createRandom(SEED);
    // two filaments of six batches each, with about three quarters of what will be requested
    const spools = Math.ceil((CONSUMES * 10 * 0.75) / 2 / 6 / SPOOL_GRAMS);
    const filaments: string[] = [];
    for (const name of ['PLA black', 'PETG white']) {
      const made = await client.post('/filaments', { name, type_name: 'PLA', spool_weight_grams: SPOOL_GRAMS });
      filaments.push(String(made.body.id));
      for (let month = 1; month <= 6; month++) {
        const batch = { spool_count: spools, received_at: `2026-0${month}-01T00:00:00Z` };
        expect((await client.post(`/filaments/${made.body.id}/batches`, batch)).status).toBe(201);
      }
    }

    const takenMg = new Map(filaments.map((id) => [id, 0]));
    const answers = { taken: 0, refused: 0 };
    let left = CONSUMES;
    let racing = true;
    const race = async () => {
      while (left > 0) {
        left -= 1;
        const id = random.pick(filaments);
        const milligrams = random.between(1, 20_000);
        const answer = await random.pick(clients).post(`/filaments/${id}/consume`, { grams: milligrams / 1_000 });
        if (answer.status === 200) {
          answers.taken += 1;
          takenMg.set(id, (takenMg.get(id) as number) + milligrams);
        } else {
          expect([answer.status, answer.body.code]).toEqual([409, 'insufficient_stock']);
          answers.refused += 1;
        }
      }
    };
    const faults: string[] = [];
    let snapshots = 0;
    const watch = async () => {
      while (racing) {
        faults.push(...findFaults(await readBatches(cluster.inspector)));
        snapshots += 1;
      }
    };
    const watching = watch();
    await Promise.all(Array.from({ length: RACERS }, race)).finally(() => {
      racing = false;
    });
    await watching;

    expect(faults).toEqual([]);
    const batches = await readBatches(cluster.inspector);
    expect(findFaults(batches)).toEqual([]);
    for (const id of filaments) {
      const usedMg = batches.filter((batch) => batch.filament_id === id).reduce((sum, { used_mg }) => sum + used_mg, 0);
      expect(usedMg).toBe(takenMg.get(id));
      const { body } = await client.get<{ used_grams: number }>(`/filaments/${id}`);
      expect(Math.round(body.used_grams * 1_000)).toBe(usedMg);
      const [ledger] = await cluster.inspector.rows<{ mg: number }>(
        "SELECT sum(grams_mg) AS mg FROM filament_ledger WHERE filament_id = ? AND kind = 'consumption'",
        [id],
      );
      expect(Math.abs(Number(ledger?.mg))).toBe(usedMg);
    }
    expect(answers.taken + answers.refused).toBe(CONSUMES);
    // the race exhausted the stock and was observed while it ran
    expect(answers.refused).toBeGreaterThan(0);
    expect(snapshots).toBeGreaterThan(50);
    process.stdout.write(
      `races: ${answers.taken} consumes taken, ${answers.refused} refused, ${snapshots} snapshots (seed ${SEED})\n`,
    );
  });

  test(`creates exactly 10 subscriptions in ${ROUNDS} rounds of 50 racing POSTs`, async () => {
    const { token } = await createAccountWithToken(cluster.env);
    const clients = await Promise.all(cluster.api.map(({ origin }) => createClient(origin, token)));
    const [client] = clients as [(typeof clients)[number]];
    const body = { url: 'http://127.0.0.1:9/hook', events: ['order.created'] };
    for (let round = 0; round < ROUNDS; round++) {
      const answers = await Promise.all(
        Array.from({ length: 50 }, (_, i) =>
          (clients[i % clients.length] as typeof client).post('/webhook-subscriptions', body),
        ),
      );
      const made = answers.filter(({ status }) => status === 201);
      const refused = answers.filter(({ body }) => body.code === 'channel_limit_reached');
      expect([round, made.length, refused.length]).toEqual([round, 10, 40]);
      const { items } = (await client.get<{ items: { id: string }[] }>('/webhook-subscriptions')).body;
      expect(items.map(({ id }) => id).sort()).toEqual(made.map(({ body }) => body.id).sort());
      await Promise.all(items.map(({ id }) => client.delete(`/webhook-subscriptions/${id}`)));
    }
  });

  test(`keeps one order for ${SHOP_ROUNDS} shop orders sent 50 times at once, and then with newer and older states`, async () => {
    const { clients } = await cluster.join(0);
    const random = createRandom(SEED);
    const at = (n: number) => new Date(Date.UTC(2026, 10, 1, n)).toISOString();
    const put = (path: string, state: object) => random.pick(clients).put<{ id: string }>(path, state);
    const read = async (path: string) => (await random.pick(clients).get(path)).body;
    let stale = 0;
    for (let round = 0; round < SHOP_ROUNDS; round++) {
      const path = `/print-jobs/by-external-id/shopify/${round}`;
      const first = { model_name: 'Bracket', quantity_pieces: 1, external_updated_at: at(0) };
      const same = await Promise.all(Array.from({ length: 50 }, () => put(path, first)));
      expect(same.map(({ status }) => status).sort()).toEqual([...Array(49).fill(200), 201]);
      const [id, ...others] = new Set(same.map(({ body }) => body.id));
      expect(others).toEqual([]);
      expect(await read(path)).toMatchObject({ id, quantity_pieces: 1, external_updated_at: at(0) });

      const states = Array.from({ length: 50 }, (_, n) => ({ quantity_pieces: n + 2, external_updated_at: at(n + 1) }))
        .map((state) => ({ state, place: random.between(0, 1_000_000) }))
        .sort((one, other) => one.place - other.place);
      const later = await Promise.all(states.map(({ state }) => put(path, { model_name: 'Bracket', ...state })));
      expect(new Set(later.map(({ status, body }) => `${status} ${body.id}`))).toEqual(new Set([`200 ${id}`]));
      stale += later.filter(({ headers }) => headers.get('x-svc-stale') === '1').length;
      expect(await read(path)).toMatchObject({ quantity_pieces: 51, external_updated_at: at(50) });

      const [orders] = await cluster.inspector.rows<{ n: number }>(
        "SELECT count(*) AS n FROM orders WHERE source = 'shopify' AND external_id = ?",
        [String(round)],
      );
      const events = await cluster.inspector.rows<{ event: string }>('SELECT event FROM events WHERE subject = ?', [
        `order:${id}`,
      ]);
      expect([Number(orders?.n), events]).toEqual([1, [{ event: 'order.created' }]]);
    }
    // some were overtaken by a newer one
    expect(stale).toBeGreaterThan(0);
    process.stdout.write(`races: ${SHOP_ROUNDS} shop orders, each sent 100 times, ${stale} stale (seed ${SEED})\n`);
  });

  test('starts one simulated farm for 6 owners and 12 clicks at once, and another when it is removed', async () => {
    const owners = await Promise.all(Array.from({ length: 6 }, () => createAccountWithToken(cluster.env)));
    const clicks = await Promise.all(
      [...owners, ...owners].map(async ({ email }, i) => {
        const browser = await openBrowser(cluster.api[i % cluster.api.length] as (typeof cluster.api)[number]);
        expect((await browser.signIn(email)).status).toBe(200);
        return { email, browser };
      }),
    );
    const startAll = async () => {
      const answers = await Promise.all(clicks.map(({ browser }) => browser.post('/simulation')));
      // both clicks of one owner open the same farm
      expect(answers.map(({ status }) => status).sort()).toEqual([...Array(2).fill(204), ...Array(10).fill(429)]);
      const running = await cluster.inspector.rows<{ n: number }>(
        'SELECT owner_id FROM simulations WHERE started_at > 0',
      );
      expect(running).toHaveLength(1);
      const [first, second] = clicks.filter((_, i) => answers[i]?.status === 204);
      expect(first?.email).toBe(second?.email);
      return [first, second];
    };
    for (let round = 0; round < 2; round++) {
      const [first, second] = await startAll();
      // the process of one that was removed elsewhere ends by itself
      await eventually(
        () => cluster.api.flatMap(({ pid }) => childrenOf(pid)),
        (children) => children.length === 1,
      );
      expect((await first?.browser.delete('/simulation'))?.status).toBe(204);
      // where it was removed meanwhile, the owner's session goes on
      expect(await second?.browser.who()).toBe(second?.email);
    }
  });
});
