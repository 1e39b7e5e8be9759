import { createBudget } from '../budget.ts';
import { clip } from '../json.ts';
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
/** More than all prints that a printer's history is read for after a long absence. */
const MAX_PRINTS_AT_ONCE = 2_500;
/** A print of a minute after the other, and the scripts between them that count as prints. */
const MAX_PRINTS_PER_HOUR = 360;
/** Characters of a file's name in the log. */
const MAX_LOGGED = 500;
/** In characters of JSON. A state has some names and numbers. */
const MAX_STATE = 16 * 1024;

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
  const prints = createBudget(
    MAX_PRINTS_AT_ONCE,
    MAX_PRINTS_PER_HOUR / 3600,
    'the printer reports more prints than it can make',
  );
  let live = watch.state();
  let storedAt = 0;
  const withoutProgress = (state: State | undefined) =>
    JSON.stringify(state, (field, value) => (progressFields.includes(field) ? undefined : value));

  return {
    state: () => live,
    async observe(observation) {
      const known = live;
      const { state, ended, started } = reduce(known, observation);
      const text = JSON.stringify(state);
      if (text.length > MAX_STATE) throw new Error('the printer sends names that are too long');
      prints.take(ended.length + (started === undefined ? 0 : 1));
      const isDue = clock() - storedAt > CHECKPOINT_MS && text !== JSON.stringify(known);
      if (ended.length > 0 || isDue || withoutProgress(state) !== withoutProgress(known)) {
        await watch.record(state, ended);
        storedAt = clock();
      }
      live = state;
      if (started !== undefined) log.info(`${name}: started printing ${clip(started, MAX_LOGGED)}`);
      if (known === undefined) log.info(`${name}: first connection; prints that end from now on are reported`);
    },
  };
}
