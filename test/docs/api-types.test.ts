import { execFile } from 'node:child_process';
import { resolve } from 'node:path';
import { promisify } from 'node:util';

test('finds the console’s types equal to the OpenAPI document (else: npm run api-types)', async () => {
  // exits with status 1 for a stale file and says what to run
  await promisify(execFile)(process.execPath, [resolve(__dirname, '../../backend/web/make-api-types.mjs'), '--check']);
});
