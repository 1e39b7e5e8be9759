import { type Browser, createFirstOwner, OWNER, openBrowser } from '../kit/console-client.ts';
import { inspectDatabase } from '../kit/database.ts';
import { ENGINE } from '../kit/engine.ts';
import { eventually, expectSoon } from '../kit/eventually.ts';
import { expectProblem } from '../kit/farm.ts';
import { createEmptyDataFolder, type DataFolder, farmboard, type Service, startService } from '../kit/service.ts';

// A simulated farm, watched from the console: an account of its own, removed as a whole.

interface State {
  is_available: boolean;
  simulation: {
    minute: number | null;
    is_over: boolean;
    printers: { order_name: string | null; percent: number }[];
  } | null;
}

let folder: DataFolder;
let service: Service;
let owner: Browser;

beforeAll(async () => {
  folder = createEmptyDataFolder();
  service = await startService(folder.env);
  owner = await createFirstOwner(service);
});

afterAll(async () => {
  expect(await farmboard(['check'], folder.env)).toMatchObject({ code: 0 });
  expect(await service.stop()).toBe(0);
  folder.remove();
});

/** Starts a simulation and waits until its printers print. */
async function watch(browser: Browser): Promise<void> {
  expect((await browser.post('/simulation')).status).toBe(204);
  await eventually(
    async () => (await browser.get<State>('/simulation')).body.simulation,
    (simulation) => simulation?.printers.some(({ percent }) => percent > 0) ?? false,
  );
}

const TABLES =
  ENGINE === 'sqlite'
    ? "SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table' AND name NOT LIKE 'sqlite_%'"
    : "SELECT table_name AS name FROM information_schema.tables WHERE table_schema = 'public'";

/** The number of rows of each table that has any. */
async function countRows(): Promise<Record<string, number>> {
  const inspector = await inspectDatabase(folder.file);
  try {
    const counts: Record<string, number> = {};
    for (const { name } of await inspector.rows<{ name: string }>(TABLES)) {
      const [row] = await inspector.rows<{ n: number }>(`SELECT count(*) AS n FROM "${name}"`);
      if (row && row.n > 0) counts[name] = row.n;
    }
    return counts;
  } finally {
    await inspector.close();
  }
}

test('runs in an account of its own and leaves no row when it is removed', async () => {
  const before = await countRows();
  expect((await owner.get<State>('/simulation')).body).toEqual({ is_available: true, simulation: null });
  await watch(owner);
  expect(await owner.who()).toMatch(/^simulation-\w+@farm\.invalid$/);
  expect((await owner.get<{ total: number }>('/print-jobs')).body.total).toBeGreaterThan(0);
  expect((await owner.get<{ total: number }>('/printers')).body.total).toBe(4);

  // the owner's own account has nothing of it
  const other = await openBrowser(service);
  await other.signIn();
  for (const path of ['/print-jobs', '/printers', '/filaments', '/invoices', '/events']) {
    expect((await other.get<{ total: number }>(path)).body.total).toBe(0);
  }
  expect((await other.get<State>('/simulation')).body).toEqual({ is_available: false, simulation: null });

  expect((await owner.delete('/simulation')).status).toBe(204);
  expect(await owner.who()).toBe(OWNER.email);
  await other.ask('DELETE', '/session');
  // in pieces, after the response
  await expectSoon(countRows, before);
});

test('an owner has one at a time, wherever it is opened from', async () => {
  await watch(owner);
  const simulated = await owner.who();
  const other = await openBrowser(service);
  await other.signIn();
  expect((await other.post('/simulation')).status).toBe(204);
  expect(await other.who()).toBe(simulated);
  // a simulation has none of its own
  expectProblem(await other.post('/simulation'), 404, 'not_found');
  expect((await other.delete('/simulation')).status).toBe(204);
  expect(await other.who()).toBe(OWNER.email);
  // where it was removed meanwhile, the owner's session goes on
  expect(await owner.who()).toBe(OWNER.email);
});

test('only simulations are removed', async () => {
  expectProblem(await owner.delete('/simulation'), 404, 'not_found');
  expect(await owner.who()).toBe(OWNER.email);
});

test('signing out of one signs out of the own account, too', async () => {
  const other = await openBrowser(service);
  await other.signIn();
  await watch(other);
  await other.ask('DELETE', '/session');
  expect(await other.who()).toBeNull();
  // the simulation goes on until it is removed
  expect((await owner.post('/simulation')).status).toBe(204);
  expect((await owner.delete('/simulation')).status).toBe(204);
});

test('is removed when the service starts again after a crash, and when it stops', async () => {
  await expectSoon(async () => (await countRows()).simulations, undefined);
  const before = await countRows();
  await watch(owner);
  await service.kill();
  service = await startService(folder.env);
  if (ENGINE === 'sqlite') await expectSoon(async () => (await countRows()).simulations, undefined);
  const browser = await openBrowser(service);
  await browser.signIn();
  // with Redis, another process might still run it
  if (ENGINE === 'postgres') {
    await browser.post('/simulation');
    expect((await browser.delete('/simulation')).status).toBe(204);
  }
  await watch(browser);
  expect(await service.stop()).toBe(0);
  service = await startService(folder.env);
  await expectSoon(async () => ({ ...(await countRows()), sessions: 0 }), { ...before, sessions: 0 });
});

test('only as many run as SIMULATIONS says', async () => {
  await service.stop();
  service = await startService({ ...folder.env, SIMULATIONS: '0' });
  const browser = await openBrowser(service);
  await browser.signIn();
  expect((await browser.get<State>('/simulation')).body.is_available).toBe(false);
  expectProblem(await browser.post('/simulation'), 404, 'not_found');
});
