#!/usr/bin/env node
// The agent without the server: `npm run build:agent` makes dist/, which this package is shipped with.
import { runCommandLine } from '../dist/farmboard-agent.js';

await runCommandLine(process.argv.slice(2));
