import { stopService } from '../../kit/n8n/rig.ts';
import { runSuites } from './suites.ts';

runSuites((name) => !name.startsWith('trigger-'));

afterAll(stopService);
