import {
  bambuAgent,
  type InProcessAgent,
  moonrakerAgent,
  octoPrintAgent,
  prusaLinkAgent,
} from '../../../test/kit/agent-in-process.ts';
import { IS_LONG, times } from '../../../test/kit/length.ts';
import { createBambuModel } from '../../../test/kit/models/bambu-model.ts';
import { findFaults, type Model, type World } from '../../../test/kit/models/model.ts';
import { createMoonrakerModel } from '../../../test/kit/models/moonraker-model.ts';
import { createOctoPrintModel } from '../../../test/kit/models/octoprint-model.ts';
import { createPrusaLinkModel } from '../../../test/kit/models/prusalink-model.ts';
import { createRandom, seedFrom } from '../../../test/kit/random.ts';

// Random days of printers whose connection breaks and whose agent is killed, against what the printer really did.

const SEQUENCES = times(300, 50_000);
const ACTIONS = 12;
const ONLY = process.env.PRINTERS_PROTOCOL;
/** The same days in each run; others at night. */
const seed = IS_LONG ? seedFrom('PRINTERS_SEED') : Number(process.env.PRINTERS_SEED ?? 1);

beforeEach(() => {
  jest.useFakeTimers({ now: 1_790_000_000_000 });
});
afterEach(() => {
  jest.useRealTimers();
});

/** A world with a stepped clock, in which the connection breaks and the agent is killed at random waits. */
function createWorld<Message>(random: World['random'], agent: () => InProcessAgent<Message>) {
  let isConnected = false;
  let connections = 0;
  let isCalm = false;

  async function connect(): Promise<void> {
    isConnected = true;
    connections += 1;
    await agent().connect();
  }

  /** Mostly nothing. */
  async function disturb(): Promise<void> {
    if (isCalm) return;
    const choice = random.between(0, 29);
    if (!isConnected) return choice < 12 ? connect() : undefined;
    if (choice === 0) {
      isConnected = false;
      agent().disconnect();
    } else if (choice === 1) {
      isConnected = false;
      agent().restart();
    } else if (choice === 2) {
      agent().restart();
      await connect();
    }
  }

  const world: World = {
    random,
    async wait(seconds) {
      const first = random.between(0, seconds);
      await jest.advanceTimersByTimeAsync(first * 1000);
      await disturb();
      await jest.advanceTimersByTimeAsync((seconds - first) * 1000);
    },
    isConnected: () => isConnected,
    reconnect: async () => (isConnected ? connect() : undefined),
    connections: () => connections,
    now: () => Date.now(),
    lagMs: 0,
    onBreak: () => undefined,
  };
  /** From now on, the agent stays connected. */
  async function calm(): Promise<void> {
    isCalm = true;
    await connect();
  }
  return { world, connect, calm };
}

/** Plays one random sequence. @returns what is wrong with its reports */
async function play<Message>(
  ownSeed: number,
  create: (world: World, agent: () => InProcessAgent<Message>) => { model: Model; agent: InProcessAgent<Message> },
): Promise<string[]> {
  const random = createRandom(ownSeed);
  let own: { model: Model; agent: InProcessAgent<Message> } | undefined;
  const { world, connect, calm } = createWorld(random, () => (own as { agent: InProcessAgent<Message> }).agent);
  own = create(world, () => (own as { agent: InProcessAgent<Message> }).agent);
  await connect();
  for (let i = 0; i < ACTIONS; i++) await own.model.act();
  await calm();
  await own.model.finish();
  await jest.advanceTimersByTimeAsync(60_000);
  return findFaults(own.model.truths, own.agent.reports);
}

const nameOf = (print: number) => `part-${print}`;

const PROTOCOLS: Record<string, (ownSeed: number) => Promise<string[]>> = {
  Bambu: (ownSeed) =>
    play(ownSeed, (world, agent) => {
      const model = createBambuModel(world, nameOf, (print) => agent().receive(structuredClone(print)));
      return { model, agent: bambuAgent({ full: () => model.full }) };
    }),
  Moonraker: (ownSeed) =>
    play(ownSeed, (world, agent) => {
      const model = createMoonrakerModel(world, nameOf, (job) => agent().receive(job));
      return { model, agent: moonrakerAgent(model) };
    }),
  OctoPrint: (ownSeed) =>
    play(ownSeed, (world, agent) => {
      const model = createOctoPrintModel(world, nameOf, (message) => agent().receive(structuredClone(message)));
      return { model, agent: octoPrintAgent(model) };
    }),
  PrusaLink: (ownSeed) =>
    play(ownSeed, (world, agent) => {
      const model = createPrusaLinkModel(world, nameOf, () => agent().receive('poll'));
      return { model, agent: prusaLinkAgent(model) };
    }),
};

test.each(Object.entries(PROTOCOLS).filter(([name]) => ONLY === undefined || name === ONLY))(
  `%s: ${SEQUENCES} random sequences (seed ${seed}) report each print once, as it ended`,
  async (_name, playOne) => {
    const faults: string[] = [];
    for (let i = 0; i < SEQUENCES && faults.length < 5; i++) {
      const found = await playOne(seed + i);
      if (found.length > 0) faults.push(`seed ${seed + i}: ${found.join('; ')}`);
    }
    expect(faults).toEqual([]);
  },
  // a sequence takes 5 ms, and far more beside other suites
  60_000 + SEQUENCES * 200,
);
