import { readConfig } from '../../config/config.ts';

/** Less than the health check of the image waits, so that the reason is still told. */
const WITHIN_MS = 4_000;

/** Asks the service that runs beside it, where its settings say it listens, whether it is ready. Ends with status 1 when not. */
export async function health(): Promise<void> {
  const { host, port } = readConfig();
  const everywhere = host === '0.0.0.0' || host === '::';
  const at = everywhere ? '127.0.0.1' : host.includes(':') ? `[${host}]` : host;
  try {
    const answer = await fetch(`http://${at}:${port}/readyz`, { signal: AbortSignal.timeout(WITHIN_MS) });
    console.log(await answer.text());
    if (!answer.ok) process.exitCode = 1;
  } catch (error) {
    const { message, cause } = error as Error;
    console.log(`${at}:${port} isn't responding (${(cause as Error | undefined)?.message ?? message})`);
    process.exitCode = 1;
  }
}
