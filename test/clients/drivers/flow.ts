/** What a client needs of a farm. */
export interface Farm {
  baseUrl: string;
  token: string;
  /** of a filament with stock */
  filament: string;
  /** of a webhook receiver */
  receiver: string;
}

/** What a client has seen at the end of the reference flow. */
export interface Seen {
  /** read by the text of its label */
  label: string;
  statuses: string[];
  usedGrams: number;
  /** the total and the length of a page of finished and cancelled orders */
  finished: [number, number];
  notLow: number;
  history: number;
  /** of a channel that was created without the fields that have a default */
  channel: [string, boolean];
  /** of a test without a body and with an empty one */
  tests: string[];
  missed: number;
}

export const STATUSES = ['assigned', 'printing', 'done'] as const;
