import { createOctoPrintSession } from './octoprint-session.ts';
import { type Observation, rules, type State } from './octoprint-state.ts';

test('the two events of a cancel are one print, however long the disk takes between them', async () => {
  const file = { path: 'part.gcode', origin: 'local', name: 'part.gcode' };
  const current = { job: { file }, progress: {} };
  let state: State | undefined;
  let now = 1_790_000_000_000;
  const ended: unknown[] = [];
  const session = createOctoPrintSession({
    octoPrint: { lastPrintOf: async () => null },
    tracker: {
      state: () => state,
      async observe(observation: Observation) {
        const reduced = rules.reduce(state, observation);
        state = reduced.state;
        ended.push(...reduced.ended);
        now += 40_000;
      },
    },
    clock: () => now,
    settleMs: 3_000,
    filament: {},
    enqueue: (work) => void work(),
    isUp: () => undefined,
  });
  const receivedAt = now;
  const event = (type: string, more: object = {}) =>
    session.handle({ event: { type, payload: { ...file, ...more } } }, receivedAt);
  await session.handle({ history: { ...current, state: { flags: {} }, serverTime: receivedAt / 1000 } }, receivedAt);
  await event('PrintStarted');
  await event('PrintCancelled');
  await event('PrintFailed', { reason: 'cancelled' });
  session.close();
  expect(ended).toMatchObject([{ filename: 'part.gcode', outcome: 'cancelled' }]);
});
