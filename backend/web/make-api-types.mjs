// Writes src/api-types.d.ts, the types of what the console sends and gets, from the schemas of its OpenAPI document.
// Run `npm run api-types` after changing one. With `--check` it writes nothing and fails if the file is out of date.
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import openapiTS, { astToString } from 'openapi-typescript';

const here = dirname(fileURLToPath(import.meta.url));
const FILE = join(here, 'src/api-types.d.ts');
const NOTE = '// Made by `npm run api-types` from the OpenAPI document of /console/api. Not edited by hand.\n';

/** The document, as a service on a temporary database answers it. */
async function readDocument() {
  const folder = mkdtempSync(join(tmpdir(), 'farmboard-api-types-'));
  const service = spawn(process.execPath, [join(here, '../bin/farmboard.js'), 'serve'], {
    env: {
      ...process.env,
      PORT: '0',
      HOST: '127.0.0.1',
      LOG_LEVEL: 'info',
      DATABASE_URL: `sqlite:${join(folder, 'farmboard.sqlite3')}`,
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = new Promise((resolve) => service.once('exit', resolve));
  try {
    for await (const line of createInterface({ input: service.stdout })) {
      const port = line.startsWith('{') ? JSON.parse(line).port : undefined;
      if (port !== undefined) return await (await fetch(`http://127.0.0.1:${port}/console/api/openapi.json`)).json();
    }
    throw new Error('the service ended before it listened');
  } finally {
    service.kill();
    await ended;
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Leaves out examples, which aren't types. */
function dropExamples(part) {
  if (typeof part !== 'object' || part === null) return;
  delete part.example;
  if (Array.isArray(part.examples)) delete part.examples;
  for (const inner of Object.values(part)) dropExamples(inner);
}

/** The schemas alone: the console's requests name theirs. */
function pickSchemas({ openapi, info, components: { schemas } }) {
  dropExamples(schemas);
  return { openapi, info, paths: {}, components: { schemas } };
}

const made = NOTE + astToString(await openapiTS(pickSchemas(await readDocument())));
const isFresh = existsSync(FILE) && readFileSync(FILE, 'utf8') === made;
if (!process.argv.includes('--check')) writeFileSync(FILE, made);
else if (!isFresh) {
  process.stderr.write('backend/web/src/api-types.d.ts is stale: npm run api-types\n');
  process.exitCode = 1;
}
