import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { gzipSync } from 'node:zlib';

const DIST = resolve(__dirname, '../../backend/dist');
const MOST_BYTES = 300_000;

/** The modules that a module cannot run without: what it imports, but not what it loads when it is asked for. */
function importsOf(code: string): string[] {
  const found = code.matchAll(/(?:\bimport|\bfrom)\s*["'](\.\.?\/[^"']+\.js)["']/g);
  return [...found].map(([, path]) => path as string);
}

test('the JavaScript of the first page is at most 300 kB, gzipped', () => {
  const build = join(DIST, readFileSync(join(DIST, 'web-current'), 'utf8'));
  const html = readFileSync(join(build, 'index.html'), 'utf8');
  const named = [...html.matchAll(/(?:src|href)="\/console\/([^"]+\.js)"/g)].map(([, path]) => path as string);
  expect(named.length).toBeGreaterThan(0);
  const sizes = new Map<string, number>();
  const waiting = named.map((path) => join(build, path));
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    if (sizes.has(path)) continue;
    expect(existsSync(path)).toBe(true);
    const code = readFileSync(path);
    sizes.set(path, gzipSync(code).length);
    waiting.push(...importsOf(code.toString('utf8')).map((each) => resolve(path as string, '..', each)));
  }
  const total = [...sizes.values()].reduce((sum, size) => sum + size, 0);
  console.info(`first page: ${sizes.size} files, ${(total / 1000).toFixed(1)} kB gzip`);
  expect(total).toBeLessThanOrEqual(MOST_BYTES);
  // the board and React alone are more: a count that finds nothing would always be small
  expect(total).toBeGreaterThan(100_000);
});
