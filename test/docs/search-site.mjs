// node test/docs/search-site.mjs SITE: answers questions, one a line on standard input, from the search index of a built
// site, as its search box does. Prints a line of JSON for each: the addresses found, best first.
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import MiniSearch from 'minisearch';
import { searchOptions } from '../../docs/.vitepress/search.js';

const SHOWN = 16;

const chunks = resolve(process.argv[2] ?? '', 'assets/chunks');
const name = readdirSync(chunks).find((file) => /^@localSearchIndexroot\..*\.js$/.test(file));
if (name === undefined) throw new Error(`no search index in ${chunks}`);
const { default: json } = await import(pathToFileURL(join(chunks, name)).href);
const index = MiniSearch.loadJSON(json, { fields: ['title', 'titles', 'text'], storeFields: ['title', 'titles'] });

for (const question of readFileSync(0, 'utf8').split('\n').filter(Boolean)) {
  const found = index.search(question, searchOptions).slice(0, SHOWN);
  console.log(JSON.stringify(found.map(({ id }) => id)));
}
