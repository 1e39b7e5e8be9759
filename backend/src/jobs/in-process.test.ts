import { describeJobs } from '../../../test/kit/jobs-suite.ts';
import { createInProcessJobs } from './in-process.ts';

describeJobs('in process', createInProcessJobs);
