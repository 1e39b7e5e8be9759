import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const COMMAND = join(__dirname, 'changelog.mjs');
const INTRO = '# Changelog\n\nAll notable changes.\n';
const EARLIER = '\n## 0.1.0 – 2026-11-01\n\n### Added\n\n- The first release.\n';

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'farmboard-changelog-'));
  for (const folder of ['changes', 'nodes']) mkdirSync(join(root, folder));
  for (const file of ['CHANGELOG.md', 'nodes/CHANGELOG.md']) writeFileSync(join(root, file), INTRO + EARLIER);
});
afterEach(() => rmSync(root, { recursive: true }));

const note = (name: string, text: string) => writeFileSync(join(root, 'changes', name), text);
const changelog = (file = 'CHANGELOG.md') => readFileSync(join(root, file), 'utf8');
const run = (...args: string[]) =>
  spawnSync(process.execPath, [COMMAND, '--root', root, ...args], { encoding: 'utf8' });

test('finds a kind and a text in every note of the repository', () => {
  const { status, stderr } = spawnSync(process.execPath, [COMMAND], { encoding: 'utf8' });
  if (stderr !== 'changes/ contains no notes\n') expect([status, stderr]).toEqual([0, '']);
});

test('moves all notes into a new section above the earlier ones for a version', () => {
  note('b-labels.md', 'Added\n\nLabels have\na QR code.\n');
  note('a-board.md', 'Added\n\nA board.\n');
  note('c-login.md', 'Fixed\n\nSigning in works again.\n');
  expect(run('0.2.0')).toMatchObject({ status: 0, stdout: '3 notes moved to CHANGELOG.md\n' });
  const today = new Date().toISOString().slice(0, 10);
  expect(changelog()).toBe(
    `${INTRO}\n## 0.2.0 – ${today}\n\n### Added\n\n- A board.\n- Labels have a QR code.\n\n### Fixed\n\n- Signing in works again.\n${EARLIER}`,
  );
  expect(readdirSync(join(root, 'changes'))).toEqual([]);
});

test("moves the n8n package's notes into its own changelog", () => {
  note('board.md', 'Added\n\nA board.\n');
  note('n8n-trigger.md', 'Added\n\nA trigger.\n');
  expect(run('0.2.0')).toMatchObject({ stdout: '2 notes moved to CHANGELOG.md and nodes/CHANGELOG.md\n' });
  expect([changelog(), changelog('nodes/CHANGELOG.md')]).toEqual([
    expect.stringMatching(/### Added\n\n- A board\.\n\n## 0\.1\.0/),
    expect.stringMatching(/### Added\n\n- A trigger\.\n\n## 0\.1\.0/),
  ]);
});

test('writes the first section below the introduction', () => {
  writeFileSync(join(root, 'CHANGELOG.md'), INTRO);
  note('a.md', 'Removed\n\nThe old board.\n');
  expect(run('1.0.0').status).toBe(0);
  expect(changelog()).toMatch(
    /^# Changelog\n\nAll notable changes\.\n\n## 1\.0\.0 – .+\n\n### Removed\n\n- The old board\.\n$/,
  );
});

test('prints the section and changes nothing without a version', () => {
  note('a.md', 'Changed\n\nThe board is faster.\n');
  expect(run()).toMatchObject({ status: 0, stdout: '### Changed\n\n- The board is faster.\n' });
  expect([changelog(), readdirSync(join(root, 'changes'))]).toEqual([INTRO + EARLIER, ['a.md']]);
});

test.each([
  [
    'an unknown kind',
    'New\n\nA board.\n',
    '0.2.0',
    'changes/a.md: the first line must be one of Added, Changed, Fixed, Removed',
  ],
  ['a note without a text', 'Added\n', '0.2.0', 'changes/a.md: an empty line and the text must follow the kind'],
  ['a version that is not one', 'Added\n\nA board.\n', 'next', 'next is not a version such as 0.2.0'],
  ['a version that has a section', 'Added\n\nA board.\n', '0.1.0', 'CHANGELOG.md already has a section for 0.1.0'],
])('refuses %s and changes nothing', (_what, text, version, message) => {
  note('a.md', text);
  expect(run(version)).toMatchObject({ status: 1, stderr: `${message}\n` });
  expect([changelog(), readdirSync(join(root, 'changes'))]).toEqual([INTRO + EARLIER, ['a.md']]);
});

test('refuses to make a section without notes', () => {
  expect(run('0.2.0')).toMatchObject({ status: 1, stderr: 'changes/ contains no notes\n' });
});
