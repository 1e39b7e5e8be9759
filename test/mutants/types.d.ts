/** A bug that suites must detect. */
export interface Fault {
  /** stable */
  id: string;
  /** what goes wrong, in a sentence */
  breaks: string;
  file: string;
  /** its place: must be in the file exactly once */
  find: string;
  replace: string;
  /** files or folders: the only ones that run */
  suites: string[];
  /** a part of the names of the tests that run; by default all of the suites */
  tests?: string;
  /** if SQLite can't show it */
  engine?: 'postgres';
  /** a part of the error by which its tests fail, if that isn't one of their assertions */
  failsWith?: string;
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
