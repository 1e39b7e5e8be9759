import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import express, { type NextFunction, type Request, type Response, Router } from 'express';

const PAGE = `<!doctype html>
<html lang="en">
<head>
  <meta charset="utf-8">
  <meta name="viewport" content="width=device-width, initial-scale=1">
  <title>Farmboard API reference</title>
  <link rel="stylesheet" href="./swagger-ui.css">
  <link rel="stylesheet" href="./farmboard.css">
</head>
<body>
  <div id="api"></div>
  <noscript>This page needs JavaScript. The OpenAPI document is at <a href="/api/v1/openapi.json">/api/v1/openapi.json</a></noscript>
  <script src="./swagger-ui-bundle.js"></script>
  <script src="./farmboard.js"></script>
</body>
</html>
`;

const SCRIPT = `SwaggerUIBundle({
  url: '/api/v1/openapi.json',
  dom_id: '#api',
  deepLinking: true,
  defaultModelsExpandDepth: 0,
  displayRequestDuration: true,
  docExpansion: 'list',
  filter: true,
  tryItOutEnabled: false,
  validatorUrl: null,
});
`;

const STYLE = `body { margin: 0; }
.swagger-ui .topbar { display: none; }
.swagger-ui .wrapper { max-width: 1100px; }
`;

/**
 * The API reference: Swagger UI for our OpenAPI document, served from the installed package. Loads nothing from other
 * hosts, so it works without internet access and does not reveal its readers.
 */
export function createApiReference(): Router {
  const files = dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'));
  const router = Router();
  router.use((_req: Request, res: Response, next: NextFunction) => {
    // Swagger UI sets inline styles and uses data: images as icons
    res.setHeader(
      'Content-Security-Policy',
      "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    );
    next();
  });
  const page = (type: string, text: string) => (_req: Request, res: Response) => void res.type(type).send(text);
  router.get('/', (req, res, next) => {
    if (req.originalUrl.split('?')[0]?.endsWith('/')) next();
    else res.redirect(301, '/docs/api/');
  });
  router.get(['/', '/index.html'], page('html', PAGE));
  router.get('/farmboard.js', page('text/javascript', SCRIPT));
  router.get('/farmboard.css', page('css', STYLE));
  for (const name of ['swagger-ui.css', 'swagger-ui-bundle.js', 'favicon-32x32.png']) {
    router.get(`/${name}`, express.static(files, { index: false, maxAge: '1h' }));
  }
  return router;
}
