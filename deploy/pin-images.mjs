// Prints a Dockerfile or docker-compose.yml with the digest of every image: `node:24` becomes `node:24@sha256:…`. The
// release workflow runs it, so that a release always starts the same images; nobody types digests.
//
//   node deploy/pin-images.mjs Dockerfile
//   node deploy/pin-images.mjs docker-compose.yml --built ghcr.io/farmboard/farmboard:0.2.0@sha256:…
//
// --built: the image that a Compose file takes instead of building its own.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';

const PINNED = /^[\w.:/-]+:[\w.-]+@sha256:[0-9a-f]{64}$/;
const LOCAL = 'farmboard:local';

/**
 * @param {string} image with a tag, `node:24`
 * @param {(image: string) => string} resolve returns the digest, `sha256:` and 64 hex digits
 * @returns {string} the image with its digest, and unchanged if it has one
 * @throws Error if the tag or the digest is missing
 */
function pin(image, resolve) {
  const pinned = image.includes('@') ? image : `${image}@${resolve(image)}`;
  if (!PINNED.test(pinned)) throw new Error(`${image}: no tag or no digest (${pinned})`);
  return pinned;
}

/**
 * @param {string} text of a Dockerfile
 * @param {(image: string) => string} resolve
 * @returns {string} the text with the digest of each base image and of the syntax
 * @throws Error if one has none
 */
export function pinDockerfile(text, resolve) {
  const stages = [...text.matchAll(/^FROM .* AS (\S+)$/gm)].map(([, stage]) => stage);
  return text.replace(/^(# syntax=|FROM )(\S+)/gm, (line, start, image) =>
    stages.includes(image) ? line : `${start}${pin(image, resolve)}`,
  );
}

/**
 * @param {string} text of docker-compose.yml
 * @param {string} built the image of Farmboard, with tag and digest
 * @param {(image: string) => string} resolve
 * @returns {string} the text with the digest of each image; it builds none
 * @throws Error if an image has no digest
 */
export function pinCompose(text, built, resolve) {
  return text
    .replace(/^( +image: )(\S+)$/gm, (_, start, image) => start + pin(image === LOCAL ? built : image, resolve))
    .replace(/^ +build: \.\n/gm, '');
}

/** @returns {string} the digest in the image's registry, of all its platforms together */
export function askRegistry(image) {
  const args = ['buildx', 'imagetools', 'inspect', image, '--format', '{{json .Manifest}}'];
  return JSON.parse(execFileSync('docker', args, { encoding: 'utf8' })).digest;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const { values, positionals } = parseArgs({ options: { built: { type: 'string' } }, allowPositionals: true });
  const text = readFileSync(positionals[0], 'utf8');
  const pinned = values.built ? pinCompose(text, values.built, askRegistry) : pinDockerfile(text, askRegistry);
  process.stdout.write(pinned);
}
