// npm run changelog [-- VERSION]: makes a section of each changelog from the notes in changes/. Without a version it prints
// the sections; with one it writes each above the earlier ones and deletes the notes.
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const KINDS = ['Added', 'Changed', 'Fixed', 'Removed'];
/** The changelogs, and which notes are moved into each: the n8n package has its own. */
const CHANGELOGS = [
  { file: 'CHANGELOG.md', has: (/** @type {string} */ name) => !name.startsWith('n8n-') },
  { file: 'nodes/CHANGELOG.md', has: (/** @type {string} */ name) => name.startsWith('n8n-') },
];

/** @returns the kind and the text of a note; a note is its kind, an empty line and the text */
function readNote(folder, name) {
  const [kind, blank, ...lines] = readFileSync(join(folder, name), 'utf8').trim().split('\n');
  const text = lines.join(' ').trim();
  if (!KINDS.includes(kind)) throw new Error(`changes/${name}: the first line must be one of ${KINDS.join(', ')}`);
  if (blank !== '' || text === '') throw new Error(`changes/${name}: an empty line and the text must follow the kind`);
  return { kind, text };
}

/** @returns the text of a section below its heading, grouped by kind; empty without notes */
function sectionOf(notes) {
  return KINDS.map((kind) => ({ kind, texts: notes.filter((note) => note.kind === kind).map(({ text }) => text) }))
    .filter(({ texts }) => texts.length > 0)
    .map(({ kind, texts }) => `### ${kind}\n\n${texts.map((text) => `- ${text}\n`).join('')}`)
    .join('\n');
}

/** Writes a section above those of earlier versions. */
function addSection(file, version, text) {
  const changelog = readFileSync(file, 'utf8');
  const first = changelog.indexOf('\n## ');
  const [intro, earlier] = first < 0 ? [changelog, ''] : [changelog.slice(0, first), changelog.slice(first)];
  const heading = `## ${version} – ${new Date().toISOString().slice(0, 10)}`;
  writeFileSync(file, `${intro.trimEnd()}\n\n${heading}\n\n${text}${earlier}`);
}

function main() {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { root: { type: 'string', default: fileURLToPath(new URL('../..', import.meta.url)) } },
  });
  const [version] = positionals;
  const folder = join(values.root, 'changes');
  const names = existsSync(folder) ? readdirSync(folder).sort() : [];
  if (names.length === 0) throw new Error('changes/ contains no notes');
  const sections = CHANGELOGS.map(({ file, has }) => ({
    file,
    text: sectionOf(names.filter(has).map((name) => readNote(folder, name))),
  })).filter(({ text }) => text !== '');
  if (version === undefined) return void console.log(sections.map(({ text }) => text.trimEnd()).join('\n\n'));

  if (!/^\d+\.\d+\.\d+$/.test(version)) throw new Error(`${version} is not a version such as 0.2.0`);
  for (const { file } of sections) {
    if (readFileSync(join(values.root, file), 'utf8').includes(`\n## ${version} `))
      throw new Error(`${file} already has a section for ${version}`);
  }
  for (const { file, text } of sections) addSection(join(values.root, file), version, text);
  for (const name of names) rmSync(join(folder, name));
  console.log(`${names.length} notes moved to ${sections.map(({ file }) => file).join(' and ')}`);
}

try {
  main();
} catch (error) {
  console.error(error.message);
  process.exitCode = 1;
}
