import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Change, PublishChange } from '../shared/change.ts';
import type { DrainControl } from '../shared/drain-control.ts';
import type { CreateRateLimit } from '../shared/rate-limit.ts';

/** Pages served by the queue dashboard's own router. */
export type QueueDashboard = (req: IncomingMessage, res: ServerResponse, next: (error?: unknown) => void) => void;

/** Notifies open pages of changes. A lost notification does no harm, because pages also refresh by themselves. */
export interface Live {
  publishChange: PublishChange;
  /** Resolves when listening. @returns a function that stops it */
  listen(accountId: string, onChange: (change: Change) => void): Promise<() => void>;
  /** number of listeners in this process */
  listeners(): number;
}

/**
 * Wake-ups for webhook subscriptions. A wake-up carries ids only and may be lost or duplicated: the outbox decides what
 * is sent, and the sweep finds what no wake-up reached.
 */
export interface Jobs {
  /** Creates the queue dashboard for the given path; absent without a queue. */
  board?(path: string): Promise<QueueDashboard>;
  /** Signals that these subscriptions have pending deliveries. Never throws or waits. */
  wake(subscriptionIds: string[]): void;
  /** Starts processing, including earlier wake-ups. */
  start(handlers: JobHandlers): void;
  /** Live updates, published to every process. */
  live: Live;
  /** Creates a limit that counts over every process. */
  createRateLimit: CreateRateLimit;
  /**
   * Parts that are currently unavailable, described for the operator. Nothing is lost; events may be sent up to 2 s
   * later.
   */
  missing(): string[];
  /** Starts no more work and resolves when the current work has ended. */
  stop(): Promise<void>;
}

export interface JobHandlers {
  /** Sends a subscription's pending deliveries; resolves when nothing more can be sent now. */
  drain(subscriptionId: string, control: DrainControl): Promise<void>;
  /** Finds subscriptions that no wake-up reached. */
  sweep(): Promise<string[]>;
  /** Keeps what makes reads fast up to date. */
  refresh(): Promise<void>;
  /** Deletes expired data; ends early when stopping. */
  purge(isStopping: () => boolean): Promise<void>;
}
