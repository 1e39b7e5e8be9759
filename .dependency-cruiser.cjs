// The arrows of the house: which room may import which. `npm run arrows` fails on any other import and on every cycle.
const features = ['accounts', 'orders', 'printers', 'filaments', 'events', 'webhooks', 'sample', 'leads', 'invoices'];
const tests = '(\\.test\\.ts$|^test/)';

/** Only the listed places may import a package, so that replacing it touches one room. */
const onlyIn = (name, packages, places) => ({
  name,
  severity: 'error',
  from: { path: '^backend/src', pathNot: [...places, tests] },
  to: { path: packages.map((p) => `node_modules/${p}/`) },
});

module.exports = {
  forbidden: [
    { name: 'no-cycle', severity: 'error', from: {}, to: { circular: true } },
    { name: 'resolvable', severity: 'error', from: {}, to: { couldNotResolve: true } },
    {
      name: 'nobody-imports-main',
      severity: 'error',
      comment: 'main.ts is the composition root; only commands start it',
      from: { pathNot: ['^backend/src/(commands|cli)', tests] },
      to: { path: '^backend/src/main\\.ts$' },
    },
    {
      name: 'only-main-wires',
      severity: 'error',
      from: { pathNot: ['^backend/src/main\\.ts$', tests] },
      to: { path: '^backend/src/wiring\\.ts$' },
    },
    {
      name: 'shipped-code-imports-no-test-support',
      severity: 'error',
      from: { path: '^backend/src', pathNot: tests },
      to: { path: '^test/' },
    },
    ...features.map((feature) => ({
      name: `${feature}-imports-no-other-feature`,
      severity: 'error',
      comment: 'a feature imports another feature for types only; main.ts hands it what it needs',
      from: { path: `^backend/src/${feature}/`, pathNot: tests },
      to: {
        path: `^backend/src/(${features.filter((other) => other !== feature).join('|')})/`,
        // the names and shapes of events are the vocabulary that all features share
        pathNot: '^backend/src/events/catalogue\\.ts$',
        dependencyTypesNot: ['type-only'],
      },
    })),
    {
      name: 'mechanisms-import-no-feature',
      severity: 'error',
      from: { path: '^backend/src/(http|jobs|storage)/', pathNot: tests },
      to: { path: `^backend/src/(${features.join('|')}|commands)/`, dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'routes-import-no-store',
      severity: 'error',
      comment: 'routes → service → store → storage',
      from: { path: 'routes\\.tsx?$' },
      to: { path: '(/store\\.ts$|^backend/src/storage/)', dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'stores-know-no-service-and-no-http',
      severity: 'error',
      from: { path: 'store\\.ts$' },
      to: { path: '(service\\.ts$|routes\\.tsx?$|^backend/src/http/)' },
    },
    onlyIn(
      'express-only-in-http-and-routes',
      ['express', 'helmet', 'express-rate-limit', 'swagger-ui-dist'],
      ['^backend/src/http/', 'routes\\.tsx?$'],
    ),
    onlyIn('knex-only-in-storage-and-stores', ['knex', 'sqlite3', 'pg'], ['^backend/src/storage/', 'store\\.ts$']),
    onlyIn('bullmq-only-in-jobs', ['bullmq', 'ioredis', '@bull-board'], ['^backend/src/jobs/']),
    {
      name: 'the-bridge-stands-alone',
      severity: 'error',
      comment: 'it runs beside the printers, knows the service only over HTTP, and opens no database',
      from: { path: '^backend/src/bridge/', pathNot: tests },
      to: { path: `^backend/src/(${features.join('|')}|http|jobs|storage|idempotency|commands)/` },
    },
    {
      name: 'only-its-command-starts-the-bridge',
      severity: 'error',
      comment: 'the service does not load it',
      from: { path: '^backend/src', pathNot: ['^backend/src/bridge/', '^backend/src/commands/agent\\.ts$', tests] },
      to: { path: '^backend/src/bridge/' },
    },
    onlyIn('printer-protocols-only-in-the-bridge', ['mqtt', 'ws'], ['^backend/src/bridge/']),
    onlyIn('metrics-only-in-metrics', ['prom-client'], ['^backend/src/metrics\\.ts$']),
    {
      name: 'the-n8n-package-knows-only-http',
      severity: 'error',
      comment:
        'nodes/ and credentials/ are published alone: n8n gives them n8n-workflow, Node.js its crypto, nothing else',
      from: { path: '^(nodes|credentials)/.*\\.ts$' },
      to: { pathNot: ['^nodes/Farmboard/', '^node:crypto$', '^crypto$', 'node_modules/n8n-workflow/'] },
    },
    {
      name: 'the-console-knows-only-http',
      comment: 'what it knows of the service is in wire.d.ts, made from the OpenAPI document',
      severity: 'error',
      from: { path: '^backend/web/src' },
      to: { path: '^(backend/src|nodes|credentials)/' },
    },
    {
      name: 'the-service-knows-no-console',
      severity: 'error',
      from: { path: '^backend/src' },
      to: { path: '^backend/web/' },
    },
    {
      name: 'the-service-knows-no-n8n',
      severity: 'error',
      from: { path: '^backend/src' },
      to: { path: ['^(nodes|credentials)/', 'node_modules/(n8n-|@n8n/)'] },
    },
    onlyIn('outgoing-http-only-in-the-sender', ['undici'], ['^backend/src/webhooks/sender\\.ts$']),
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsPreCompilationDeps: true,
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'require', 'node', 'default'] },
  },
};
