import { readConfig } from '../../config/config.ts';
import { createBoundedFetch } from '../../shared/bounded-fetch.ts';

/** Shorter than the timeout of the image's health check, so that the reason is printed. */
const WITHIN_MS = 4_000;
/** Another program may be at the address. */
const MAX_ANSWER_BYTES = 64 * 1024;

/** Checks /readyz of the service on this host, at its configured address. Exits with status 1 if it is not ready. */
export async function health(): Promise<void> {
  const { host, port } = readConfig();
  const everywhere = host === '0.0.0.0' || host === '::';
  const at = everywhere ? '127.0.0.1' : host.includes(':') ? `[${host}]` : host;
  try {
    const ask = createBoundedFetch({ withinMs: WITHIN_MS, maxBytes: MAX_ANSWER_BYTES });
    const answer = await ask(`http://${at}:${port}/readyz`);
    console.log(await answer.text());
    if (!answer.ok) process.exitCode = 1;
  } catch (error) {
    const { message, cause } = error as Error;
    console.log(`${at}:${port} isn't responding (${(cause as Error | undefined)?.message ?? message})`);
    process.exitCode = 1;
  }
}
