import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(__dirname, '../..');
const BASE = '/docs/';
const questions = JSON.parse(readFileSync(join(__dirname, 'questions.json'), 'utf8')) as {
  question: string;
  page: string;
}[];
/** Outside of the site, served by the same service. */
const SERVICE = ['/docs/api/', '/api/v1/openapi.json'];
const SITE = join(ROOT, 'backend/dist', readFileSync(join(ROOT, 'backend/dist/docs-current'), 'utf8').trim());

const filesIn = (ending: string) =>
  readdirSync(SITE, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith(ending));
const read = (file: string) => readFileSync(join(SITE, file), 'utf8');

const html = new Map(filesIn('.html').map((file) => [file, read(file)]));
const addressOf = (file: string) => BASE + file.replace(/(index)?\.html$/, '');

const decode = (text: string) => text.replaceAll('&amp;', '&').replaceAll('&quot;', '"');
/** @param part the beginning of a tag, and the attribute */
const valuesOf = (text: string, part: RegExp) => [...text.matchAll(part)].map(([, value = '']) => decode(value));
const idsOf = (text: string) => new Set(valuesOf(text, /\sid="([^"]+)"/g));

/** The pages of the source, as addresses. */
const pages = readdirSync(join(ROOT, 'docs'), { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.md') && !file.startsWith('.') && !file.startsWith('node_modules'))
  .map((file) => addressOf(file.replace(/\.md$/, '.html')));

test('has every page of docs/, and each of them in the sidebar', () => {
  expect([...html.keys()].map(addressOf)).toEqual(expect.arrayContaining(pages));
  const decision = [...html.keys()].find((file) => file.startsWith('decisions/'));
  const sidebars = ['quick-start.html', String(decision)].map((file) => String(html.get(file)));
  const sidebar = new Set(sidebars.flatMap((text) => valuesOf(text, /<a [^>]*href="([^"]+)"/g)));
  expect(pages.filter((page) => page !== BASE && !sidebar.has(page))).toEqual([]);
});

test('has the page and the heading of every link', () => {
  const ids = new Map([...html].map(([file, text]) => [addressOf(file), idsOf(text)]));
  const broken = [...html].flatMap(([file, text]) =>
    valuesOf(text, /<a [^>]*href="([^"]+)"/g)
      .filter((link) => !/^[a-z]+:/.test(link))
      .filter((link) => {
        const { pathname, hash } = new URL(link, `http://farm.example${addressOf(file)}`);
        if (
          SERVICE.includes(pathname) ||
          (pathname.endsWith('.svg') && existsSync(join(SITE, pathname.slice(BASE.length))))
        )
          return false;
        const target = ids.get(pathname);
        return target === undefined || (hash !== '' && !target.has(decodeURIComponent(hash.slice(1))));
      })
      .map((link) => `${addressOf(file)}: ${link}`),
  );
  expect(broken).toEqual([]);
  expect(ids.size).toBeGreaterThan(60);
});

test('loads nothing from another host', () => {
  const loaded = [...html].flatMap(([, text]) => [
    ...valuesOf(text, /<(?:script|img|source|iframe|video)\s[^>]*?\bsrc="([^"]+)"/g),
    ...valuesOf(text, /<link\s[^>]*?\bhref="([^"]+)"/g),
  ]);
  const styles = filesIn('.css').flatMap((file) => valuesOf(read(file), /(?:url\(|@import\s+)["']?([^"')]+)/g));
  expect([...new Set([...loaded, ...styles])].filter((address) => !/^(\/docs\/|data:|#)/.test(address))).toEqual([]);
  expect(loaded.length).toBeGreaterThan(100);
});

test('has diagrams drawn by the build, each with a title', () => {
  const drawn = [...html].flatMap(([, text]) => valuesOf(text, /<svg [^>]*role="img" aria-label="([^"]+)"/g));
  expect(drawn.length).toBeGreaterThan(8);
  expect(drawn).not.toContain('Diagram');
  expect([...html].filter(([, text]) => text.includes('language-mermaid')).map(([file]) => file)).toEqual([]);
});

test('finds the page for each question among the first three results', () => {
  const tool = join(__dirname, 'search-site.mjs');
  const input = questions.map(({ question }) => question).join('\n');
  const answers = execFileSync(process.execPath, [tool, SITE], { input, encoding: 'utf8' }).trim().split('\n');
  const missed = questions.flatMap(({ question, page }, at) => {
    const found = (JSON.parse(answers[at] ?? '[]') as string[]).slice(0, 3);
    return found.some((id) => id.split('#')[0] === BASE + page.slice(1)) ? [] : [{ question, page, found }];
  });
  expect(missed).toEqual([]);
  expect(questions).toHaveLength(30);
});

test('is small enough to come with the service', () => {
  const packed = execFileSync('tar', ['-czf', '-', '-C', SITE, '.'], { maxBuffer: 64_000_000 });
  expect(packed.length).toBeLessThan(6_000_000);
});
