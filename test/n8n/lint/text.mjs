// Helpers of both lists of checks.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

/** @type {(...parts: string[]) => string} */
export const read = (...parts) => readFileSync(join(...parts), 'utf8');

/**
 * Removes terminal colors.
 * @type {(text: string) => string}
 */
// biome-ignore lint/suspicious/noControlCharactersInRegex: escape sequences start with one
export const plain = (text) => text.replace(/\u001b\[[0-9;]*m/g, '').trim();

/** @type {(text: string) => string[]} */
export const lines = (text) => plain(text).split('\n').filter(Boolean);

/**
 * Runs n8n's package scanner on a folder. The published command takes only the name of a published package; it calls
 * this function on the source (with its default patterns) and on the unpacked tarball. It ignores comments that disable
 * rules.
 * @param {{ tools: string }} artefacts
 * @param {string} folder
 * @param {string[]} [patterns]
 */
export async function scan({ tools }, folder, patterns) {
  const scanner = join(tools, 'node_modules/@n8n/scan-community-package/scanner/scanner.mjs');
  const { analyzePackage, SOURCE_FILE_PATTERNS } = await import(pathToFileURL(scanner).href);
  const { passed, message, details } = await analyzePackage(folder, patterns ?? SOURCE_FILE_PATTERNS);
  return passed && message === undefined ? [] : lines(`${message}\n${details ?? ''}`);
}
