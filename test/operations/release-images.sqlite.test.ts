import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse } from 'yaml';
import { COMPOSE_FILE, readCompose } from '../kit/compose.ts';
import { ROOT, readDockerfile } from '../kit/image.ts';

const BUILT = `ghcr.io/farmboard/farmboard:0.2.0@sha256:${'0f'.repeat(32)}`;
const DIGEST = /@sha256:[0-9a-f]{64}$/;
const DOCKERFILE = readFileSync(join(ROOT, 'Dockerfile'), 'utf8');

/** Answers as `docker buildx imagetools inspect` does, for any image but the one that is unknown. */
const FAKE_DOCKER = `#!${process.execPath}
const [, , ...args] = process.argv;
const image = args[3];
const expected = ['buildx', 'imagetools', 'inspect', image, '--format', '{{json .Manifest}}'];
if (JSON.stringify(args) !== JSON.stringify(expected)) throw new Error('unexpected arguments: ' + args);
if (image === process.env.UNKNOWN) throw new Error(image + ': not found');
const digest = image === process.env.WITHOUT_DIGEST ? 'latest' :
  'sha256:' + require('node:crypto').createHash('sha256').update(image).digest('hex');
console.log(JSON.stringify({ mediaType: 'application/vnd.oci.image.index.v1+json', digest, size: 1609 }));
`;

const digestOf = (image: string): string => `${image}@sha256:${createHash('sha256').update(image).digest('hex')}`;

let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'farmboard-release-'));
  writeFileSync(join(folder, 'docker'), FAKE_DOCKER);
  chmodSync(join(folder, 'docker'), 0o755);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function pin(text: string, args: string[] = [], env: Record<string, string> = {}): { status: number; text: string } {
  const file = join(folder, 'file');
  writeFileSync(file, text);
  const { status, stdout, stderr } = spawnSync(process.execPath, [join(ROOT, 'deploy/pin-images.mjs'), file, ...args], {
    encoding: 'utf8',
    env: { PATH: folder, ...env },
  });
  return { status: status ?? -1, text: status === 0 ? stdout : stderr };
}

const pinCompose = (text: string, env?: Record<string, string>) => pin(text, ['--built', BUILT], env);

const imagesOf = (text: string): [string, string][] =>
  Object.entries(readCompose(undefined, text).services).map(([name, { image }]) => [name, image]);

describe('the Compose file of a release', () => {
  test('has the digest of each image, keeps the tags and builds nothing', () => {
    const { status, text } = pinCompose(COMPOSE_FILE);
    expect(status).toBe(0);
    expect(imagesOf(text)).toEqual(
      imagesOf(COMPOSE_FILE).map(([name, image]) => [name, image === 'farmboard:local' ? BUILT : digestOf(image)]),
    );
    expect(Object.values(readCompose(undefined, text).services).filter(({ build }) => build)).toEqual([]);
  });

  test('differs in nothing else', () => {
    const without = (value: unknown): unknown => {
      if (Array.isArray(value)) return value.map(without);
      if (typeof value !== 'object' || value === null) return value;
      const others = Object.entries(value).filter(([key]) => key !== 'image' && key !== 'build');
      return Object.fromEntries(others.map(([key, inner]) => [key, without(inner)]));
    };
    const { text } = pinCompose(COMPOSE_FILE);
    expect(without(parse(text, { merge: true }))).toEqual(without(parse(COMPOSE_FILE, { merge: true })));
    const changed = COMPOSE_FILE.split('\n').filter((line) => !text.split('\n').includes(line));
    expect(changed.filter((line) => !/^ +(image: \S+|build: \.)$/.test(line))).toEqual([]);
  });

  test('is pinned once: a second time changes nothing and asks for nothing', () => {
    const { text } = pinCompose(COMPOSE_FILE);
    rmSync(join(folder, 'docker'));
    try {
      expect(pinCompose(text)).toEqual({ status: 0, text });
    } finally {
      writeFileSync(join(folder, 'docker'), FAKE_DOCKER);
      chmodSync(join(folder, 'docker'), 0o755);
    }
  });

  test('is not made if the digest of an image is unknown', () => {
    const images = [...new Set(imagesOf(COMPOSE_FILE).map(([, image]) => image))].filter(
      (one) => !one.startsWith('farm'),
    );
    expect(images).toHaveLength(4);
    for (const image of images) {
      expect(pinCompose(COMPOSE_FILE, { UNKNOWN: image })).toEqual({
        status: 1,
        text: expect.stringContaining(`${image}: not found`),
      });
      expect(pinCompose(COMPOSE_FILE, { WITHOUT_DIGEST: image })).toEqual({
        status: 1,
        text: expect.stringContaining(`${image}: no tag or no digest`),
      });
    }
    expect(pinCompose(COMPOSE_FILE.replace('redis:7.4-bookworm', 'redis'))).toMatchObject({ status: 1 });
    expect(pin(COMPOSE_FILE, ['--built', 'ghcr.io/farmboard/farmboard:0.2.0@sha256:'])).toMatchObject({ status: 1 });
  });
});

test('the Dockerfile of a release has the digest of its base image and its syntax', () => {
  const { status, text } = pin(DOCKERFILE);
  expect(status).toBe(0);
  const from = (file: string) => readDockerfile(file).filter(({ name }) => name === 'FROM');
  const stages = ['base', 'modules', 'build'];
  expect(from(text).map(({ text }) => text)).toEqual(
    from(DOCKERFILE).map(({ text }) =>
      text.replace(/^\S+/, (image) => (stages.includes(image) ? image : digestOf(image))),
    ),
  );
  expect(text.split('\n')[0]).toMatch(DIGEST);
  expect(text.replace(/@sha256:[0-9a-f]{64}/g, '')).toBe(DOCKERFILE);
  expect(pin(DOCKERFILE, [], { UNKNOWN: 'node:24-bookworm-slim' })).toMatchObject({ status: 1 });
});
