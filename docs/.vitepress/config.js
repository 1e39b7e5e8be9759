import { defineConfig } from 'vitepress';
import { extendMarkdown, slugify } from './markdown.js';
import { API, createSidebar } from './sidebar.js';

/** Where the service serves the site, beside the API reference. Static pages may be published below another path. */
const SERVED_AT = '/docs/';
const base = process.env.DOCS_BASE ?? SERVED_AT;
const hasApi = base === SERVED_AT;

export default defineConfig({
  base,
  title: 'Farmboard',
  description: 'The order book of a 3D-printing farm, made for automation',
  cleanUrls: true,
  // one after the other, so that the same pages give the same files
  buildConcurrency: 1,
  // examples name the service at 127.0.0.1
  ignoreDeadLinks: [/^https?:\/\/(localhost|127\.0\.0\.1)/],
  head: [['link', { rel: 'icon', type: 'image/svg+xml', href: `${base}icon.svg` }]],
  markdown: {
    anchor: { slugify },
    // braces behind a word are text
    attrs: { disable: true },
    config: extendMarkdown,
    theme: { light: 'github-light-high-contrast', dark: 'github-dark-high-contrast' },
  },
  themeConfig: {
    logo: '/icon.svg',
    nav: [
      { text: 'Quick start', link: '/quick-start' },
      { text: 'Concepts', link: '/concepts/statuses', activeMatch: '/concepts/' },
      ...(hasApi ? [{ text: 'API', ...API }] : []),
    ],
    sidebar: createSidebar(hasApi),
    outline: [2, 3],
    search: { provider: 'local' },
    socialLinks: [{ icon: 'github', link: 'https://github.com/farmboard/n8n-nodes-farmboard' }],
    docFooter: { prev: 'Previous', next: 'Next' },
    externalLinkIcon: true,
  },
});
