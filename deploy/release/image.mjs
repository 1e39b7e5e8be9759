// What a release of the image consists of. The workflow runs both steps, between which it builds and publishes the image:
//
//   node deploy/release/image.mjs dockerfile                     release/Dockerfile with the digest of its base image
//   node deploy/release/image.mjs setup --tag 0.2.0 --image ghcr.io/farmboard/farmboard --digest sha256:…
//                                                                release/farmboard-compose-0.2.0.tar.gz
//
// --dry-run: no registry is asked, and digests are made up, so that it works anywhere.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { askRegistry, pinCompose, pinDockerfile } from '../pin-images.mjs';

const RELEASE = 'release';
/** They name an image, whose digest is put in. */
const COMPOSE_FILES = ['docker-compose.yml', 'compose.small.yml'];
/** What they mount or read. */
const BESIDE = ['.env.example', 'deploy/nginx.conf'];

const { values, positionals } = parseArgs({
  options: {
    'dry-run': { type: 'boolean' },
    tag: { type: 'string', default: '0.0.0' },
    image: { type: 'string', default: 'ghcr.io/farmboard/farmboard' },
    digest: { type: 'string' },
  },
  allowPositionals: true,
});
const isRehearsal = values['dry-run'] === true;

const madeUp = (image) => `sha256:${createHash('sha256').update(image).digest('hex')}`;
const digestOf = isRehearsal ? madeUp : askRegistry;

function writeDockerfile() {
  mkdirSync(RELEASE, { recursive: true });
  writeFileSync(join(RELEASE, 'Dockerfile'), pinDockerfile(readFileSync('Dockerfile', 'utf8'), digestOf));
  return join(RELEASE, 'Dockerfile');
}

function writeSetup() {
  const { tag, image, digest = isRehearsal ? madeUp(image) : '' } = values;
  const name = `farmboard-${tag}`;
  const folder = join(RELEASE, name);
  for (const file of COMPOSE_FILES) {
    mkdirSync(folder, { recursive: true });
    const pinned = pinCompose(readFileSync(file, 'utf8'), `${image}:${tag}@${digest}`, digestOf);
    writeFileSync(join(folder, file), pinned);
  }
  for (const file of BESIDE) {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    cpSync(file, join(folder, file));
  }
  const archive = join(RELEASE, `farmboard-compose-${tag}.tar.gz`);
  execFileSync('tar', ['-czf', archive, '-C', RELEASE, name]);
  return archive;
}

const steps = { dockerfile: writeDockerfile, setup: writeSetup };
const step = steps[/** @type {keyof typeof steps} */ (positionals[0])];
if (!step) throw new Error(`say what to make: ${Object.keys(steps).join(' or ')}`);
process.stdout.write(`${step()}\n`);
