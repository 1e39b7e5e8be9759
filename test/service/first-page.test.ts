import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

const DIST = resolve(__dirname, '../../backend/dist');
const MAX_BYTES = 250_000;

const build = () => join(DIST, readFileSync(join(DIST, 'web-current'), 'utf8'));

/** The modules that a module cannot run without: what it imports, but not what it loads when it is asked for. */
function importsOf(code: string): string[] {
  const found = code.matchAll(/(?:\bimport|\bfrom)\s*["'](\.\.?\/[^"']+\.js)["']/g);
  return [...found].map(([, path]) => path as string);
}

const STYLES = resolve(__dirname, '../../node_modules/@mantine/core/styles.css');
const classesIn = (text: string) => new Set(text.match(/\bm_[0-9a-f]{7,8}\b/g));

test('sends at most 250 kB of gzipped JavaScript and styles for the first page', () => {
  const html = readFileSync(join(build(), 'index.html'), 'utf8');
  const named = [...html.matchAll(/(?:src|href)="\/console\/([^"]+\.(?:js|css))"/g)].map(([, path]) => path as string);
  expect(named.map((path) => path.replace(/.*\./, '')).sort()).toEqual(['css', 'js']);
  const sizes = new Map<string, number>();
  const waiting = named.map((path) => join(build(), path));
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    if (sizes.has(path)) continue;
    expect(existsSync(path)).toBe(true);
    sizes.set(path, readFileSync(`${path}.gz`).length);
    if (path.endsWith('.js'))
      waiting.push(...importsOf(readFileSync(path, 'utf8')).map((each) => resolve(path as string, '..', each)));
  }
  const total = [...sizes.values()].reduce((sum, size) => sum + size, 0);
  console.info(`first page: ${sizes.size} files, ${(total / 1000).toFixed(1)} kB gzip`);
  expect(total).toBeLessThanOrEqual(MAX_BYTES);
  // the board and React alone are more: a count that finds nothing would always be small
  expect(total).toBeGreaterThan(100_000);
});

test('has the styles of every component that the console uses in mantine.css', () => {
  const assets = join(build(), 'assets');
  const read = (type: string) =>
    readdirSync(assets)
      .filter((name) => name.endsWith(type))
      .map((name) => readFileSync(join(assets, name), 'utf8'))
      .join('\n');
  const [used, styled, known] = [read('.js'), read('.css'), readFileSync(STYLES, 'utf8')].map(classesIn);
  expect(used?.size).toBeGreaterThan(100);
  expect([...(used ?? [])].filter((name) => known?.has(name) && !styled?.has(name))).toEqual([]);
});
