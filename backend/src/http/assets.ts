import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import express, { type NextFunction, type Request, type Response, Router } from 'express';

/** Precompressed variants written by `backend/build.mjs`, smallest first. */
const ENCODINGS = [
  { name: 'br', suffix: '.br' },
  { name: 'gzip', suffix: '.gz' },
];

/**
 * Finds built pages beside the built service. Resolved once, so a newer build does not change what this process serves.
 */
export function findBuild(kind: 'web' | 'docs'): string {
  const dist = join(dirname(fileURLToPath(import.meta.url)), '..');
  const pointer = join(dist, `${kind}-current`);
  return join(dist, existsSync(pointer) ? readFileSync(pointer, 'utf8').trim() : kind);
}

/** Serves the files of a folder in the smallest encoding the browser accepts. */
export function serveAssets(folder: string): Router {
  const router = Router();
  const names = new Set(existsSync(folder) ? readdirSync(folder, { recursive: true, encoding: 'utf8' }) : []);
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
