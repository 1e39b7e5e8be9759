// npm run changelog [-- VERSION]: makes a section of CHANGELOG.md from the notes in changes/. Without a version it prints
// the section; with one it writes the section above the earlier ones and deletes the notes.
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const KINDS = ['Added', 'Changed', 'Fixed', 'Removed'];

/** @returns the kind and the text of a note; a note is its kind, an empty line and the text */
function readNote(folder, name) {
  const [kind, blank, ...lines] = readFileSync(join(folder, name), 'utf8').trim().split('\n');
  const text = lines.join(' ').trim();
  if (!KINDS.includes(kind)) throw new Error(`changes/${name}: the first line must be one of ${KINDS.join(', ')}`);
  if (blank !== '' || text === '') throw new Error(`changes/${name}: an empty line and the text must follow the kind`);
  return { kind, text };
}

function main() {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { root: { type: 'string', default: fileURLToPath(new URL('../..', import.meta.url)) } },
  });
  const [version] = positionals;
  const folder = join(values.root, 'changes');
  const names = existsSync(folder) ? readdirSync(folder).sort() : [];
  const notes = names.map((name) => readNote(folder, name));
  if (notes.length === 0) throw new Error('changes/ contains no notes');
  const parts = KINDS.map((kind) => ({
    kind,
    texts: notes.filter((note) => note.kind === kind).map(({ text }) => text),
  }))
    .filter(({ texts }) => texts.length > 0)
    .map(({ kind, texts }) => `### ${kind}\n\n${texts.map((text) => `- ${text}\n`).join('')}`);
  if (version === undefined) return void console.log(parts.join('\n').trimEnd());

  if (!/^\d+\.\d+\.\d+$/.test(version)) throw new Error(`${version} is not a version such as 0.2.0`);
  const file = join(values.root, 'CHANGELOG.md');
  const changelog = readFileSync(file, 'utf8');
  if (changelog.includes(`\n## ${version} `)) throw new Error(`CHANGELOG.md already has a section for ${version}`);
  const first = changelog.indexOf('\n## ');
  const [intro, earlier] = first < 0 ? [changelog, ''] : [changelog.slice(0, first), changelog.slice(first)];
  const section = `\n## ${version} – ${new Date().toISOString().slice(0, 10)}\n\n${parts.join('\n')}`;
  writeFileSync(file, `${intro.trimEnd()}\n${section}${earlier}`);
  for (const name of names) rmSync(join(folder, name));
  console.log(`${notes.length} notes moved to CHANGELOG.md`);
}

try {
  main();
} catch (error) {
  console.error(error.message);
  process.exitCode = 1;
}
