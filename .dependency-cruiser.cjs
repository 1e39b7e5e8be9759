// The import rules: which folder may import which. `npm run imports` fails on any other import and on every cycle.
const features = [
  ...['accounts', 'orders', 'printers', 'prints', 'filaments', 'events', 'webhooks', 'sample', 'leads', 'invoices'],
  'reports',
];
const layers = require('./test/structure/layers.cjs');

const tests = '(\\.test\\.ts$|^test/)';

/** Only the listed places may import a package, so that replacing it touches one folder. */
const onlyIn = (name, packages, places) => ({
  name,
  severity: 'error',
  from: { path: '^backend/src', pathNot: [...places, tests] },
  to: { path: packages.map((p) => `node_modules/${p}/`) },
});

const inConsole = (entries) => `^backend/web/src/(${entries.join('|')})(/|$)`;

module.exports = {
  forbidden: [
    { name: 'no-cycle', severity: 'error', from: {}, to: { circular: true } },
    {
      name: 'resolvable',
      severity: 'error',
      // what they import of a client is made from the OpenAPI document when they run
      from: { pathNot: '^(test/clients/drivers|examples/client)/' },
      to: { couldNotResolve: true },
    },
    {
      name: 'main-is-started-by-the-command-line',
      severity: 'error',
      from: { pathNot: ['^backend/src/cli/', tests] },
      to: { path: '^backend/src/main\\.ts$' },
    },
    {
      name: 'only-the-server-and-the-command-line-import-the-composition',
      severity: 'error',
      from: { pathNot: ['^backend/src/(main\\.ts$|cli/commands/|composition/)', tests] },
      to: { path: '^backend/src/composition/' },
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
      comment: "a feature imports another feature's types only; composition/ hands it the functions that it needs",
      from: { path: `^backend/src/${feature}/`, pathNot: tests },
      to: {
        path: `^backend/src/(${features.filter((other) => other !== feature).join('|')})/`,
        // names that all features share: events and the statuses of an order
        pathNot: ['^backend/src/events/catalog\\.ts$', '^backend/src/orders/status\\.ts$'],
        dependencyTypesNot: ['type-only'],
      },
    })),
    {
      name: 'infrastructure-imports-no-feature',
      severity: 'error',
      from: { path: '^backend/src/(http|jobs|storage|operator|shared|config)/', pathNot: tests },
      to: { path: `^backend/src/(${features.join('|')}|cli)/`, dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'shared-imports-nothing',
      severity: 'error',
      from: { path: '^backend/src/shared/', pathNot: tests },
      to: { path: '^backend/src/(?!shared/)' },
    },
    {
      name: 'routes-import-no-store',
      severity: 'error',
      comment: 'routes → service → store → storage',
      from: { path: 'routes\\.tsx?$' },
      to: { path: '(-store\\.ts$|^backend/src/storage/)', dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'schemas-import-no-store',
      severity: 'error',
      from: { path: '-schema\\.ts$' },
      to: { path: '(-store\\.ts$|-service\\.ts$|^backend/src/storage/)', dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'stores-import-no-service-and-no-http',
      severity: 'error',
      from: { path: '-store\\.ts$' },
      to: { path: '(-service\\.ts$|routes\\.tsx?$|^backend/src/http/)' },
    },
    onlyIn(
      'express-only-in-http-and-routes',
      ['express', 'helmet', 'swagger-ui-dist', 'compression'],
      ['^backend/src/http/', 'routes\\.tsx?$'],
    ),
    onlyIn('knex-only-in-storage-and-stores', ['knex', 'sqlite3', 'pg'], ['^backend/src/storage/', '-store\\.ts$']),
    onlyIn(
      'bullmq-only-in-jobs',
      ['bullmq', 'ioredis', '@bull-board', 'rate-limiter-flexible'],
      ['^backend/src/jobs/'],
    ),
    onlyIn('prometheus-only-in-metrics', ['prom-client'], ['^backend/src/operator/metrics\\.ts$']),
    {
      name: 'pdfs-are-rendered-in-a-worker-thread',
      severity: 'error',
      comment: 'a long invoice takes longer than other requests may wait',
      from: { path: '^backend/src', pathNot: ['^backend/src/invoices/pdf-worker\\.ts$', tests] },
      to: { path: '^backend/src/invoices/pdf\\.ts$' },
    },
    onlyIn('pdfkit-only-in-pdf', ['pdfkit'], ['^backend/src/invoices/pdf\\.ts$']),
    onlyIn('fontkit-only-in-pdf-fonts', ['fontkit'], ['^backend/src/invoices/pdf-']),
    {
      name: 'the-agent-stands-alone',
      severity: 'error',
      comment: 'it runs beside the printers and knows the server only over HTTP; common/ is compiled into both',
      from: { path: '^agent/src/', pathNot: tests },
      to: { path: '^backend/' },
    },
    {
      name: 'the-server-stands-without-the-agent',
      severity: 'error',
      comment: 'the command `agent` loads its bundle',
      from: { path: '^backend/(src|web)/', pathNot: tests },
      to: { path: '^agent/' },
    },
    {
      name: 'common-imports-nothing-of-those-that-share-it',
      severity: 'error',
      from: { path: '^common/', pathNot: tests },
      to: { path: '^(agent|backend|nodes|credentials|test)/' },
    },
    onlyIn('printer-protocols-only-in-the-agent', ['mqtt', 'ws'], []),
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
      comment: 'what it knows of the service is in api-types.d.ts, made from the OpenAPI document',
      severity: 'error',
      from: { path: '^backend/web/src', pathNot: tests },
      to: { path: '^(backend/src|common|agent|nodes|credentials)/' },
    },
    ...layers.console.flatMap((layer, index) =>
      layer.map((entry) => ({
        name: `console-${entry}-imports-only-what-is-below`,
        severity: 'error',
        comment: 'test/structure/layers.cjs',
        from: { path: inConsole([entry]), pathNot: tests },
        to: { path: inConsole(layers.console.slice(index).flat()), pathNot: inConsole([entry]) },
      })),
    ),
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
    {
      name: 'the-kit-imports-no-suite',
      severity: 'error',
      from: { path: '^test/kit/' },
      to: { path: '^test/(?!kit/)' },
    },
    {
      name: 'suites-share-the-kit',
      severity: 'error',
      comment: 'what several folders of suites need is in the kit',
      from: { path: '^test/([^/]+)/', pathNot: '^test/kit/' },
      to: {
        path: '^test/',
        pathNot: ['^test/(kit|$1)/'],
      },
    },
    {
      name: 'tests-import-no-suite',
      severity: 'error',
      comment: 'the parts of a suite that is too long for one file are *.suite.ts',
      from: {},
      to: { path: '\\.(test|e2e)\\.tsx?$' },
    },
    {
      name: 'the-console-and-the-n8n-package-are-tested-as-built',
      severity: 'error',
      from: { path: '^test/' },
      to: {
        path: '^(backend/web/src|nodes/Farmboard|credentials)/',
        // the types of responses, made from the OpenAPI documents
        pathNot: '^backend/web/src/api-types\\.d\\.ts$',
      },
    },
    {
      name: 'these-suites-know-only-the-built-service',
      severity: 'error',
      comment: 'other suites may import what they compare with, such as the table of errors',
      from: { path: '^test/(browser|cluster|fuzz|mutants|n8n)/' },
      to: { path: '^(agent|backend)/src/' },
    },
    onlyIn('undici-only-in-the-sender', ['undici'], ['^backend/src/webhooks/delivery/sender\\.ts$']),
    {
      name: 'other-outgoing-http-is-the-command-line-s',
      severity: 'error',
      comment: 'the service calls other hosts through the sender, whose guard refuses private addresses',
      from: { path: '^backend/src', pathNot: ['^backend/src/(main\\.ts$|cli/)', tests] },
      to: { path: '^(node:)?(https?|http2|tls)$', dependencyTypesNot: ['type-only'] },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '^test/fixtures/' },
    tsPreCompilationDeps: true,
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'require', 'node', 'default'] },
  },
};
