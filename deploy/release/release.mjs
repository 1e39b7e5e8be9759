// npm run release -- VERSION: prepares a release. Sets the version everywhere, dates its section in both changelogs and makes
// its upgrade fixture, for which PostgreSQL, Redis and pg_dump must be there. Commits and publishes nothing.
import { execFileSync, execSync } from 'node:child_process';
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

process.chdir(fileURLToPath(new URL('../..', import.meta.url)));
const [version = ''] = process.argv.slice(2);
const [, release, candidate] = /^(\d+\.\d+\.\d+)(-rc\.\d+)?$/.exec(version) ?? [];

/** @type {(file: string) => any} */
const readJson = (file) => JSON.parse(readFileSync(file, 'utf8'));
/** @type {(file: string, value: object) => void} */
const writeJson = (file, value) => writeFileSync(file, `${JSON.stringify(value, null, 2)}\n`);

/** In every manifest, and where the lock file repeats them. */
function setVersions() {
  const { workspaces } = readJson('package.json');
  const lock = readJson('package-lock.json');
  lock.version = version;
  for (const folder of ['', ...workspaces]) {
    const manifest = folder === '' ? 'package.json' : `${folder}/package.json`;
    writeJson(manifest, { ...readJson(manifest), version });
    lock.packages[folder].version = version;
  }
  writeJson('package-lock.json', lock);
}

/** A candidate's section has no date: it is edited until the release. @param {string} file */
function dateSection(file) {
  const changelog = readFileSync(file, 'utf8');
  const heading = new RegExp(`^## (Unreleased|${release?.replaceAll('.', '\\.')})( – .*)?$`, 'm');
  if (!heading.test(changelog)) throw new Error(`${file} has no section "## Unreleased" or "## ${release}"`);
  const date = candidate ? '' : ` – ${new Date().toISOString().slice(0, 10)}`;
  writeFileSync(file, changelog.replace(heading, `## ${release}${date}`));
}

/** Those of candidates go: only releases are upgraded from. */
function makeFixture() {
  const fixtures = 'test/fixtures/releases';
  for (const name of readdirSync(fixtures).filter((name) => name.includes('-rc.')))
    rmSync(`${fixtures}/${name}`, { recursive: true });
  execSync(`FARMBOARD_RELEASE=${version} npx jest --config test/upgrade/jest.release.config.cjs`, { stdio: 'inherit' });
}

if (release === undefined) throw new Error(`"${version}" is not a version such as 1.2.0 or 1.2.0-rc.1`);
if (execFileSync('git', ['status', '--porcelain'], { encoding: 'utf8' }) !== '')
  throw new Error('There are uncommitted changes. Commit or remove them first.');
for (const file of ['CHANGELOG.md', 'nodes/CHANGELOG.md']) dateSection(file);
setVersions();
makeFixture();
process.stdout.write(`
Prepared ${version}. Left to do by hand:
  read git diff and both changelogs
  git add -A, git commit -m "chore(release): ${version}", and a pull request
  git tag v${version} on main, once CI has passed, and push the tag: publish.yml does the rest
`);
