// What the pages have that VitePress would show differently from GitHub: links into the repository, diagrams, anchors.
import { posix } from 'node:path';
import { renderMermaidSVG } from 'beautiful-mermaid';

const REPOSITORY = 'https://github.com/farmboard/n8n-nodes-farmboard/blob/main/';

/**
 * The anchor that GitHub gives to a heading.
 * @param {string} heading
 */
export const slugify = (heading) =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-');

/**
 * @param {string} page from docs/
 * @param {string} link
 * @returns {string} the address in the repository of what lies outside of docs/
 */
function toRepository(page, link) {
  if (/^([a-z]+:|#|\/)/.test(link)) return link;
  const target = posix.join('docs', posix.dirname(page), link);
  return target.startsWith('docs/') ? link : REPOSITORY + target;
}

const SPACING = { padding: 8, layerSpacing: 28 };

/** How far a diagram shrinks before it scrolls: its text stays readable. */
const SMALLEST = 0.75;

let drawn = 0;

/**
 * Draws a diagram. Its colors are variables that theme/style.css sets, in light and dark.
 * @param {string} source Mermaid's notation; `accTitle` says what the diagram shows
 */
function draw(source) {
  const title = /^\s*accTitle:\s*(.+)$/m.exec(source)?.[1] ?? 'Diagram';
  drawn += 1;
  const prefix = `diagram-${drawn}-`;
  const svg = renderMermaidSVG(source.replace(/^\s*accTitle:.*\n/m, ''), SPACING)
    // its style asks another host for a font
    .replace(/<style>[\s\S]*?<\/style>/, '')
    .replace(/<svg ([^>]*?) style="[^"]*"/, `<svg $1 role="img" aria-label="${title.replaceAll('"', '&quot;')}"`)
    .replace(/ width="([\d.]+)"/, (width, px) => `${width} style="min-width:${Math.round(px * SMALLEST)}px"`)
    .replaceAll(/ id="([^"]+)"/g, ` id="${prefix}$1"`)
    .replaceAll(/url\(#([^)]+)\)/g, `url(#${prefix}$1)`);
  return `<div class="diagram" v-pre>${svg}</div>\n`;
}

/** @param {import('vitepress').MarkdownRenderer} md */
export function extendMarkdown(md) {
  md.core.ruler.push('repository-links', ({ tokens, env }) => {
    const links = tokens.flatMap((token) => token.children ?? []).filter(({ type }) => type === 'link_open');
    for (const link of links) link.attrSet('href', toRepository(env.relativePath ?? '', link.attrGet('href') ?? ''));
  });
  const { fence } = md.renderer.rules;
  for (const type of /** @type {const} */ (['text', 'code_inline'])) {
    const rule = md.renderer.rules[type];
    // what n8n and Home Assistant put in double braces is text here, too, and not a template of the site
    md.renderer.rules[type] = (...args) => (rule?.(...args) ?? '').replaceAll('{{', '&#123;&#123;');
  }
  md.renderer.rules.fence = (tokens, at, options, env, self) => {
    const token = tokens[at];
    if (token?.info.trim() === 'mermaid') return draw(token.content);
    return fence?.(tokens, at, options, env, self) ?? '';
  };
}
