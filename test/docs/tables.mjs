// Writes the parts of docs/reference that follow from declarations, settings and events: `npm run tables`. With --check
// it changes nothing and fails if a page isn't what it would write.
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

/** @type {Map<string, string>} file → text */
const pages = new Map();

/** @param {string} page */
const textOf = (page) => pages.get(page) ?? readFileSync(page, 'utf8');

/**
 * Replaces the rows of the table with this header.
 * @param {string} page
 * @param {string} header
 * @param {string[][]} rows
 */
function writeTable(page, header, rows) {
  const text = textOf(page);
  const [before, after] = text.split(`${header}\n`);
  const [line, ...rest] = after.split('\n');
  const end = rest.findIndex((row) => !row.startsWith('|'));
  const made = rows.map((cells) => `| ${cells.join(' | ')} |`);
  pages.set(page, [`${before}${header}`, line, ...made, ...rest.slice(end)].join('\n'));
}

/** @param {string} name */
const code = (name) => `\`${name}\``;

const { SETTINGS, shownDefault } = await load('backend/src/config/config.ts');
writeTable(
  'docs/reference/settings.md',
  '| Name | Default | Meaning |',
  Object.entries(SETTINGS).map(([name, setting]) => [code(name), shownDefault(setting), setting.about]),
);

/**
 * The type of a field in words: `integer`, `date-time or null`, the values of a list.
 * @param {{ type?: string, format?: string, enum?: string[], items?: object, anyOf?: object[] }} schema
 * @returns {string}
 */
function typeOf({ type, format, enum: values, items, anyOf }) {
  if (anyOf) return anyOf.map(typeOf).join(' or ');
  if (values) return values.map((value) => code(value)).join(', ');
  if (items) return `list of ${typeOf(items)}`;
  return format ?? [type].flat().join(' or ');
}

/**
 * The section of an event: the fields of its data and a whole body.
 * @param {string} name
 * @param {string} when
 * @param {object} schema of the data
 */
function describeEvent(name, when, { $ref, $defs, ...own }) {
  const schema = $ref === undefined ? own : $defs[$ref.split('/').at(-1)];
  const sample = { event: name, occurred_at: '2026-11-22T09:30:00.000Z', data: exampleOf(schema, undefined, name) };
  const fields = Object.entries(schema.properties).map(([field, of]) => `| ${code(field)} | ${typeOf(of)} |`);
  const json = ['```json', JSON.stringify(sample, null, 2), '```'];
  return [
    `### ${name}`,
    '',
    `Sent when ${when}.`,
    '',
    '| Field of `data` | Type |',
    '|---|---|',
    ...fields,
    '',
    ...json,
  ];
}

const { EVENTS } = await load('backend/src/events/catalog.ts');
const { exampleOf } = await load('backend/src/http/examples.ts');
writeTable(
  'docs/reference/events.md',
  '| Event | Sent when |',
  Object.entries(EVENTS).map(([name, { when }]) => [code(name), when]),
);
const [START, END] = ['<!-- catalog, written by npm run tables -->\n', '<!-- end of the catalog -->\n'];
const [before, rest] = textOf('docs/reference/events.md').split(START);
const sections = Object.entries(EVENTS).map(([name, { when, data }]) =>
  describeEvent(name, when, data.toJSONSchema()).join('\n'),
);
pages.set('docs/reference/events.md', `${before}${START}\n${sections.join('\n\n')}\n\n${END}${rest.split(END)[1]}`);

for (const [page, text] of pages) {
  if (!process.argv.includes('--check')) writeFileSync(page, text);
  else if (text !== readFileSync(page, 'utf8')) throw new Error(`${page} is outdated: npm run tables`);
}
