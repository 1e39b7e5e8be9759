import { runSuites } from './suites.ts';

runSuites((name) => !name.startsWith('trigger-'));
