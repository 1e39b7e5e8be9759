/** A bug that a suite must detect; `faults.mjs` says what each field means. */
export interface Fault {
  id: string;
  breaks: string;
  file: string;
  find: string;
  replace: string;
  /** the only file or folder that runs */
  suite: string;
  /** a part of the names of the tests that run; by default all of the suite */
  tests: string | undefined;
  engine: 'postgres' | undefined;
  failsWith: string | undefined;
}

export type FaultOfPart = Fault & { part: string };

export type Engine = 'sqlite' | 'postgres';

export interface Run {
  engine: Engine;
  files: string[];
  /** parts of the names of the tests to run; none: all */
  tests: string[];
  workers: number;
}

interface Failure {
  suite: string;
  name: string;
  isAssertion: boolean;
  message: string;
}

export interface Result {
  failed: Failure[];
  passed: number;
  /** what kept a suite from running */
  trouble?: string | undefined;
}

/** A copy of the checkout. */
export interface Copy {
  folder: string;
  temporary: string;
  cache: string;
  /** @returns why it could not be planted; undefined when it was */
  plant(fault: Fault): Result | undefined;
  restore(fault: Fault): void;
}
