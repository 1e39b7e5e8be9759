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
  /** of a subscription that was created without the fields that have a default */
  subscription: [string, boolean];
  /** of a test without a body and with an empty one */
  tests: string[];
  missed: number;
}

export const STATUSES = ['assigned', 'printing', 'done'] as const;

/** The responses of a client, as far as the flow looks at them. */
interface Responses {
  label: string;
  statuses: string[];
  consumed: { used_grams: number };
  finished: { total: number; items: unknown[] };
  notLow: { total: number };
  history: { total: number };
  subscription: { format: string; enabled: boolean };
  tests: { status: string }[];
  missed: { total: number };
}

export const toSeen = ({
  consumed,
  finished,
  notLow,
  history,
  subscription,
  tests,
  missed,
  ...same
}: Responses): Seen => ({
  ...same,
  usedGrams: consumed.used_grams,
  finished: [finished.total, finished.items.length],
  notLow: notLow.total,
  history: history.total,
  subscription: [subscription.format, subscription.enabled],
  tests: tests.map(({ status }) => status),
  missed: missed.total,
});
