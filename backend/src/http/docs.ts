import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import express, { type NextFunction, type Request, type Response, Router } from 'express';
import { createApiReference } from './api-reference.ts';
import { findBuild, serveAssets } from './assets.ts';

/** What is at /docs/ if the site isn't built: only its tools can build it, and running the service doesn't need them. */
const WITHOUT_SITE = `<!doctype html>
<html lang="en">
<head>
  <meta charset="utf-8">
  <meta name="viewport" content="width=device-width, initial-scale=1">
  <title>Farmboard documentation</title>
  <link rel="stylesheet" href="./plain.css">
</head>
<body>
  <main>
    <h1>Farmboard documentation</h1>
    <ul>
      <li><a href="./api/">API reference</a>, and its <a href="/api/v1/openapi.json">OpenAPI document</a></li>
      <li><a href="https://github.com/farmboard/n8n-nodes-farmboard/tree/main/docs">Guides and reference on GitHub</a>, also in the folder <code>docs</code> of the source</li>
    </ul>
    <p>This server was built without its guides. To have them here, run <code>npm ci &amp;&amp; npm run docs</code> in the source and start it again.</p>
  </main>
</body>
</html>
`;

const PLAIN_STYLE = `:root { color-scheme: light dark; }
body { margin: 0; font: 16px/1.6 system-ui, sans-serif; }
main { max-width: 42rem; margin: 0 auto; padding: 2rem 1rem; }
`;

/** The catalog of events, by the path that is easy to remember. */
const CATALOG = '/events';

/** Only resources of this service. Inline scripts are those that the build has written, by their hashes. */
const policyOf = (scripts: string[]): string =>
  [
    "default-src 'none'",
    ["script-src 'self'", ...scripts.map((hash) => `'${hash}'`)].join(' '),
    // colors of code are inline styles
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data:",
    "font-src 'self'",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');

/** Serves the built pages. */
function serveSite(files: string): Router {
  const router = Router();
  const missing = join(files, '404.html');
  router.use('/assets', serveAssets(join(files, 'assets')));
  // always revalidated, because pages reference the newest files
  const setHeaders = (res: Response) => void res.setHeader('Cache-Control', 'no-cache');
  router.use(express.static(files, { extensions: ['html'], redirect: false, setHeaders }));
  router.use((req: Request, res: Response, next: NextFunction) => {
    if (req.method !== 'GET' || req.accepts(['json', 'html']) !== 'html') return next();
    res.setHeader('Cache-Control', 'no-cache');
    res.status(404).sendFile(missing);
  });
  return router;
}

/** Every page leads to the one that says where they are, but not for good: the site may be built. */
function serveWithoutSite(): Router {
  const router = Router();
  router.get(['/', '/index.html'], (_req, res) => void res.type('html').send(WITHOUT_SITE));
  router.get('/plain.css', (_req, res) => void res.type('css').send(PLAIN_STYLE));
  router.get('/*page', (req, res, next) => {
    if (req.path === CATALOG || req.accepts(['json', 'html']) === 'html') res.redirect(302, '/docs/');
    else next();
  });
  return router;
}

/** The documentation with the API reference below it. */
export function createDocs(files = findBuild('docs')): Router {
  const scripts = join(files, 'inline-scripts.json');
  const isBuilt = existsSync(scripts);
  const policy = policyOf(isBuilt ? (JSON.parse(readFileSync(scripts, 'utf8')) as string[]) : []);
  const router = Router();
  router.use('/api', createApiReference());
  router.get('/', (req, res, next) => {
    if (req.originalUrl.split('?')[0]?.endsWith('/')) next();
    else res.redirect(301, '/docs/');
  });
  if (isBuilt) router.get(CATALOG, (_req, res) => res.redirect(301, '/docs/reference/events#catalog'));
  router.use((_req: Request, res: Response, next: NextFunction) => {
    res.setHeader('Content-Security-Policy', policy);
    next();
  });
  router.use(isBuilt ? serveSite(files) : serveWithoutSite());
  return router;
}
