import { serveMoonraker } from '../../agent/src/simulation/printers/moonraker.ts';
import { serveOctoPrint } from '../../agent/src/simulation/printers/octoprint.ts';
import { servePrusaLink } from '../../agent/src/simulation/printers/prusalink.ts';
import { type AgentProcess, createAgentFolder, PATIENT, spawnAgent } from '../kit/agent-process.ts';
import { eventually } from '../kit/eventually.ts';
import { serveBambus } from '../kit/fake-bambu.ts';
import { type Farm, startFarm } from '../kit/farm.ts';
import { createFastClock } from '../kit/fast-clock.ts';
import {
  type Case,
  comparable,
  expectedOf,
  readCases,
  type Step,
  stageBambu,
  stageMoonraker,
  stageOctoPrint,
  stagePrusaLink,
  stepsOf,
} from '../kit/printer-cases.ts';
import { type Served, serveEach } from '../kit/serve-each.ts';

// What printers really send (test/fixtures/printers), sent over the network to real agents, whose reports the real
// service stores. Time passes faster for the agents.

const clock = createFastClock(3);
const STEP_MS = 2_000;
/** For a message to arrive before the connection breaks, also on a busy machine; shorter than the settling time. */
const ARRIVAL_MS = 6_000;
/** Longer than a failure waits for its code. */
const LONG_MS = 45_000;
/** Dozens of printers connect at once. */
const PATIENCE_MS = 600_000;
/** Between the beginnings of two cases. */
const STAGGER_MS = 300;
const TIMING = { ...PATIENT, poll_seconds: 3, settle_seconds: 20 };

/** The software of a printer, which plays a case. */
interface Software {
  config: Record<string, unknown>;
  gate: { up(): Promise<void>; down(): Promise<void> };
  apply(step: never, isUp: boolean): Promise<void>;
}

type Start = (cases: readonly Case[]) => Promise<Served<Software>>;

const PROTOCOLS: [string, Start][] = [
  ['bambu', startBambus],
  ['moonraker', serveEach(startMoonraker)],
  ['octoprint', serveEach(startOctoPrint)],
  ['prusalink', serveEach(startPrusaLink)],
];

async function startBambus(cases: readonly Case[]) {
  const stages = cases.map((_, i) =>
    stageBambu((print) => (served.printers[i] as (typeof served.printers)[number]).send(print)),
  );
  const served = await serveBambus(stages.map(({ full }) => full));
  return { all: served.printers.map((one, i) => ({ ...one, apply: stages[i]?.apply as never })), stop: served.stop };
}

async function startMoonraker() {
  const { history, apply } = stageMoonraker(async (job) => host.notify('finished', job));
  const host = await serveMoonraker(history);
  return { ...host, apply };
}

async function startOctoPrint() {
  const { current, record, apply } = stageOctoPrint(clock.now, async (message) => host.broadcast(message));
  const host = await serveOctoPrint({ state: current, lastPrintOf: record });
  return { ...host, apply };
}

async function startPrusaLink() {
  const { status, job, apply } = stagePrusaLink(async (times) => {
    const before = host.polls();
    await eventually(host.polls, (polls) => polls >= before + times);
  });
  const host = await servePrusaLink({ status, job });
  return { ...host, apply };
}

let farm: Farm;
/** by protocol */
const played = new Map<string, ReturnType<typeof playAll>>();
const running: AgentProcess[] = [];
const closing: (() => Promise<void> | void)[] = [];

beforeAll(async () => {
  farm = await startFarm();
  await farm.console();
  // side by side, because most of the time is waiting
  for (const [protocol, start] of PROTOCOLS) {
    const playing = playAll(protocol, start);
    // told to its own test
    playing.catch(() => undefined);
    played.set(protocol, playing);
  }
});
afterAll(async () => {
  for (const agent of running) await agent.kill();
  for (const close of closing) await close();
  await farm.close();
});

/** Starts an agent for these printers. @returns what restarts it, and what waits for a printer to connect or be lost */
async function startAgent(printers: Record<string, unknown>[], token: string) {
  const files = createAgentFolder({ server: farm.origin, token, timing: TIMING, printers });
  closing.push(files.remove);
  const spawn = () => {
    const started = spawnAgent(files.file, clock.env);
    running.push(started);
    return started;
  };
  let agent = spawn();
  const logged = (text: string, times: number) =>
    eventually(
      () => agent.count(text),
      (count) => count >= times,
      PATIENCE_MS,
    );
  return {
    connected: (name: string, times: number) => logged(`${name}: connected`, times),
    lost: (name: string, times: number) => logged(`${name}: connection lost`, times),
    async restart() {
      await agent.kill();
      agent = spawn();
    },
  };
}

type Agent = Awaited<ReturnType<typeof startAgent>>;

const waitBefore = ({ settle, down, kill }: Step) => (settle ? LONG_MS : down || kill ? ARRIVAL_MS : STEP_MS);

async function play(one: Case, name: string, software: Software, agent: Agent): Promise<void> {
  let isUp = true;
  let connections = 1;
  for (const step of stepsOf<Step>(one, clock.now())) {
    await clock.sleep(waitBefore(step));
    if (step.down) {
      isUp = false;
      await software.gate.down();
    } else if (step.up) {
      isUp = true;
      // a cut between two polls would go unnoticed, and the agent would not connect again
      await agent.lost(name, connections);
      await software.gate.up();
      await agent.connected(name, ++connections);
    } else if (step.kill) {
      connections = 0;
      await agent.restart();
      if (isUp) await agent.connected(name, ++connections);
    } else if (!step.settle) {
      await software.apply(step as never, isUp);
    }
  }
  await clock.sleep(LONG_MS);
}

/** The reports of a printer in the order in which they arrived, as soon as there are enough. */
async function readReports(printerId: string, { expected }: Case) {
  const read = () =>
    farm.inspector.rows<{ filename: string; outcome: string; grams_mg: number | null; reason: string | null }>(
      'SELECT filename, outcome, grams_mg, reason FROM print_reports WHERE printer_id = ? ORDER BY seq',
      [printerId],
    );
  const rows = await eventually(read, ({ length }) => length >= expected.length).catch(read);
  return rows.map(({ grams_mg, reason, ...one }) => ({
    ...one,
    grams: grams_mg === null ? undefined : grams_mg / 1000,
    reason: reason ?? undefined,
  }));
}

/** Plays all cases of a protocol at once. @returns the reports of each */
async function playAll(protocol: string, start: Start) {
  const cases = readCases(protocol);
  const owner = await farm.console();
  const group = (await owner.post<{ id: string }>('/printer-groups', { name: protocol })).body.id;
  const { token } = await farm.agent({ printer_group_id: group });
  const { all, stop } = await start(cases);
  closing.push(stop);
  const printers = await Promise.all(
    cases.map(async (_, i) => {
      const { id, name } = await farm.printer({ name: `${protocol} ${i}`, group_id: group });
      return { ...all[i]?.config, name, printer_id: id };
    }),
  );
  // an agent that is killed has one printer only
  const isKilled = cases.map(({ steps }) => steps.some(({ kill }) => kill));
  const shared = await startAgent(
    printers.filter((_, i) => !isKilled[i]),
    token,
  );
  const agents = await Promise.all(printers.map((one, i) => (isKilled[i] ? startAgent([one], token) : shared)));
  await Promise.all(printers.map(({ name }, i) => agents[i]?.connected(name, 1)));
  await Promise.all(
    cases.map(async (one, i) => {
      await clock.sleep(i * STAGGER_MS);
      await play(one, printers[i]?.name ?? '', all[i] as Software, agents[i] as Agent);
    }),
  );
  const told = await Promise.all(printers.map(({ printer_id }, i) => readReports(printer_id, cases[i] as Case)));
  return cases.map((one, i) => [one.name, comparable(told[i] ?? [], one)]);
}

test.each(PROTOCOLS.map(([protocol]) => protocol))(
  '%s: every case is reported as expected by the real agent',
  async (protocol) => {
    expect(await played.get(protocol)).toEqual(readCases(protocol).map((one) => [one.name, expectedOf(one)]));
  },
);
