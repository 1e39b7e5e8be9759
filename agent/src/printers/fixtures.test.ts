import {
  bambuAgent,
  type InProcessAgent,
  moonrakerAgent,
  octoPrintAgent,
  POLL_MS,
  prusaLinkAgent,
  SETTLE_MS,
} from '../../../test/kit/agent-in-process.ts';
import { type Case, comparable, expectedOf, readCases, stepsOf } from '../../../test/kit/printer-cases.ts';
import type { Report } from '../report.ts';
import type { Print } from './bambu/bambu-print.ts';
import type { Job } from './moonraker/moonraker-state.ts';
import type { Message } from './octoprint/octoprint-session.ts';
import type { Current, LastPrint } from './octoprint/octoprint-state.ts';
import type { JobInfo, Status } from './prusalink/prusalink-state.ts';

// What printers really send (test/fixtures/printers), played to the agent's sessions with a stepped clock.

const STEP_MS = 1_000;
/** Longer than a failure waits for its code. */
const LONG_MS = 6 * SETTLE_MS;

beforeEach(() => {
  jest.useFakeTimers({ now: 1_790_000_000_000 });
});
afterEach(() => {
  jest.useRealTimers();
});

interface Link {
  down?: true;
  up?: true;
  kill?: true;
  settle?: true;
}

/** Plays the steps that all printers have, and `apply` for all else. */
async function play<Step extends Link, Message>(
  agent: InProcessAgent<Message>,
  steps: Step[],
  apply: (step: Step, isUp: boolean) => Promise<void> | void,
): Promise<Report[]> {
  let isUp = true;
  await agent.connect();
  for (const step of steps) {
    await jest.advanceTimersByTimeAsync(step.settle ? LONG_MS : STEP_MS);
    if (step.down) {
      isUp = false;
      agent.disconnect();
    } else if (step.up) {
      isUp = true;
      await agent.connect();
    } else if (step.kill) {
      agent.restart();
      if (isUp) await agent.connect();
    } else if (!step.settle) {
      await apply(step, isUp);
    }
  }
  await jest.advanceTimersByTimeAsync(LONG_MS);
  return agent.reports;
}

const IDLE: Print = {
  ...{ gcode_state: 'IDLE', gcode_file: '', subtask_name: '', task_id: '0', subtask_id: '0' },
  ...{ print_error: 0, mc_percent: 0, mc_remaining_time: 0 },
};

function playBambu(one: Case): Promise<Report[]> {
  const full = { ...IDLE };
  const agent = bambuAgent({ full: () => full });
  return play(agent, stepsOf<Link & { send?: Print; set?: Print }>(one, Date.now()), async ({ send, set }, isUp) => {
    Object.assign(full, send ?? set);
    if (send && isUp) await agent.receive(send);
  });
}

function playMoonraker(one: Case): Promise<Report[]> {
  let jobs: Job[] = [];
  const agent = moonrakerAgent({ history: () => jobs, offset: () => 0 });
  type Step = Link & { notify?: { job: Job | null }; history?: Job[] };
  return play(agent, stepsOf<Step>(one, Date.now()), async ({ notify, history }, isUp) => {
    jobs = history ?? jobs;
    if (notify?.job && isUp) await agent.receive(notify.job);
  });
}

const shown = (current: Current): Current => ({ serverTime: Date.now() / 1000, ...current });

function playOctoPrint(one: Case): Promise<Report[]> {
  let current: Current = {
    state: { text: 'Operational', flags: { operational: true, ready: true } },
    job: { file: { name: null, path: null, origin: null }, filament: null },
    progress: { completion: null, printTime: null, printTimeLeft: null },
  };
  const records = new Map<string, LastPrint>();
  const agent = octoPrintAgent({
    greeting: () => ({ history: shown(current) }),
    record: (path) => records.get(path) ?? null,
  });
  type Step = Link & Message & { record?: { path: string; success: boolean; at?: number } };
  return play(agent, stepsOf<Step>(one, Date.now()), async ({ current: next, event, record }, isUp) => {
    if (record) records.set(record.path, { success: record.success, at: Date.now() + (record.at ?? 0) * 1000 });
    if (next) current = { ...current, ...next };
    if (isUp && next) await agent.receive({ current: shown(next) });
    if (isUp && event) await agent.receive({ event });
  });
}

function playPrusaLink(one: Case): Promise<Report[]> {
  let status: Status = { printer: { state: 'IDLE' } };
  let job: JobInfo | null = null;
  const agent = prusaLinkAgent({ status: () => status, job: () => job });
  type Step = Link & { status?: Status; job?: JobInfo | null; polls?: number };
  return play(agent, stepsOf<Step>(one, Date.now()), async (step, isUp) => {
    status = step.status ?? status;
    job = step.job === undefined ? job : step.job;
    for (let i = 0; isUp && i < (step.polls ?? 2); i++) {
      await jest.advanceTimersByTimeAsync(POLL_MS);
      await agent.receive('poll');
    }
  }).then(async () => {
    await agent.receive('poll');
    await agent.receive('poll');
    return agent.reports;
  });
}

describe.each<[string, (one: Case) => Promise<Report[]>]>([
  ['bambu', playBambu],
  ['moonraker', playMoonraker],
  ['octoprint', playOctoPrint],
  ['prusalink', playPrusaLink],
])('%s', (protocol, playCase) => {
  test.each(readCases(protocol).map((one) => [one.name, one] as const))('%s', async (_name, one) => {
    expect(comparable(await playCase(one), one)).toEqual(expectedOf(one));
  });
});
