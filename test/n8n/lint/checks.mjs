// All checks; `faults.mjs` shows that each of them can fail.
import { sourceChecks } from './source-checks.mjs';
import { tarballChecks } from './tarball-checks.mjs';
import { lines } from './text.mjs';

export const checks = [...sourceChecks, ...tarballChecks];

/**
 * Runs one check; a check that throws has found a problem.
 * @param {import('./types.d.ts').Check} check
 * @param {import('./types.d.ts').Artefacts} artefacts
 */
export async function problemsOf(check, artefacts) {
  try {
    return await check.find(artefacts);
  } catch (error) {
    return lines(error instanceof Error ? error.message : String(error));
  }
}
