// Builds and packs the package, installs the requested n8n versions and creates the folder of this run.
const { execFileSync } = require('node:child_process');
const { mkdirSync, mkdtempSync, readdirSync, rmSync } = require('node:fs');
const { tmpdir } = require('node:os');
const { join, resolve } = require('node:path');
const { build } = require('esbuild');
const { enginesThatAnswer } = require('../engines.cjs');
const { makeTemplates, removeTemplates } = require('../template.cjs');
const { askedHosts } = require('./asked.cjs');

const root = resolve(__dirname, '../../..');

module.exports = async () => {
  const { installHost } = await import('./install.mjs');
  const hosts = [];
  for (const host of askedHosts()) {
    const { n8n, node } = await installHost(host.version, (line) => process.stderr.write(`${line}\n`));
    hosts.push({ ...host, n8n, node });
  }

  const folder = mkdtempSync(join(tmpdir(), 'farmboard-n8n-e2e-'));
  mkdirSync(join(folder, 'pids'));
  const clear = async () => {
    for (const pid of readdirSync(join(folder, 'pids'))) end(Number(pid));
    rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
    await removeTemplates();
  };
  globalThis.clearN8nRun = clear;
  for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => void clear().finally(() => process.exit(1)));

  try {
    // two parallel runs would build into the same folder, so only one builds
    process.env.FARMBOARD_N8N_PACKAGE ??= packInto(folder);
    await makeTemplate();
  } catch (error) {
    await clear();
    throw error;
  }
  process.env.FARMBOARD_N8N_RUN = folder;
  process.env.FARMBOARD_N8N_HOSTS = JSON.stringify(hosts);
};

/** The database that each suite's farm starts from. */
async function makeTemplate() {
  // beside the built service, because it finds its packages and files from there; two runs may build it at once
  const program = join(root, `backend/dist/testing/make-template-${process.pid}.js`);
  try {
    await build({
      entryPoints: [join(root, 'test/kit/make-template.ts')],
      outfile: program,
      bundle: true,
      packages: 'external',
      platform: 'node',
      format: 'esm',
      target: 'node20',
      logLevel: 'warning',
    });
    const { postgres, redis } = await enginesThatAnswer();
    await makeTemplates(program, { postgres: postgres && redis });
  } finally {
    rmSync(program, { force: true });
  }
}

/** @returns the path of the tarball, which has exactly what would be published */
function packInto(folder) {
  execFileSync('npm', ['run', 'build'], { cwd: root, stdio: ['ignore', 'ignore', 'inherit'] });
  const output = execFileSync('npm', ['run', '--silent', 'pack:n8n', '--', folder], {
    cwd: root,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  return output.trim().split('\n').at(-1);
}

function end(pid) {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // it has already ended
  }
}
