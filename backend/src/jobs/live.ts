import { EventEmitter } from 'node:events';
import type { Change, Live } from './jobs.ts';

/** Live updates inside one process. */
export function createLive(): Live {
  const emitter = new EventEmitter().setMaxListeners(0);
  return {
    announce(accountId: string, change: Change): void {
      emitter.emit(accountId, change);
    },
    listen(accountId: string, heard: (change: Change) => void): () => void {
      emitter.on(accountId, heard);
      return () => emitter.off(accountId, heard);
    },
  };
}
