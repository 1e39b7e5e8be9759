import { type AgentProcess, spawnAgent } from '../agent-process.ts';
import type { FastClock } from '../fast-clock.ts';
import type { World } from './model.ts';

/** A message that was sent this long before the connection broke has arrived, also on a busy machine. */
const LAG_MS = 2_500;

/** A real agent that is killed at any moment, and started again. */
export function createMortalAgent(file: string, clock: FastClock, random: World['random']) {
  const start = () => spawnAgent(file, clock.env);
  let agent: AgentProcess = start();
  let isDead = false;
  const onKilled: (() => void)[] = [];
  return {
    /** in the log of this process */
    count: (text: string) => (isDead ? 0 : agent.count(text)),
    log: () => agent.log,
    onKilled: (callback: () => void) => onKilled.push(callback),
    async kill(): Promise<void> {
      isDead = true;
      const killed = agent.kill();
      for (const callback of onKilled) callback();
      await killed;
      await clock.sleep(random.between(0, 10_000));
      agent = start();
      isDead = false;
    },
    end: () => agent.kill(),
  };
}

export type MortalAgent = ReturnType<typeof createMortalAgent>;

/** A printer of a mortal agent, whose connection also breaks by itself. */
export function createRealWorld(deps: {
  random: World['random'];
  /** the printer's name in the agent's config */
  name: string;
  agent: MortalAgent;
  clock: FastClock;
  gate: { up(): Promise<void>; down(): Promise<void> };
}) {
  const { random, name, agent, clock, gate } = deps;
  const onBreak: (() => void)[] = [];
  let isOpen = true;
  let isConnected = false;
  let isCalm = false;
  let connections = 0;
  /** how often this process of the agent must have connected */
  let needed = 1;
  const history: string[] = [];
  const note = (what: string) => void history.push(`${Math.round(clock.elapsed() / 1000)} s: ${what}`);

  function broke(why: string): void {
    note(why);
    isConnected = false;
    for (const callback of onBreak) callback();
  }
  agent.onKilled(() => {
    needed = 1;
    broke('the agent was killed');
  });

  /** Sees that the agent has connected. */
  function look(): void {
    if (isConnected || !isOpen || agent.count(`${name}: connected`) < needed) return;
    isConnected = true;
    connections += 1;
    note('connected');
  }

  async function cut(): Promise<void> {
    needed = agent.count(`${name}: connected`) + 1;
    isOpen = false;
    isConnected = false;
    await gate.down();
    broke('the connection was cut');
  }

  async function waitUntil(what: string, isDone: () => boolean): Promise<void> {
    for (let i = 0; !isDone(); i++) {
      if (i > 12_000) throw new Error(`${name} does not ${what}:\n${agent.log().slice(-20).join('\n')}`);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }

  async function connect(): Promise<void> {
    if (!isOpen) {
      // a cut between two polls would go unnoticed, and the agent would not connect again
      const hasNoticed = () => agent.count(`${name}: connection lost`) === agent.count(`${name}: connected`);
      await waitUntil('notice the cut', hasNoticed);
      await gate.up();
    }
    isOpen = true;
    await waitUntil('connect', () => {
      look();
      return isConnected;
    });
  }

  /** Mostly nothing. */
  async function disturb(): Promise<void> {
    if (isCalm) return;
    const choice = random.between(0, 29);
    if (!isOpen) return choice < 12 ? connect() : undefined;
    look();
    if (choice === 0 && isConnected) await cut();
  }

  const world: World = {
    random,
    async wait(seconds) {
      const first = random.between(0, seconds);
      await clock.sleep(first * 1000);
      await disturb();
      await clock.sleep((seconds - first) * 1000);
      look();
    },
    isConnected: () => isConnected,
    async reconnect() {
      if (!isOpen) return;
      // the agent may have connected just now
      await connect();
      await cut();
      await connect();
    },
    connections: () => connections,
    now: clock.now,
    lagMs: LAG_MS * clock.usualSpeed,
    onBreak: (callback) => void onBreak.push(callback),
  };

  return {
    world,
    /** What happened to the connection, and what `note` was told. */
    history,
    note,
    connect,
    /** From now on, the agent stays connected. */
    async calm(): Promise<void> {
      isCalm = true;
      await connect();
    },
  };
}
