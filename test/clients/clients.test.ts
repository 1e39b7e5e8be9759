import { execFile } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import { EXAMPLE_IDS } from '../../backend/src/http/examples.ts';
import { type Browser, openBrowser } from '../kit/console-client.ts';
import { type Farm, startFarm } from '../kit/farm.ts';
import { openForm, sendForm, waitUntilAccepted } from '../kit/leads.ts';
import type { Root } from './document.ts';
import { checkQueryTypes } from './query-types.ts';

const run = async (command: string, args: string[], cwd: string): Promise<string> => {
  const { stdout } = await promisify(execFile)(command, args, { cwd, maxBuffer: 64 * 1024 * 1024 }).catch((error) => {
    throw new Error(`${command} ${args.join(' ')}\n${error.stdout}${error.stderr}`);
  });
  return stdout;
};

const DOCUMENTS = { automation: '/api/v1', console: '/console/api', agent: '/agent/v1' };
const DRIVERS = ['openapi-fetch', 'hey-api', 'orval'];

let farm: Farm;
/** where the tools are installed */
let tools: string;
/** inside it, so that what is in it finds their packages */
let folder: string;
let documents: Record<string, Root>;

const PAGE = readFileSync(join(__dirname, '../../docs/reference/clients.md'), 'utf8');
const ORVAL_CONFIG = /^```js\n([\s\S]*?)^```$/m.exec(PAGE)?.[1] as string;

/** The programs of the packages on the page, and their arguments. */
const COMMANDS = [...PAGE.matchAll(/`npx (\S+)@([\d.]+) ([^`]+)`/g)].map(([, name = '', version = '', args = '']) => ({
  name,
  version,
  program: { '@hey-api/openapi-ts': 'openapi-ts', 'openapi-to-postmanv2': 'openapi2postmanv2' }[name] ?? name,
  args: args.split(' '),
}));

/** Runs a command of the page in the folder of a document. */
const make = (client: string, document: string) => {
  const { program, args } = COMMANDS.find(({ name }) => name === client) as (typeof COMMANDS)[number];
  return run(join(tools, 'node_modules/.bin', program), args, join(folder, document));
};

/** Makes the three clients of a document, as the page says. */
async function makeClients(document: string): Promise<void> {
  writeFileSync(join(folder, document, 'orval.config.cjs'), ORVAL_CONFIG);
  for (const client of ['openapi-typescript', '@hey-api/openapi-ts', 'orval']) await make(client, document);
}

beforeAll(async () => {
  tools = await run(process.execPath, [join(__dirname, 'install.mjs')], __dirname);
  farm = await startFarm();
  folder = mkdtempSync(join(tools, 'run-'));
  documents = {};
  for (const [name, path] of Object.entries(DOCUMENTS)) {
    const text = await (await fetch(`${farm.service.origin}${path}/openapi.json`)).text();
    mkdirSync(join(folder, name));
    writeFileSync(join(folder, name, 'farmboard.json'), text);
    documents[name] = JSON.parse(text) as Root;
  }
});

afterAll(async () => {
  if (folder) rmSync(folder, { recursive: true, force: true });
  await farm?.close();
});

test('the page names the versions that are tried here', () => {
  const { dependencies } = JSON.parse(readFileSync(join(__dirname, 'package.json'), 'utf8'));
  expect(COMMANDS.map(({ name, version }) => [name, version])).toEqual(
    ['openapi-typescript', '@hey-api/openapi-ts', 'orval', 'openapi-to-postmanv2'].map((name) => [
      name,
      dependencies[name],
    ]),
  );
});

test('the documents have no faults by the rules of Redocly', async () => {
  writeFileSync(join(folder, 'redocly.cjs'), REDOCLY);
  const found = await run(
    process.execPath,
    ['redocly.cjs', ...Object.keys(DOCUMENTS).map((name) => `${name}/farmboard.json`)],
    folder,
  );
  expect(JSON.parse(found)).toEqual([]);
});

const REDOCLY = `
const { createConfig, lintFromString } = require('@redocly/openapi-core');
const { readFileSync } = require('node:fs');
(async () => {
  const config = await createConfig({ extends: ['recommended'] });
  const found = [];
  for (const file of process.argv.slice(2)) {
    const problems = await lintFromString({ source: readFileSync(file, 'utf8'), absoluteRef: file, config });
    found.push(...problems.map(({ ruleId, message, location }) => [file, ruleId, message, location[0]?.pointer]));
  }
  process.stdout.write(JSON.stringify(found));
})();`;

test('three generated clients compile, have the type of every query parameter, and drive the reference flow', async () => {
  await Promise.all(Object.keys(DOCUMENTS).map(makeClients));
  let count = 0;
  for (const [name, document] of Object.entries(documents)) {
    const checks = checkQueryTypes(document);
    count += checks.count;
    for (const [file, text] of Object.entries(checks.files)) writeFileSync(join(folder, name, file), text);
  }
  process.stdout.write(`clients.test: ${count} query parameters in ${DRIVERS.length} clients\n`);
  expect(count).toBeGreaterThan(60);
  for (const file of readdirSync(join(__dirname, 'drivers')))
    copyFileSync(join(__dirname, 'drivers', file), join(folder, file));
  copyFileSync(join(__dirname, '../../examples/client/farmboard.ts'), join(folder, 'farmboard.ts'));
  writeFileSync(join(folder, 'api.d.ts'), "export type * from './automation/openapi-fetch';");
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(TSCONFIG));
  await run(join(tools, 'node_modules/.bin/tsc'), ['-p', '.'], folder);

  const receiver = await farm.receiver();
  for (const driver of DRIVERS) {
    const filament = await farm.filament({ spool_count: 1 });
    const input = { baseUrl: farm.client.baseUrl, token: farm.token, filament: filament.id, receiver: receiver.url };
    const outfile = join(folder, `${driver}.cjs`);
    await build({
      entryPoints: [join(folder, `${driver}.ts`)],
      outfile,
      bundle: true,
      platform: 'node',
      format: 'cjs',
    });
    const program = `require(${JSON.stringify(outfile)}).drive(JSON.parse(process.argv[1])).then((seen) => console.log(JSON.stringify(seen)))`;
    const seen = JSON.parse(await run(process.execPath, ['-e', program, JSON.stringify(input)], folder));
    const finished = DRIVERS.indexOf(driver) + 1;
    expect([driver, seen]).toEqual([
      driver,
      {
        label: 'Bracket',
        statuses: ['assigned', 'printing', 'done'],
        usedGrams: 12.5,
        finished: [finished, 1],
        notLow: finished,
        // created, three statuses, a deduction
        history: 5,
        subscription: ['signed', true],
        tests: ['succeeded', 'succeeded'],
        missed: 0,
      },
    ]);
  }
  await farm.clear();
});

const TSCONFIG = {
  compilerOptions: {
    strict: true,
    noEmit: true,
    target: 'es2022',
    lib: ['es2022', 'dom', 'dom.iterable'],
    module: 'esnext',
    moduleResolution: 'bundler',
    types: [],
    skipLibCheck: true,
  },
  include: ['**/*.ts'],
};

/** Creates what the paths of the collection name. @returns the ids by the name of their example */
async function makeRecords(browser: Browser): Promise<Record<string, string>> {
  const post = async (path: string, body: unknown) => (await browser.post<{ id: string }>(path, body)).body.id;
  const first = async (path: string) =>
    (await browser.get<{ items: { id: string }[] }>(path)).body.items[0]?.id as string;
  const profile = { slug: 'layer-workshop', is_public: true, headline: 'Layer Workshop' };
  expect((await browser.put('/profile', profile)).status).toBe(200);
  const form = await openForm(farm.service.origin, profile.slug);
  const group = await post('/printer-groups', { name: 'Workshop' });
  const printer = await post('/printers', { name: 'Prusa 1', model: 'Prusa MK4S', group_id: group });
  const order = await post('/print-jobs', { model_name: 'Wall bracket', source: 'shopify', external_id: '5001' });
  const filament = await post('/filaments', { name: 'PETG black', spool_count: 2 });
  await post(`/filaments/${filament}/consume`, { grams: 1 });
  const lines = [{ description: 'Bracket', quantity: 1, unit_price: 995 }];
  const invoice = await post('/invoices', { customer_name: 'Vera', currency: 'EUR', lines });
  // a draft has no PDF
  expect((await browser.put('/invoice-seller', { name: 'Layer Workshop' })).status).toBe(200);
  await post(`/invoices/${invoice}/issue`, {});
  const { id: subscription } = await farm.subscription();
  const delivery = await post(`/webhook-subscriptions/${subscription}/test`, undefined);
  await waitUntilAccepted(form);
  expect((await sendForm(farm.service.origin, form)).status).toBe(303);
  const [batch, lead] = [await first(`/filaments/${filament}/batches`), await first('/leads')];
  const entry = await first(`/filaments/${filament}/ledger`);
  return { group, printer, order, filament, invoice, subscription, delivery, batch, entry, lead };
}

test('the converted Postman collection runs', async () => {
  await make('openapi-to-postmanv2', 'automation');
  const file = join(folder, 'automation/collection.json');
  const browser = await openBrowser(farm.service);
  await browser.signIn(farm.email);
  const records = await makeRecords(browser);
  const receiver = await farm.receiver();
  // as a person fills in what there is
  let text = readFileSync(file, 'utf8').replaceAll('http://127.0.0.1:8000/', receiver.url);
  for (const [name, id] of Object.entries(records))
    text = text.replaceAll(EXAMPLE_IDS[name as keyof typeof EXAMPLE_IDS], id);
  writeFileSync(file, text);
  const args = [join(__dirname, 'run-collection.cjs'), tools, file, farm.token];
  const answers = JSON.parse(await run(process.execPath, args, folder)) as { status: number; address: string }[];
  expect(answers.filter(({ status }) => status >= 300)).toEqual([]);
  const operations = Object.values(documents.automation?.paths ?? {}).flatMap((methods) => Object.keys(methods));
  expect(answers).toHaveLength(operations.length);
  expect(answers.every(({ address }) => address.startsWith(`${farm.client.baseUrl}/`))).toBe(true);
  await farm.clear();
});
