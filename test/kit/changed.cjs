// npm run test:changed [-- --base REV] [-- Jest options]: runs the suites that a change since HEAD or a revision can affect.
// Suites run a built bundle, so imports can't tell which those are; this map does. A file missing from the map selects
// everything.
const { execFileSync, spawnSync } = require('node:child_process');
const { resolve } = require('node:path');

const ROOT = resolve(__dirname, '../..');

/** The suites that a change of any feature can affect. */
const COMMON = ['test/contract/isolation', 'test/contract/http', 'test/docs', 'test/upgrade'];

/**
 * Pattern of a changed file → the suites, as patterns of their paths. The first match counts.
 * @type {[RegExp, string[] | ((path: string) => string[])][]}
 */
const MAP = [
  // a suite selects itself; what else is in a suite's folder selects that folder
  [/^((?:backend|test)\/.+)\.(?:test|e2e)\.ts$/, (path) => [path]],
  [/^(test\/(?!kit\/)[\w-]+)\//, (folder) => [folder]],
  [/^test\/kit\/n8n\//, ['test/n8n']],
  [/^test\/kit\/fuzz\//, ['test/fuzz', 'contract/parity']],
  [/^test\/kit\/docs\//, ['test/docs/blocks', 'test/examples']],
  [/^backend\/web\//, ['backend/web/src', 'test/browser', 'test/service/first-page', 'test/docs']],
  [/^nodes\/[A-Z]+\.md$/, ['test/docs', 'test/n8n/nodes']],
  [/^(nodes|credentials)\//, ['test/n8n']],
  [/^examples\/n8n\//, ['test/n8n/examples', 'test/examples']],
  [/^examples\/agent\//, ['test/agent', 'test/examples']],
  [/^examples\//, ['test/examples', 'test/docs/blocks']],
  [
    /^(deploy\/|(docker-compose|compose\.small)\.yml$|Dockerfile$|\.dockerignore$|\.env\.example$)/,
    ['test/operations', 'test/examples'],
  ],
  [
    /^(docs\/|changes\/|[A-Z]+\.md$|LICENSE$|\.github\/)/,
    ['test/docs', 'browser/docs', 'test/agent/guide', 'test/n8n/nodes', 'test/operations/(files|release-images)'],
  ],
  [
    /^backend\/src\/accounts\//,
    [
      'backend/src/accounts',
      'contract/auth',
      'console/(sessions|first-owner)',
      'service/command-line',
      'browser/account',
      ...COMMON,
    ],
  ],
  [
    /^backend\/src\/orders\//,
    [
      'backend/src/orders',
      'contract/(orders|order-lists|cursors|states|races|printers)',
      'console/(stock|stats|sample)',
      'browser/(board|order)',
      'n8n/nodes',
      ...COMMON,
    ],
  ],
  [
    /^backend\/src\/filaments\//,
    [
      'backend/src/filaments',
      'contract/(filaments|cursors|races)',
      'console/(stock|stats|sample)',
      'browser/stock',
      'n8n/nodes',
      ...COMMON,
    ],
  ],
  [
    /^backend\/src\/(printers|prints)\//,
    [
      'backend/src/(printers|prints)',
      'contract/(printers|agents)',
      'console/(printers|sample)',
      'test/agent',
      'browser/(printers|agents)',
      ...COMMON,
    ],
  ],
  [
    /^backend\/src\/invoices\//,
    ['backend/src/invoices', 'contract/invoices', 'browser/(invoices|record-pages)', ...COMMON],
  ],
  [
    /^backend\/src\/leads\//,
    ['backend/src/leads', 'contract/leads', 'console/leads', 'browser/(requests|hostile)', ...COMMON],
  ],
  [
    /^backend\/src\/(webhooks|events)\//,
    [
      'backend/src/webhooks',
      'contract/(webhooks|deliveries|events|signatures|chats|guard|traces|cursors)',
      'console/(event-log|live)',
      'test/(delivery|crash|cluster|n8n)',
      'browser/automation',
      ...COMMON,
    ],
  ],
  [/^backend\/src\/sample\//, ['console/sample', 'browser/(board|dashboard)', ...COMMON]],
  [
    /^backend\/src\/storage\/idempotency\//,
    ['backend/src/storage/idempotency', 'contract/(races|orders|filaments)', 'n8n/nodes', ...COMMON],
  ],
  [/^agent\//, ['agent/src', 'test/agent']],
  [/^backend\/src\/jobs\//, ['backend/src/jobs', 'test/(delivery|crash|cluster)', 'console/live']],
  [/^backend\/src\/cli\//, ['test/service', 'test/operations', 'test/agent', 'test/upgrade']],
];

/**
 * @param {string[]} files changed, from the root of the repository
 * @returns {string[] | 'everything'} patterns of paths of suites
 */
exports.suitesFor = (files) => {
  /** @type {Set<string>} */
  const suites = new Set();
  for (const file of files) {
    const mapped = MAP.find(([pattern]) => pattern.test(file));
    if (!mapped) return 'everything';
    const [pattern, found] = mapped;
    for (const suite of Array.isArray(found) ? found : found(String(pattern.exec(file)?.[1]))) suites.add(suite);
  }
  return [...suites];
};

exports.MAP = MAP;

/** @param {string} base */
function changedSince(base) {
  /** @param {string[]} args */
  const git = (...args) => execFileSync('git', args, { cwd: ROOT, encoding: 'utf8' }).split('\n').filter(Boolean);
  return [...git('diff', '--name-only', base), ...git('ls-files', '--others', '--exclude-standard')];
}

/** @param {string[]} args */
function main(args) {
  const at = args.indexOf('--base');
  const [base = 'HEAD'] = at < 0 ? ['HEAD'] : args.splice(at, 2).slice(1);
  const files = changedSince(base);
  const suites = exports.suitesFor(files);
  if (files.length === 0) return console.log(`Nothing has changed since ${base}.`);
  console.log(`${files.length} changed files: ${suites === 'everything' ? suites : suites.join(' ')}`);
  const patterns = suites === 'everything' ? [] : ['--testPathPatterns', ...suites];
  const jest = require.resolve('jest/bin/jest');
  process.exitCode =
    spawnSync(process.execPath, [jest, ...args, ...patterns], { cwd: ROOT, stdio: 'inherit' }).status ?? 1;
}

if (require.main === module) main(process.argv.slice(2));
