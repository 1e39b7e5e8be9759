import { runSuites } from './suites.ts';
import { stopService } from './support.ts';

runSuites((name) => !name.startsWith('trigger-'));

afterAll(stopService);
