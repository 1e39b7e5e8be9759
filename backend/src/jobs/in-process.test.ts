import { describeJobs } from '../testing/jobs-suite.ts';
import { createInProcessJobs } from './in-process.ts';

describeJobs('in process', createInProcessJobs);
