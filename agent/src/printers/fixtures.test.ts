import {
  bambuAgent,
  type InProcessAgent,
  moonrakerAgent,
  octoPrintAgent,
  POLL_MS,
  prusaLinkAgent,
  SETTLE_MS,
} from '../../../test/kit/agent-in-process.ts';
import {
  type BambuStep,
  type Case,
  comparable,
  expectedOf,
  type MoonrakerStep,
  type OctoPrintStep,
  type PrusaLinkStep,
  readCases,
  type Step,
  stageBambu,
  stageMoonraker,
  stageOctoPrint,
  stagePrusaLink,
  stepsOf,
} from '../../../test/kit/printer-cases.ts';
import type { Report } from '../report.ts';

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

/** Plays the steps that all printers have, and `apply` for all else. */
async function play<Own extends Step, Message>(
  agent: InProcessAgent<Message>,
  steps: Own[],
  apply: (step: Own, isUp: boolean) => Promise<void>,
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

function playBambu(one: Case): Promise<Report[]> {
  const { full, apply } = stageBambu((print) => agent.receive(print));
  const agent = bambuAgent({ full });
  return play(agent, stepsOf<BambuStep>(one, Date.now()), apply);
}

function playMoonraker(one: Case): Promise<Report[]> {
  const { history, apply } = stageMoonraker((job) => agent.receive(job));
  const agent = moonrakerAgent({ history, offset: () => 0 });
  return play(agent, stepsOf<MoonrakerStep>(one, Date.now()), apply);
}

function playOctoPrint(one: Case): Promise<Report[]> {
  const { current, record, apply } = stageOctoPrint(Date.now, (message) => agent.receive(message));
  const agent = octoPrintAgent({ greeting: () => ({ history: current() }), record });
  return play(agent, stepsOf<OctoPrintStep>(one, Date.now()), apply);
}

async function playPrusaLink(one: Case): Promise<Report[]> {
  async function asked(times: number): Promise<void> {
    for (let i = 0; i < times; i++) {
      await jest.advanceTimersByTimeAsync(POLL_MS);
      await agent.receive('poll');
    }
  }
  const { status, job, apply } = stagePrusaLink(asked);
  const agent = prusaLinkAgent({ status, job });
  await play(agent, stepsOf<PrusaLinkStep>(one, Date.now()), apply);
  await asked(2);
  return agent.reports;
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
