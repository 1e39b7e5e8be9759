// The pages by what they are for. A page that isn't listed joins the group of its folder, so none is lost.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const DOCS = fileURLToPath(new URL('..', import.meta.url));

/** @typedef {{ text: string, pages: string[], folder?: string }} Group */

/** @type {Group[]} */
const GROUPS = [
  { text: 'Start', pages: ['quick-start'] },
  {
    text: 'Concepts',
    folder: 'concepts',
    pages: ['concepts/statuses', 'concepts/filament-stock', 'concepts/delivery-promise'],
  },
  {
    text: 'Connect a hub',
    folder: 'hubs',
    pages: ['hubs/n8n', 'guide/n8n-examples', 'hubs/home-assistant', 'hubs/node-red', 'hubs/script'],
  },
  {
    text: 'How to',
    folder: 'guide',
    pages: [
      ...['guide/printers', 'guide/scanners', 'guide/import-orders', 'guide/orders-from-a-shop'],
      ...['guide/public-profile', 'guide/invoices', 'guide/receive-webhooks'],
    ],
  },
  {
    text: 'Operate',
    pages: [
      ...['guide/operate', 'guide/docker', 'guide/accounts', 'guide/backups', 'guide/secret-key'],
      ...['guide/troubleshooting', 'reference/settings', 'reference/metrics', 'reference/processes'],
      'reference/retention',
    ],
  },
  {
    text: 'Reference',
    folder: 'reference',
    pages: [
      ...['reference/interface', 'reference/errors', 'reference/events', 'reference/clients', 'reference/agent-api'],
      ...['reference/webhook-addresses', 'glossary'],
    ],
  },
  {
    text: 'Evidence',
    pages: [
      ...['reference/reliability', 'reference/security', 'reference/performance', 'reference/scaling'],
      'reference/n8n-checklist',
    ],
  },
  {
    text: 'Contribute',
    folder: 'contributing',
    pages: [
      ...['contributing/where-to-add', 'contributing/tests', 'reference/deliveries', 'guide/publish-n8n-package'],
      'guide/demo-video',
    ],
  },
];

/** @type {Group} */
const DECISIONS = { text: 'Design decisions', folder: 'decisions', pages: [] };

/** Names shorter than the titles. @type {Record<string, string>} */
const SHORT = {
  'concepts/statuses': 'Statuses',
  'concepts/filament-stock': 'Filament stock',
  'concepts/delivery-promise': 'The delivery promise',
  'guide/operate': 'Run in production',
  'guide/docker': 'Run with Docker',
  'hubs/n8n': 'n8n',
  'hubs/home-assistant': 'Home Assistant',
  'hubs/node-red': 'Node-RED',
  'hubs/script': 'A script',
  'reference/interface': 'What the API promises',
  'reference/clients': 'Generated clients',
  'reference/webhook-addresses': 'Refused webhook addresses',
};

/** @param {string} page */
function titleOf(page) {
  const [, title = page] = /^# (.+)$/m.exec(readFileSync(join(DOCS, `${page}.md`), 'utf8')) ?? [];
  return SHORT[page] ?? title;
}

/** @returns {string[]} every page but the home page, as `folder/name` */
function findPages() {
  return readdirSync(DOCS, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.md') && !file.startsWith('.') && !file.startsWith('node_modules'))
    .map((file) => file.slice(0, -'.md'.length).replaceAll('\\', '/'))
    .filter((page) => page !== 'index')
    .sort();
}

/**
 * @param {Group[]} groups
 * @param {string[]} pages all
 */
function toItems(groups, pages) {
  const listed = new Set(groups.flatMap((group) => group.pages));
  return groups.map(({ text, folder, pages: named }) => {
    const others = folder === undefined ? [] : pages.filter((page) => page.startsWith(`${folder}/`));
    const shown = [...named.filter((page) => pages.includes(page)), ...others.filter((page) => !listed.has(page))];
    return { text, items: shown.map((page) => ({ text: titleOf(page), link: `/${page}` })) };
  });
}

/**
 * @param {boolean} hasApi whether the API reference is served beside the site
 * @returns {import('vitepress').DefaultTheme.SidebarMulti}
 */
export function createSidebar(hasApi) {
  const pages = findPages();
  const groups = toItems(GROUPS, pages);
  const decisions = toItems([DECISIONS], pages);
  const first = decisions[0]?.items[0];
  if (first) groups.at(-1)?.items.push({ text: DECISIONS.text, link: first.link });
  if (hasApi) groups.find(({ text }) => text === 'Reference')?.items.unshift({ text: 'API reference', ...API });
  return { '/decisions/': decisions, '/': groups };
}

/** Outside of the site: the browser has to load it. */
export const API = { link: '/api/', target: '_self' };
