/** What a server and the program of a simulated farm, its child process, tell each other. */

/** The server's first message. */
export interface SimulationInput {
  /** `http://host:port` of the server */
  server: string;
  /** a session of the console in the simulation's account, as a cookie */
  cookie: string;
  seed: number;
  /** 1: the day takes three minutes */
  speed: number;
  language: 'en' | 'ru';
}

/** What is shown of the day while it runs. */
export interface SimulationState {
  /** minutes since midnight */
  minute: number;
  printers: SimulatedProgress[];
}

/** What a printer is doing. */
export interface SimulatedProgress {
  printer_id: string;
  name: string;
  /** null: nothing */
  order_name: string | null;
  percent: number;
}

export type SimulationMessage =
  | { kind: 'state'; state: SimulationState }
  | { kind: 'line'; minute: number; text: string }
  /** the day is over */
  | { kind: 'summary'; lines: string[] };
