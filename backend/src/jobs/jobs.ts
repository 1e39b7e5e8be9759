import type { IncomingMessage, ServerResponse } from 'node:http';

/** Pages that are answered by code of the queue's own. */
export type QueueDashboard = (req: IncomingMessage, res: ServerResponse, next: (error?: unknown) => void) => void;

/**
 * Something of an account changed: which kind of thing, and which one. What it is now is asked for. An `event` is one of
 * the last that were written since another was told, a `delivery` the channel of which deliveries began or ended.
 */
export interface Change {
  kind: 'order' | 'filament' | 'printer' | 'channel' | 'event' | 'delivery' | 'report' | 'lead' | 'invoice';
  id: string;
  /** it was taken away: there is nothing to ask for */
  gone?: true;
}

/** Says to open pages that something of an account changed. */
export type PublishChange = (accountId: string, change: Change) => void;

/** Tells open pages that something changed. A change that is not heard does no harm: the page asks again by itself. */
export interface Live {
  publishChange: PublishChange;
  /** @returns what ends the listening, as soon as nothing of now is missed */
  listen(accountId: string, onChange: (change: Change) => void): Promise<() => void>;
  /** how many listen at this process */
  listeners(): number;
}

/**
 * The alarm clock of the webhook channels. A wake-up carries ids only and may be lost or doubled without harm: the rows of
 * the outbox decide what is sent, and the sweep finds what no wake-up reached.
 */
export interface Jobs {
  /** A view on the queue for the operator, to be mounted at the path; absent where there is no queue. */
  board?(path: string): Promise<QueueDashboard>;
  /** Says that these channels have something to send. Never throws, never waits. */
  wake(channelIds: string[]): void;
  /** Begins to work: wake-ups from before are worked off too. */
  start(handlers: JobHandlers): void;
  /** Live updates, heard in every process. */
  live: Live;
  /** What it does without just now, in words for the operator. Nothing is lost by it; events may leave up to 2 s later. */
  missing(): string[];
  /** Begins nothing more and resolves when what runs has ended. */
  stop(): Promise<void>;
}

/** What a drain is told while it runs. */
export interface DrainControl {
  /** When it says true, nothing new is begun. */
  stopping(): boolean;
  /** Resolves when the channel is woken again. Asked for before one looks, it misses no wake-up since. */
  nextWake(): Promise<void>;
}

export interface JobHandlers {
  /** Sends what a channel has pending; resolves when nothing more can be sent now. */
  drain(channelId: string, control: DrainControl): Promise<void>;
  /** Looks for channels that no wake-up reached. */
  sweep(): Promise<string[]>;
  /** Deletes what has been kept long enough. */
  purge(): Promise<void>;
}
