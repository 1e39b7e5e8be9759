// npm run icons: writes src/ui/icons.tsx with the icons that the console imports from it, taken from @tabler/icons-react. The
// whole set has 90 MB in 12,000 files, of which whoever builds the console needs none.
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const SRC = fileURLToPath(new URL('src', import.meta.url));
const FILE = join(SRC, 'ui/icons.tsx');
const SET = dirname(createRequire(import.meta.url).resolve('@tabler/icons-react/package.json'));

const HEAD = (
  version,
  copyright,
) => `// Made by \`npm run icons\` from Tabler Icons ${version}, which are under the MIT License: ${copyright}.
// Import an icon of that set from here, then run it.
import { filled, outline } from './icon.tsx';
`;

/** The names that files of the console import from icons.tsx. */
function importedNames() {
  const files = readdirSync(SRC, { recursive: true, encoding: 'utf8' }).filter((name) => /\.tsx?$/.test(name));
  const lists = files.flatMap((name) =>
    [...readFileSync(join(SRC, name), 'utf8').matchAll(/import \{([^}]*)\} from '[^']*\/icons\.tsx'/g)].map(
      ([, list]) => list,
    ),
  );
  return [...new Set(lists.flatMap((list = '') => list.split(',').map((name) => name.trim())))].filter(Boolean).sort();
}

/** @param {string} name `IconSearch` */
async function toSource(name) {
  const { __iconNode: nodes } = await import(pathToFileURL(join(SET, `dist/esm/icons/${name}.mjs`)).href);
  if (nodes.some(([tag]) => tag !== 'path')) throw new Error(`${name} has other parts than paths`);
  const paths = nodes.map(([, { d }]) => `'${d}'`);
  return `export const ${name} = ${name.endsWith('Filled') ? 'filled' : 'outline'}(${paths.join(', ')});\n`;
}

const { version } = JSON.parse(readFileSync(join(SET, 'package.json'), 'utf8'));
const [copyright] = /Copyright.*/.exec(readFileSync(join(SET, 'LICENSE'), 'utf8')) ?? [''];
const icons = await Promise.all(importedNames().map(toSource));
writeFileSync(FILE, `${HEAD(version, copyright)}\n${icons.join('')}`);
execFileSync('npx', ['biome', 'check', '--write', FILE], { stdio: 'inherit' });
