import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

const ROOT = resolve(__dirname, '../..');

interface LockEntry {
  dev?: boolean;
  link?: boolean;
}

const { packages } = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')) as {
  packages: Record<string, LockEntry>;
};

test('installs nothing of n8n in production, as each of its packages is for development alone', () => {
  const ofN8n = Object.entries(packages).filter(([path]) => /node_modules\/(n8n-|@n8n\/)/.test(path));
  expect(ofN8n.map(([path]) => path)).toEqual(expect.arrayContaining(['node_modules/n8n-core']));
  expect(ofN8n.filter(([, { dev, link }]) => !dev && !link).map(([path]) => path)).toEqual([]);
});

test('installs nothing of n8n for work on the service and the agent', () => {
  const command =
    /^npm ci --include-workspace-root( --workspace \w+)+/m.exec(
      readFileSync(join(ROOT, 'CONTRIBUTING.md'), 'utf8'),
    )?.[0] ?? '';
  const folder = mkdtempSync(join(tmpdir(), 'farmboard-install-'));
  try {
    const { workspaces } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { workspaces: string[] };
    const manifests = ['', ...workspaces].map((name) => join(name, 'package.json'));
    for (const file of ['.npmrc', 'package-lock.json', ...manifests]) cpSync(join(ROOT, file), join(folder, file));
    const [npm = '', ...args] = command.split(' ');
    const listed = execFileSync(npm, [...args, '--dry-run', '--offline', '--ignore-scripts'], {
      cwd: folder,
      encoding: 'utf8',
    });
    const packages = [...listed.matchAll(/^add (\S+)/gm)].map(([, name]) => name ?? '');
    expect(packages).toEqual(
      expect.arrayContaining(['express', 'vite', 'vitepress', 'jest', 'typescript', '@biomejs/biome']),
    );
    expect(packages.filter((name) => /^(n8n-|@n8n)/.test(name))).toEqual([]);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
