// Writes the tables of docs/reference that follow from declarations, settings and events: `npm run tables`.
import { readFileSync, writeFileSync } from 'node:fs';
import { buildSync } from 'esbuild';

/**
 * Loads a module of the server.
 * @param {string} file
 */
function load(file) {
  const options = { bundle: true, platform: 'node', format: 'esm', write: false };
  const { outputFiles } = buildSync({ entryPoints: [file], ...options });
  return import(`data:text/javascript;base64,${Buffer.from(outputFiles[0].contents).toString('base64')}`);
}

/**
 * Replaces the rows of the table with this header.
 * @param {string} page
 * @param {string} header
 * @param {string[][]} rows
 */
function writeTable(page, header, rows) {
  const text = readFileSync(page, 'utf8');
  const [before, after] = text.split(`${header}\n`);
  const [line, ...rest] = after.split('\n');
  const end = rest.findIndex((row) => !row.startsWith('|'));
  const made = rows.map((cells) => `| ${cells.join(' | ')} |`);
  writeFileSync(page, [`${before}${header}`, line, ...made, ...rest.slice(end)].join('\n'));
}

/** @param {string} name */
const code = (name) => `\`${name}\``;

const { SETTINGS, shownDefault } = await load('backend/src/config/config.ts');
writeTable(
  'docs/reference/settings.md',
  '| Name | Default | Meaning |',
  Object.entries(SETTINGS).map(([name, setting]) => [code(name), shownDefault(setting), setting.about]),
);

const { EVENTS } = await load('backend/src/events/catalogue.ts');
writeTable(
  'docs/reference/events.md',
  '| Event | Sent when | Fields of `data` |',
  Object.entries(EVENTS).map(([name, { when, data }]) => [
    code(name),
    when,
    Object.keys(data.shape).map(code).join(', '),
  ]),
);
