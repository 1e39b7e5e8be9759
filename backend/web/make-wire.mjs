// Writes src/wire.d.ts, the types of the console's requests and responses, from the OpenAPI document of the console API.
// Run `npm run wire` after changing a route. With `--check` it writes nothing and fails if the file is out of date.
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import openapiTS, { astToString } from 'openapi-typescript';

const here = dirname(fileURLToPath(import.meta.url));
const FILE = join(here, 'src/wire.d.ts');
const NOTE = '// Made by `npm run wire` from the OpenAPI document of /console/api. Not edited by hand.\n';

/** The document, as a service on a temporary database answers it. */
async function readDocument() {
  const folder = mkdtempSync(join(tmpdir(), 'farmboard-wire-'));
  const service = spawn(process.execPath, [join(here, '../bin/farmboard.js'), 'serve'], {
    env: {
      ...process.env,
      PORT: '0',
      HOST: '127.0.0.1',
      LOG_LEVEL: 'info',
      DATABASE_URL: `sqlite:${join(folder, 'wire.sqlite3')}`,
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

/** What is no type. */
function dropExamples(part) {
  if (typeof part !== 'object' || part === null) return;
  delete part.example;
  if (Array.isArray(part.examples)) delete part.examples;
  for (const inner of Object.values(part)) dropExamples(inner);
}

/** Without what the console reads from no type: headers, examples, and the errors, which are a Problem each. */
function shorten(document) {
  dropExamples(document);
  for (const operation of Object.values(document.paths).flatMap((methods) => Object.values(methods))) {
    for (const [status, response] of Object.entries(operation.responses)) {
      if (status >= '300') delete operation.responses[status];
      else delete response.headers;
    }
  }
  return document;
}

const made = NOTE + astToString(await openapiTS(shorten(await readDocument())));
const isFresh = existsSync(FILE) && readFileSync(FILE, 'utf8') === made;
if (!process.argv.includes('--check')) writeFileSync(FILE, made);
else if (!isFresh) {
  process.stderr.write('backend/web/src/wire.d.ts is stale: npm run wire\n');
  process.exitCode = 1;
}
