/** Controls a running drain. */
export interface DrainControl {
  /** When true, start nothing new. */
  stopping(): boolean;
  /** Resolves at the subscription's next wake-up. Call it before reading the outbox, so that no wake-up is missed. */
  nextWake(): Promise<void>;
}
