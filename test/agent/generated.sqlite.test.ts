import type { Print } from '../../agent/src/printers/bambu/bambu-print.ts';
import type { PrintOutcome } from '../../agent/src/report.ts';
import { serveMoonraker } from '../../agent/src/simulation/printers/moonraker.ts';
import { serveOctoPrint } from '../../agent/src/simulation/printers/octoprint.ts';
import { servePrusaLink } from '../../agent/src/simulation/printers/prusalink.ts';
import { createAgentFolder, PATIENT } from '../kit/agent-process.ts';
import { PASSWORD } from '../kit/console-client.ts';
import { eventually } from '../kit/eventually.ts';
import { serveBambus } from '../kit/fake-bambu.ts';
import { startFarm } from '../kit/farm.ts';
import { createFastClock } from '../kit/fast-clock.ts';
import { IS_LONG, times } from '../kit/length.ts';
import { createBambuModel } from '../kit/models/bambu-model.ts';
import { findFaults, type Model, type World } from '../kit/models/model.ts';
import { createMoonrakerModel } from '../kit/models/moonraker-model.ts';
import { createOctoPrintModel } from '../kit/models/octoprint-model.ts';
import { createPrusaLinkModel } from '../kit/models/prusalink-model.ts';
import { createMortalAgent, createRealWorld, type MortalAgent } from '../kit/models/real-world.ts';
import { forSuite } from '../kit/opened.ts';
import { createRandom, seedFrom } from '../kit/random.ts';
import { type Served, serveEach } from '../kit/serve-each.ts';

// Random days of printers, as in agent/src/printers/generated.test.ts, on the real agent and the real service: the
// connections break, and the agents are killed at any moment. Time passes faster for the agents.

const PRINTERS = times(8, 40);
const ROUNDS = times(1, 25);
const ACTIONS = 8;
/** Orders of a printer, each with prints whose file names have its label. */
const ORDERS = 8;
const ONLY = process.env.PRINTERS_PROTOCOL;
/** The same days in each run; others at night. */
const seed = IS_LONG ? seedFrom('PRINTERS_SEED') : Number(process.env.PRINTERS_SEED ?? 1);
const clock = createFastClock(15);

const TIMING = { ...PATIENT, poll_seconds: 5, settle_seconds: 3 };
const RULES = { on_finished: 'packing', on_failed: 'print_error', on_cancelled: 'assigned' } as const;

interface Printer {
  id: string;
  name: string;
  random: World['random'];
  nameOf: (print: number) => string;
  orders: string[];
  /** the order it prints whose prints have no label */
  unlabelled: string;
}

/** The software of a printer. Its model is created with its world, once the agent runs. */
interface Software {
  config: Record<string, unknown>;
  gate: { up(): Promise<void>; down(): Promise<void> };
  /** @param note keeps what is sent, in case of a fault */
  model(world: World, note: (sent: string) => void): Model;
}

/** Starts the software of several printers. @returns it, and what stops it all */
type Start = (printers: Printer[]) => Promise<Served<Software>>;

const PROTOCOLS: Record<string, Start> = {
  async Bambu(printers) {
    const models: ReturnType<typeof createBambuModel>[] = [];
    const served = await serveBambus(printers.map((_, i) => () => (models[i] as { full: Print }).full));
    const all = served.printers.map(({ config, gate, send }, i) => ({
      config,
      gate,
      model(world: World, note: (sent: string) => void) {
        const { nameOf } = printers[i] as Printer;
        const model = createBambuModel(world, nameOf, (print) => {
          note(JSON.stringify(print));
          return send(print);
        });
        models[i] = model;
        return model;
      },
    }));
    return { all, stop: served.stop };
  },
  Moonraker: serveEach(async ({ nameOf }: Printer) => {
    let model: ReturnType<typeof createMoonrakerModel> | undefined;
    const host = await serveMoonraker(() => model?.history() ?? []);
    return {
      ...host,
      model(world: World, note: (sent: string) => void) {
        model = createMoonrakerModel(world, nameOf, async (job) => {
          note(JSON.stringify(job));
          host.notify(job.status === 'in_progress' ? 'added' : 'finished', job);
        });
        return model;
      },
    };
  }),
  OctoPrint: serveEach(async ({ nameOf }: Printer) => {
    let model: ReturnType<typeof createOctoPrintModel> | undefined;
    const host = await serveOctoPrint({
      state: () => model?.greeting().history ?? {},
      lastPrintOf: (path) => model?.record(path) ?? null,
    });
    return {
      ...host,
      model(world: World, note: (sent: string) => void) {
        model = createOctoPrintModel(world, nameOf, async (message) => {
          note(JSON.stringify(message));
          host.broadcast(message);
        });
        return model;
      },
    };
  }),
  PrusaLink: serveEach(async ({ nameOf }: Printer) => {
    let model: ReturnType<typeof createPrusaLinkModel> | undefined;
    const host = await servePrusaLink({ status: () => model?.status() ?? {}, job: () => model?.job() ?? null });
    return {
      ...host,
      model(world: World, note: (sent: string) => void) {
        /** The agent asks by itself; the second answer shows that it has read the first one. */
        async function asked(): Promise<void> {
          const wanted = host.polls() + 2;
          const connection = world.connections();
          const isOn = () => world.isConnected() && world.connections() === connection;
          while (isOn() && host.polls() < wanted) await clock.sleep(500);
          note(JSON.stringify([model?.status(), model?.job()]));
        }
        model = createPrusaLinkModel(world, nameOf, asked);
        return model;
      },
    };
  }),
};

const farm = forSuite(startFarm);
beforeAll(async () => {
  // signed in once, before the protocols begin side by side
  await farm.console();
});

async function createPrinter(name: string, groupId: string, random: World['random']): Promise<Printer> {
  const { id } = await farm.printer({ name, group_id: groupId });
  expect((await (await farm.console()).put(`/printers/${id}/rules`, RULES)).status).toBe(200);
  const orders = await farm.orders(ORDERS);
  // what a print without a label would move
  const { id: unlabelled } = await farm.order({ printer_id: id });
  await farm.setStatus(unlabelled, 'printing');
  const nameOf = (print: number) => `ORDER---${orders[(print - 1) % ORDERS]}_${print}`;
  return { id, name, random, nameOf, orders, unlabelled };
}

/** Where the reports of an order's prints leave it. */
function statusAfter(reports: readonly StoredReport[]): string {
  let status = 'negotiation';
  for (const { outcome } of reports) if (status !== 'packing') status = RULES[`on_${outcome}`];
  return status;
}

async function findWrongMoves({ orders, nameOf, unlabelled }: Printer, reports: readonly StoredReport[]) {
  const expected = orders.map((_, i) => {
    const label = nameOf(i + 1).split('_')[0] as string;
    return statusAfter(reports.filter(({ filename }) => filename.startsWith(label)));
  });
  const other = reports.find(({ filename }) => !filename.startsWith('ORDER'));
  expected.push(other ? RULES[`on_${other.outcome}`] : 'printing');
  const found = await Promise.all(
    [...orders, unlabelled].map(async (id) => (await farm.readOrder(id)).workflow_status),
  );
  return found.flatMap((status, i) =>
    status === expected[i] ? [] : [`an order is ${status} instead of ${expected[i]}`],
  );
}

interface StoredReport {
  filename: string;
  outcome: PrintOutcome;
  reason?: string;
}

const readReports = (printer: Printer) =>
  farm.inspector.rows<StoredReport>(
    'SELECT filename, outcome, reason FROM print_reports WHERE printer_id = ? ORDER BY seq',
    [printer.id],
  );

interface Faults {
  printer: string;
  found: string[];
  /** what the printer sent, and what happened to its connection */
  history: string[] | undefined;
}

/** Kills the agent now and then until `work` is done. */
async function killDuring(agent: MortalAgent, random: World['random'], work: Promise<unknown>): Promise<void> {
  let isDone = false;
  const done = work.finally(() => {
    isDone = true;
  });
  while (!isDone) {
    await Promise.race([done, clock.sleep(random.between(100_000, 300_000))]);
    if (!isDone) await agent.kill();
  }
  await done;
}

async function play(protocol: string, start: Start, firstSeed: number): Promise<Faults[]> {
  const random = createRandom(firstSeed);
  const owner = await farm.console();
  // the rounds outlast the time for which signing in counts
  await owner.post('/password-check', { password: PASSWORD });
  const group = await owner.post<{ id: string }>('/printer-groups', { name: protocol });
  const { token } = await farm.agent({ printer_group_id: group.body.id });
  const printers: Printer[] = [];
  for (let own = firstSeed; own < firstSeed + PRINTERS; own++) {
    printers.push(await createPrinter(`${protocol} ${own}`, group.body.id, createRandom(own)));
  }
  const software = await start(printers);
  const config = printers.map(({ id, name }, i) => ({ ...software.all[i]?.config, name, printer_id: id }));
  const files = createAgentFolder({ server: farm.origin, token, timing: TIMING, printers: config });
  const agent = createMortalAgent(files.file, clock, random);
  try {
    const worlds = printers.map(({ name, random: own }, i) =>
      createRealWorld({ random: own, name, agent, clock, gate: (software.all[i] as Software).gate }),
    );
    const models = worlds.map(({ world }, i) =>
      (software.all[i] as Software).model(world, worlds[i]?.note ?? (() => undefined)),
    );
    await Promise.all(worlds.map((one) => one.connect()));
    const days = models.map(async (model) => {
      for (let i = 0; i < ACTIONS; i++) await model.act();
    });
    await killDuring(agent, random, Promise.all(days));
    await Promise.all(
      models.map(async (model, i) => {
        await worlds[i]?.calm();
        await model.finish();
      }),
    );
    const findWrongReports = async () => {
      const found = printers.map(async (one, i) => findFaults((models[i] as Model).truths, await readReports(one)));
      return (await Promise.all(found)).flat();
    };
    // the last reports are on their way; those that do not arrive are found below
    await eventually(findWrongReports, ({ length }) => length === 0).catch(() => undefined);
    // a second report of a print would arrive now
    await clock.sleep(60_000);
    const faults: Faults[] = [];
    let known = 0;
    let prints = 0;
    for (const [i, printer] of printers.entries()) {
      const { truths } = models[i] as Model;
      const reports = await readReports(printer);
      prints += truths.length;
      known += truths.filter(({ mayBeUnsaid, mayBeUnknown }) => !mayBeUnsaid && !mayBeUnknown).length;
      const found = [...findFaults(truths, reports), ...(await findWrongMoves(printer, reports))];
      if (found.length > 0) faults.push({ printer: printer.name, found, history: worlds[i]?.history });
    }
    // enough of them can have ended in one way only
    expect(known).toBeGreaterThan(prints / 10);
    return faults;
  } finally {
    await agent.end();
    await software.stop();
    files.remove();
  }
}

test(`${PRINTERS} printers a protocol, ${ROUNDS} times (seed ${seed}): each print is reported once, as it ended, and moves its order only`, async () => {
  const protocols = Object.entries(PROTOCOLS).filter(([name]) => ONLY === undefined || name === ONLY);
  const faults: Faults[] = [];
  for (let round = 0; round < ROUNDS && faults.length === 0; round++) {
    const first = seed + round * PRINTERS;
    const found = await Promise.all(protocols.map(([name, start]) => play(name, start, first)));
    faults.push(...found.flat());
  }
  expect(faults).toEqual([]);
});
