import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import express, { type NextFunction, type Request, type Response, Router } from 'express';
import { DomainError } from '../errors.ts';

/** Everything from this very service: no script, style, font or picture of another host, and no script in the page itself. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  // Mantine sets styles from script
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data: blob:",
  "font-src 'self'",
  "connect-src 'self'",
  "manifest-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** What the build writes beside each asset, smallest first: `backend/build.mjs`. */
const ENCODINGS = [
  { name: 'br', suffix: '.br' },
  { name: 'gzip', suffix: '.gz' },
];

/** The built console, which lies beside the built service. Named once: a newer build does not change what this process serves. */
function findFiles(): string {
  const dist = join(dirname(fileURLToPath(import.meta.url)), '..');
  const pointer = join(dist, 'web-current');
  return join(dist, existsSync(pointer) ? readFileSync(pointer, 'utf8').trim() : 'web');
}

/** The files of a folder, each in the smallest encoding that the browser takes. */
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
  // their names have a digest of what is in them
  router.use(express.static(folder, { immutable: true, maxAge: '1y', index: false }));
  return router;
}

/** The console's pages. Every address below it is one page, which finds out itself what to show. */
export function createWeb(files = findFiles()): Router {
  const router = Router();
  const page = join(files, 'index.html');
  router.use((_req: Request, res: Response, next: NextFunction) => {
    res.setHeader('Content-Security-Policy', POLICY);
    // a camera for scanning labels
    res.setHeader('Permissions-Policy', 'camera=(self)');
    next();
  });
  router.use('/assets', serveAssets(join(files, 'assets')));
  router.use(express.static(files, { index: false, maxAge: '1h' }));
  router.get(/.*/, (req: Request, res: Response, next: NextFunction) => {
    if (req.path.startsWith('/assets/')) return next();
    if (!existsSync(page)) return next(new DomainError('not_found', 'This server was built without the console.'));
    // asked for anew each time: it names the newest files
    res.setHeader('Cache-Control', 'no-cache');
    res.sendFile(page);
  });
  return router;
}
