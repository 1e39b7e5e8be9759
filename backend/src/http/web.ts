import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import express, { type NextFunction, type Request, type Response, Router } from 'express';
import { DomainError } from '../shared/errors.ts';

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

/** Precompressed variants written by `backend/build.mjs`, smallest first. */
const ENCODINGS = [
  { name: 'br', suffix: '.br' },
  { name: 'gzip', suffix: '.gz' },
];

/**
 * Finds the built console beside the built service. Resolved once, so a newer build does not change what this process
 * serves.
 */
function findFiles(): string {
  const dist = join(dirname(fileURLToPath(import.meta.url)), '..');
  const pointer = join(dist, 'web-current');
  return join(dist, existsSync(pointer) ? readFileSync(pointer, 'utf8').trim() : 'web');
}

/** Serves the files of a folder in the smallest encoding the browser accepts. */
function serveAssets(folder: string): Router {
  const router = Router();
  const names = new Set(existsSync(folder) ? readdirSync(folder) : []);
  router.use((req: Request, res: Response, next: NextFunction) => {
    const name = req.path.slice(1);
    const offered = ENCODINGS.filter(({ suffix }) => names.has(name + suffix));
    if (offered.length === 0) return next();
    res.vary('Accept-Encoding');
    const encoding = offered.find((one) => req.acceptsEncodings(one.name));
    if (!encoding) return next();
    res.type(extname(name));
    res.setHeader('Content-Encoding', encoding.name);
    req.url = req.url.replace(name, name + encoding.suffix);
    next();
  });
  // file names contain a content digest
  router.use(express.static(folder, { immutable: true, maxAge: '1y', index: false }));
  return router;
}

/** Serves the console, a single-page application: every path below it returns index.html. */
export function createWeb(files = findFiles()): Router {
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
