/**
 * The alarm clock of the webhook channels. A wake-up carries ids only and may be lost or doubled without harm: the rows of
 * the outbox decide what is sent, and the sweep finds what no wake-up reached.
 */
export interface Jobs {
  /** Says that these channels have something to send. Never throws, never waits. */
  wake(channelIds: string[]): void;
  /** Begins to work: wake-ups from before are worked off too. */
  start(handlers: JobHandlers): void;
  /** Begins nothing more and resolves when what runs has ended. */
  stop(): Promise<void>;
}

export interface JobHandlers {
  /** Sends what a channel has pending; resolves when nothing more can be sent now. */
  drain(channelId: string, stopping: () => boolean): Promise<void>;
  /** Looks for channels that no wake-up reached. */
  sweep(): Promise<string[]>;
  /** Deletes what has been kept long enough. */
  purge(): Promise<void>;
}
