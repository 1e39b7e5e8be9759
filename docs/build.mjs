// node docs/build.mjs FOLDER [BASE]: writes the documentation as static pages, to be published below BASE (/ by default).
// The service serves its own copy, which `npm run docs` builds.
import { createHash } from 'node:crypto';
import { copyFileSync, readdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const docs = fileURLToPath(new URL('.', import.meta.url));

/**
 * The hashes by which a security policy allows the inline scripts of pages, and no others.
 * @param {string} folder
 * @returns {string[]} without quotes, `sha256-…`
 */
function hashInlineScripts(folder) {
  const pages = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.html'));
  const scripts = pages.flatMap((page) => [
    ...readFileSync(join(folder, page), 'utf8').matchAll(/<script(?![^>]*\ssrc=)[^>]*>([\s\S]*?)<\/script>/g),
  ]);
  const hashes = scripts.map(([, script = '']) => `sha256-${createHash('sha256').update(script).digest('base64')}`);
  return [...new Set(hashes)].sort();
}

/**
 * Builds the site.
 * @param {string} outDir absolute
 * @param {string} base the path below which it is published, with slashes at both ends
 */
export async function buildSite(outDir, base) {
  process.env.DOCS_BASE = base;
  const { build } = await import('vitepress');
  await build(docs, { outDir, base });
  copyFileSync(join(docs, '../backend/web/public/icon.svg'), join(outDir, 'icon.svg'));
  writeFileSync(join(outDir, 'inline-scripts.json'), JSON.stringify(hashInlineScripts(outDir)));
}

if (process.argv[1] !== undefined && realpathSync(process.argv[1]) === fileURLToPath(import.meta.url)) {
  const [folder, base = '/'] = process.argv.slice(2);
  if (folder === undefined) throw new Error('Usage: node docs/build.mjs FOLDER [BASE]');
  await buildSite(resolve(folder), base);
}
