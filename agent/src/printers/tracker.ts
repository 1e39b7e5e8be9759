import type { EndedPrint } from '../report.ts';
import type { Watch } from './watcher.ts';

/** What a reducer makes of an observation. */
export interface Reduced<State> {
  state: State;
  /** the prints that ended, in order */
  ended: EndedPrint[];
  /** file name of a print that started, for the log */
  started?: string | undefined;
}

/**
 * Computes the next state from the last one and what the printer said. Pure.
 * @param known undefined at the first connection; prints that ended before it are not reported
 */
type Reduce<State, Observation> = (known: State | undefined, observation: Observation) => Reduced<State>;

/** The rules of a printer protocol, with what the tracker must know of its state. */
export interface Rules<State, Observation> {
  reduce: Reduce<State, Observation>;
  /** fields of the state, at any depth, that change all the time while something is printed */
  progressFields: string[];
}

/** Applies a second rule to what a first one has left. */
export function andThen<State>(first: Reduced<State>, second: (state: State) => Reduced<State>): Reduced<State> {
  const next = second(first.state);
  return { ...next, ended: [...first.ended, ...next.ended] };
}

/** How often the progress of a print is stored, in case the agent is killed. */
const CHECKPOINT_MS = 60_000;

/** Keeps a printer's state up to date and stores it. Observations must be passed one at a time. */
export interface Tracker<State, Observation> {
  /** The state after the last observation, with the progress that is not stored yet. */
  state(): State | undefined;
  /** Rejects if the next state cannot be stored; the observation then has no effect. */
  observe(observation: Observation): Promise<void>;
}

export function createTracker<State, Observation>(
  watch: Watch<State>,
  { reduce, progressFields }: Rules<State, Observation>,
): Tracker<State, Observation> {
  const { name, log, clock } = watch;
  let live = watch.state();
  let storedAt = 0;
  const withoutProgress = (state: State | undefined) =>
    JSON.stringify(state, (field, value) => (progressFields.includes(field) ? undefined : value));

  return {
    state: () => live,
    async observe(observation) {
      const known = live;
      const { state, ended, started } = reduce(known, observation);
      const isDue = clock() - storedAt > CHECKPOINT_MS && JSON.stringify(state) !== JSON.stringify(known);
      if (ended.length > 0 || isDue || withoutProgress(state) !== withoutProgress(known)) {
        await watch.record(state, ended);
        storedAt = clock();
      }
      live = state;
      if (started !== undefined) log.info(`${name}: started printing ${started}`);
      if (known === undefined) log.info(`${name}: first connection; prints that end from now on are reported`);
    },
  };
}
