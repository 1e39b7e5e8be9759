import { describeJobs } from '../../../test/kit/jobs-suite.ts';
import { newId } from '../shared/ids.ts';
import { createBullMqJobs } from './bullmq.ts';

describeJobs('BullMQ', ({ logger }) => createBullMqJobs({ url: 'redis://127.0.0.1:6379/15', logger, prefix: newId() }));
