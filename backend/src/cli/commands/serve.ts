import { createLogger } from '../../../../common/src/logger.ts';
import { nextSignal } from '../../../../common/src/signals.ts';
import { readConfig } from '../../config/config.ts';
import { boxed, createOutput, paragraphed } from './setup-box.ts';

/** Runs the service until SIGTERM or SIGINT; a second signal ends it immediately. */
export async function serve(): Promise<void> {
  const config = readConfig();
  const { isTTY, columns } = process.stdout;
  const output = createOutput(process.stdout, isTTY);
  const logger = createLogger(config.logLevel, output.write);
  // listen before anything is opened, so that a signal during startup also shuts down cleanly
  const stopSignal = nextSignal();
  // loaded here, because it takes longer than everything before, and an invalid setting needs none of it
  const { startServer } = await import('../../main.ts');
  const waiting = new AbortController();
  void stopSignal.then(() => waiting.abort());
  const running = await startServer(
    config,
    logger,
    {},
    // not logged: on a terminal, the log is held back
    { signal: waiting.signal, report: (sentence) => void process.stderr.write(`${sentence}\n`) },
  ).catch((error: Error) => {
    if (error.name === 'AbortError') process.exit(0);
    throw error;
  });
  const { sessions, guard } = running.farmboard;
  logger.info(
    { url: running.url, port: running.port, webhooks_may_go_to: guard.describe() },
    `Farmboard is listening on ${running.url}`,
  );
  const code = config.role === 'worker' ? undefined : await sessions.createSetupLink();
  if (code !== undefined) {
    // bypasses the log, which hides secrets, may be silent, and contains nothing but JSON
    const link = `${running.publicUrl}/console/setup#${code}`;
    if (isTTY) process.stdout.write(boxed(link, columns));
    else process.stderr.write(paragraphed(link));
  }
  output.release();
  const signal = await stopSignal;
  logger.info(`${signal}: finishing requests and deliveries in progress`);
  try {
    await running.stop();
    process.exit(0);
  } catch (error) {
    logger.fatal({ err: error }, 'the service did not shut down cleanly');
    process.exit(1);
  }
}
