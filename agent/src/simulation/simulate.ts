import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '../../../common/src/clock.ts';
import { createLogger } from '../../../common/src/logger.ts';
import type { SimulationInput, SimulationMessage } from '../../../common/src/simulation.ts';
import { startAgent } from '../agent.ts';
import { readAgentConfig } from '../config.ts';
import { type Day, runDay } from './day/day.ts';
import { createFarmClient } from './day/farm-client.ts';
import { describeHistory, readHistory } from './day/history.ts';
import { type OpenedFarm, openFarm } from './day/open-farm.ts';
import { planDay } from './day/plan.ts';
import { startBambu } from './printers/bambu.ts';
import { startMoonraker } from './printers/moonraker.ts';
import { startOctoPrint } from './printers/octoprint.ts';
import { startPrusaLink } from './printers/prusalink.ts';
import type { SimulatedPrinter } from './printers/simulated-printer.ts';

/** 600 minutes of the day in three minutes. */
const MINUTE_MS = 300;
const PAGE_MS = 250;
const CONNECT_WITHIN_MS = 20_000;

/** Quick enough that a report arrives while people watch. */
const TIMING = { poll_seconds: 0.25, retry_seconds: 0.2, max_retry_seconds: 2, settle_seconds: 0.4 };

const startPrinters = (): Promise<SimulatedPrinter[]> =>
  Promise.all([startMoonraker(), startOctoPrint({ tickMs: 1000 }), startPrusaLink(), startBambu()]);

/** Starts the agent as beside real printers. @returns stops it */
async function startAgentFor(farm: OpenedFarm, devices: SimulatedPrinter[], server: string, folder: string) {
  const config = {
    server,
    token: farm.agentToken,
    state: join(folder, 'agent-state'),
    log_level: 'silent',
    timing: TIMING,
    printers: farm.printers.map(({ id, name }, i) => ({ ...devices[i]?.config, name, printer_id: id })),
  };
  const stop = await startAgent({
    config: readAgentConfig(join(folder, 'agent.json'), () => JSON.stringify(config)),
    log: createLogger(config.log_level),
    clock: systemClock,
    onLost: () => process.exit(1),
  });
  const lateAt = performance.now() + CONNECT_WITHIN_MS;
  while (devices.some((device) => device.clients() === 0) && performance.now() < lateAt) {
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return stop;
}

/** Tells the newest state, but not more often than a page shows it. */
function throttle(tell: (message: SimulationMessage) => void): Day['show'] {
  let toldAt = Number.NEGATIVE_INFINITY;
  return (state) => {
    if (performance.now() - toldAt < PAGE_MS) return;
    toldAt = performance.now();
    tell({ kind: 'state', state });
  };
}

/**
 * Runs the day of a farm with four simulated printers, from an empty account: the real agent watches the printers, and
 * everything else goes through the server's HTTP APIs.
 */
export async function simulate(
  { server, cookie, seed, speed, language }: SimulationInput,
  tell: (message: SimulationMessage) => void,
  signal: AbortSignal,
): Promise<void> {
  const client = createFarmClient(server, cookie);
  const folder = await mkdtemp(join(tmpdir(), 'farmboard-simulation-'));
  const devices = await startPrinters();
  let stopAgent = async () => {};
  try {
    const farm = await openFarm(client, language);
    stopAgent = await startAgentFor(farm, devices, server, folder);
    const say: Day['say'] = (minute, text) => tell({ kind: 'line', minute, text });
    const day = { client, farm, devices, plan: planDay(seed), language, say, show: throttle(tell) };
    await runDay(day, { minuteMs: MINUTE_MS / speed, signal });
    if (!signal.aborted) tell({ kind: 'summary', lines: describeHistory(await readHistory(client)) });
  } finally {
    await stopAgent();
    await Promise.all(devices.map((device) => device.stop()));
    await rm(folder, { recursive: true, force: true });
  }
}
