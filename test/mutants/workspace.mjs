// Copies of a checkout, so that faults are never planted in the working tree.
import {
  chmodSync,
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { transformSync } from 'esbuild';
import { listFiles } from '../kit/list-files.cjs';

/** @import { Copy } from './types.d.ts' */

/** @type {(root: string, folder: string) => void} */
function copyCheckout(root, folder) {
  for (const file of listFiles(root)) {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    copyFileSync(join(root, file), join(folder, file));
  }
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
  // existing builds need not be repeated in the copy
  for (const built of ['dist', 'backend/dist']) {
    if (existsSync(join(root, built))) cpSync(join(root, built), join(folder, built), { recursive: true });
  }
}

/**
 * @param {string} file
 * @param {string} text
 * @returns why the text isn't valid code, undefined if it is or the file isn't code
 */
function syntaxError(file, text) {
  if (!/\.(tsx?|[cm]?js)$/.test(file)) return undefined;
  try {
    transformSync(text, { loader: file.endsWith('.tsx') ? 'tsx' : 'ts', logLevel: 'silent' });
    return undefined;
  } catch (error) {
    return `it does not compile: ${/** @type {Error} */ (error).message}`;
  }
}

const BUILDS = 'backend/dist';
/** @type {(folder: string) => string[]} */
const listBuilds = (folder) => (existsSync(join(folder, BUILDS)) ? readdirSync(join(folder, BUILDS)) : []);

/** @type {(root: string, base: string) => Copy} */
function createCopy(root, base) {
  const folder = join(base, 'farmboard');
  copyCheckout(root, folder);
  // contains everything that a suite leaves behind when it is stopped, and Jest's caches
  const temporary = join(base, 'tmp');
  mkdirSync(temporary);
  const builds = new Set(listBuilds(folder));
  let original = '';

  return {
    folder,
    temporary,
    cache: join(base, 'cache'),

    plant({ file, find, replace }) {
      original = readFileSync(join(folder, file), 'utf8');
      const text = original.replace(find, () => replace);
      const trouble = syntaxError(file, text);
      if (trouble !== undefined) return { trouble, failed: [], passed: 0 };
      writeFileSync(join(folder, file), text);
      return undefined;
    },

    restore({ file }) {
      writeFileSync(join(folder, file), original);
      for (const name of listBuilds(folder)) {
        if (name.startsWith('server-') && !builds.has(name)) {
          rmSync(join(folder, BUILDS, name), { recursive: true, force: true });
        }
      }
      if (!file.startsWith('backend/') && existsSync(join(root, 'dist'))) {
        cpSync(join(root, 'dist'), join(folder, 'dist'), { recursive: true, force: true });
      }
      rmSync(temporary, { recursive: true, force: true, maxRetries: 5 });
      mkdirSync(temporary);
    },
  };
}

/**
 * @param {string} root
 * @param {number} count how many can be used in parallel
 */
export function createCopies(root, count) {
  const base = mkdtempSync(join(tmpdir(), 'farmboard-mutants-'));
  // the user of a PostgreSQL that a test starts has its data in it
  chmodSync(base, 0o711);
  const remove = () => rmSync(base, { recursive: true, force: true, maxRetries: 5 });
  try {
    const all = Array.from({ length: count }, (_, index) => {
      const folder = join(base, String(index + 1));
      mkdirSync(folder);
      return createCopy(root, folder);
    });
    return { all, remove };
  } catch (error) {
    remove();
    throw error;
  }
}
