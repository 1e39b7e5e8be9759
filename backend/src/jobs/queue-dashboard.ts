import { createBullBoard } from '@bull-board/api';
import { BullMQAdapter } from '@bull-board/api/bullMQAdapter';
import { ExpressAdapter } from '@bull-board/express';
import type { Queue } from 'bullmq';
import type { QueueDashboard } from './jobs.ts';

/** Bull Board for the queue, read-only. @param path where it is mounted; its page loads its files from there */
export function createBoard(queue: Queue, path: string): QueueDashboard {
  const adapter = new ExpressAdapter();
  adapter.setBasePath(path);
  createBullBoard({
    queues: [
      new BullMQAdapter(queue, {
        readOnlyMode: true,
        description: 'One job for each subscription with something to send',
      }),
    ],
    serverAdapter: adapter,
    options: { uiConfig: { boardTitle: 'Farmboard' } },
  });
  const app = adapter.getRouter();
  app.disable('x-powered-by');
  return app;
}
