import { existsSync } from 'node:fs';
import { join } from 'node:path';
import express, { type NextFunction, type Request, type RequestHandler, type Response, Router } from 'express';
import { DomainError } from '../shared/errors.ts';
import { findBuild, serveAssets } from './assets.ts';

/** Only resources of this service, and no inline scripts. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  // Mantine sets inline styles
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data: blob:",
  "font-src 'self'",
  "connect-src 'self'",
  "manifest-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** Serves the console, a single-page application: every path below it returns index.html. */
export function createWeb(files = findBuild('web')): Router {
  const router = Router();
  const page = join(files, 'index.html');
  router.use((_req: Request, res: Response, next: NextFunction) => {
    res.setHeader('Content-Security-Policy', POLICY);
    // the camera scans labels
    res.setHeader('Permissions-Policy', 'camera=(self)');
    next();
  });
  router.use('/assets', serveAssets(join(files, 'assets')));
  router.use(express.static(files, { index: false, maxAge: '1h' }));
  router.get(/.*/, (req: Request, res: Response, next: NextFunction) => {
    if (req.path.startsWith('/assets/')) return next();
    if (!existsSync(page)) return next(new DomainError('not_found', 'This server was built without the console.'));
    // always revalidated, because it references the newest files
    res.setHeader('Cache-Control', 'no-cache');
    res.sendFile(page);
  });
  return router;
}

/** The console's icon for browsers that ask for one unasked, as they do on a page without a link to it. */
export function createFavicon(files = findBuild('web')): RequestHandler {
  const icon = join(files, 'icon.svg');
  return (_req, res, next) => res.sendFile(icon, { maxAge: '1h' }, (error) => error && !res.headersSent && next());
}
