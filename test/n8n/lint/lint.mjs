// All checks of the n8n package: npm run lint:nodes [-- --package FOLDER]
// n8n's own linter and scanner, what these don't check, and the tarball that npm would publish.
// Ends with the line "N passed, N failed".
import { dirname, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { installLinter, prepare } from './artefacts.mjs';
import { checks, problemsOf } from './checks.mjs';

const repository = resolve(dirname(fileURLToPath(import.meta.url)), '../../..');
const { values } = parseArgs({ options: { package: { type: 'string', default: repository } } });

const artefacts = prepare({ root: resolve(values.package), tools: installLinter() });
let passed = 0;
let failed = 0;
try {
  for (const check of checks) {
    const problems = await problemsOf(check, artefacts);
    if (problems.length === 0) passed += 1;
    else failed += 1;
    console.log(`${problems.length === 0 ? 'ok  ' : 'FAIL'} ${check.name}`);
    for (const problem of problems) console.log(`       ${problem}`);
  }
  try {
    const { files, packedBytes, unpackedBytes } = artefacts.packed();
    /** @param {number} bytes */
    const kilobytes = (bytes) => `${(bytes / 1000).toFixed(1)} kB`;
    console.log(`${files.length} files, ${kilobytes(packedBytes)} packed, ${kilobytes(unpackedBytes)} unpacked`);
  } catch {
    // the reason is printed above
  }
} finally {
  artefacts.dispose();
}
console.log(`${passed} passed, ${failed} failed`);
process.exit(failed === 0 ? 0 : 1);
