import { EventEmitter } from 'node:events';
import type { Change } from '../shared/change.ts';
import type { Live } from './jobs.ts';

/** Live updates within one process. */
export function createLive(): Live {
  const emitter = new EventEmitter().setMaxListeners(0);
  return {
    publishChange(accountId: string, change: Change): void {
      emitter.emit(accountId, change);
    },
    async listen(accountId: string, onChange: (change: Change) => void): Promise<() => void> {
      // a separate function, because the same callback may listen twice
      const listener = (change: Change) => onChange(change);
      emitter.on(accountId, listener);
      return () => emitter.off(accountId, listener);
    },
    listeners: () => emitter.eventNames().reduce((sum, name) => sum + emitter.listenerCount(name), 0),
  };
}
