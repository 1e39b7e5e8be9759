import { readdirSync } from 'node:fs';
import { basename } from 'node:path';
import '../../kit/n8n/harness.ts';

const SUFFIX = '.suite.ts';

/**
 * Runs suites of this folder in one test file, so that n8n-core is loaded once for all of them. Their hooks apply only
 * to themselves.
 * @param isWanted is called with the name of each: `order` for `order.suite.ts`
 */
export function runSuites(isWanted: (name: string) => boolean): void {
  const names = readdirSync(__dirname)
    .filter((file) => file.endsWith(SUFFIX))
    .map((file) => basename(file, SUFFIX))
    .filter(isWanted);
  for (const name of names) describe(name, () => void require(`./${name}${SUFFIX}`));
}
