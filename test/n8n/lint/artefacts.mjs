// The inputs of the checks, each created once and only when a check needs it.
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { stage as stagePackage } from '../../../nodes/pack.mjs';
import { installTools, run } from '../../kit/tools.mjs';

/** @import { Described, Manifest } from './types.d.ts' */

const here = dirname(fileURLToPath(import.meta.url));

/** n8n's linter and scanner; they need an override, which the published package.json may not have. */
export const installLinter = () =>
  installTools('n8n-lint', here, ['package.json', 'package-lock.json', 'stub/package.json', 'stub/index.js']);

/**
 * Every file in a folder, as sorted paths with forward slashes; none if the folder doesn't exist.
 * @param {string} folder
 */
export function filesBelow(folder) {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)).split(sep).join('/'))
    .sort();
}

/**
 * @template T
 * @param {() => T} make
 */
const once = (make) => {
  /** @type {{ value: T } | undefined} */
  let made;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
};

/** @param {{ root: string, tools: string }} places the package under test, and the folder of n8n's tools */
export function prepare({ root, tools }) {
  const temporary = mkdtempSync(join(tmpdir(), 'farmboard-lint-'));
  /** @type {() => Manifest} */
  const manifest = once(() => JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')));

  const sources = once(() =>
    ['nodes', 'credentials'].flatMap((name) => filesBelow(join(root, name)).map((file) => `${name}/${file}`)),
  );

  const build = once(() => run('npm', ['run', 'build:nodes'], { cwd: root, seconds: 180 }));

  /** The folder that is packed, from a fresh build, with the sources and n8n's tools beside it for the linter. */
  const stage = once(() => {
    build();
    const folder = join(temporary, 'stage');
    stagePackage({ root, folder });
    symlinkSync(join(tools, 'node_modules'), join(folder, 'node_modules'), 'dir');
    return folder;
  });

  /** The tarball that npm would publish, and its contents in a folder where n8n-workflow is found. */
  const packed = once(() => {
    const flags = ['--json', '--ignore-scripts', '--pack-destination', temporary];
    const { status, stdout, output } = run('npm', ['pack', ...flags], { cwd: stage(), seconds: 60 });
    if (status !== 0) throw new Error(`npm pack ended with ${status}\n${output}`);
    const [report] = Object.values(JSON.parse(stdout));
    const unpacked = run('tar', ['-xzf', join(temporary, report.filename), '-C', temporary], {
      cwd: temporary,
      seconds: 30,
    });
    if (unpacked.status !== 0) throw new Error(`tar ended with ${unpacked.status}\n${unpacked.output}`);
    const folder = join(temporary, 'package');
    return { folder, files: filesBelow(folder), packedBytes: report.size, unpackedBytes: report.unpackedSize };
  });

  /** @type {() => Described} The descriptions of the built classes. */
  const described = once(() => {
    const { folder } = packed();
    symlinkSync(join(tools, 'node_modules'), join(folder, 'node_modules'), 'dir');
    try {
      const { status, stdout, output } = run('node', [join(here, 'describe.cjs'), folder], {
        cwd: folder,
        seconds: 60,
      });
      if (status !== 0) throw new Error(`the built package does not load\n${output}`);
      return JSON.parse(stdout);
    } finally {
      rmSync(join(folder, 'node_modules'));
    }
  });

  return {
    root,
    tools,
    manifest,
    stage,
    sources,
    build,
    packed,
    described,
    dispose: () => rmSync(temporary, { recursive: true, force: true }),
  };
}
