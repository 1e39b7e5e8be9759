// What the packages that people install have in common: a folder with their files, made into one file by `npm pack`.
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

export const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** @param {string} file of the repository */
export const readJson = (file) => JSON.parse(readFileSync(join(ROOT, file), 'utf8'));

/**
 * How esbuild compiles what is packed: readable names in errors, and the licenses in a file of their own.
 * @satisfies {import('esbuild').BuildOptions}
 */
export const BUNDLE = /** @type {const} */ ({
  absWorkingDir: ROOT,
  bundle: true,
  platform: 'node',
  format: 'cjs',
  target: 'node20',
  minifySyntax: true,
  minifyWhitespace: true,
  legalComments: 'none',
  metafile: true,
  logLevel: 'warning',
});

/** What all manifests say. */
export function commonManifest() {
  const { version, license, author, homepage, repository, engines } = readJson('package.json');
  return { version, license, author, homepage, repository, bugs: `${homepage.replace(/#.*/, '')}/issues`, engines };
}

/** @param {string} file its folders are made, too @param {string} text */
export function write(file, text) {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}

/** The files of a package that state its license. @param {string} folder */
export const licenseFiles = (folder) =>
  readdirSync(folder).filter((name) => /^(licen[cs]e|notice|copying)/i.test(name));

/**
 * The licenses of packages that were compiled into ours, as most demand.
 * @param {string[]} packages paths in the repository, `node_modules/zod`
 */
export function thirdPartyLicenses(packages) {
  const parts = [...new Set(packages)].sort().map((path) => {
    const { name, version, license } = readJson(join(path, 'package.json'));
    const texts = licenseFiles(join(ROOT, path)).map((file) => readFileSync(join(ROOT, path, file), 'utf8').trim());
    return [`${name} ${version} (${license})`, ...texts].join('\n\n');
  });
  const rule = `\n\n${'-'.repeat(80)}\n\n`;
  return `This package contains parts of the following packages.${rule}${parts.join(rule)}\n`;
}

/**
 * Makes the file of a package from a folder with its files, and prints its path.
 * @param {string} folder
 * @param {string} target the folder that the file goes to
 */
export function packFolder(folder, target) {
  mkdirSync(target, { recursive: true });
  const args = ['pack', '--silent', '--ignore-scripts', '--pack-destination', target];
  const name = execFileSync('npm', args, { cwd: folder, encoding: 'utf8' }).trim().split('\n').at(-1);
  process.stdout.write(`${join(target, name ?? '')}\n`);
}

/**
 * Makes a package and prints the path of its file.
 * @param {string} readme of the package, in the repository
 * @param {(folder: string) => Promise<void>} fill writes its files
 */
export async function pack(readme, fill) {
  // where the file goes
  const target = resolve(process.argv[2] ?? '.');
  const folder = mkdtempSync(join(tmpdir(), 'farmboard-pack-'));
  try {
    cpSync(join(ROOT, readme), join(folder, 'README.md'));
    cpSync(join(ROOT, 'LICENSE'), join(folder, 'LICENSE'));
    await fill(folder);
    packFolder(folder, target);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
