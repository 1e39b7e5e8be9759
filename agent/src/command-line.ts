import { parseArgs } from 'node:util';
import { checkOnce, isUsageError, runAgent } from './run.ts';

const USAGE = `Usage: farmboard-agent --config FILE [--check]

Watches printers and reports to Farmboard when prints end.

  --config FILE  the configuration file
  --check        try the server and every printer once, then exit`;

const OPTIONS = {
  config: { type: 'string' },
  check: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
} as const;

/** Runs `farmboard-agent` with these arguments. Sets exit code 2 for usage errors and invalid config files. */
export async function runCommandLine(args: string[]): Promise<void> {
  try {
    const { values } = parseArgs({ args, options: OPTIONS });
    if (values.help) return console.log(USAGE);
    if (values.config === undefined) return fail(`--config is required.\n\n${USAGE}`);
    await (values.check ? checkOnce(values.config) : runAgent(values.config));
  } catch (error) {
    if (isUsageError(error) || (error as { code?: string }).code?.startsWith('ERR_PARSE_ARGS')) {
      return fail((error as Error).message);
    }
    throw error;
  }
}

function fail(message: string): void {
  console.error(message);
  process.exitCode = 2;
}
