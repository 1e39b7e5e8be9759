// node deploy/release/publish-package.mjs FOLDER --tag 0.2.0: publishes the packed file in a folder to npm, with
// provenance. The tag is the one that is being released. The workflows run it.
//
// --dry-run instead: npm only says what it would publish; that works anywhere and needs no account.
import { execFileSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';

const { values, positionals } = parseArgs({
  options: { 'dry-run': { type: 'boolean' }, tag: { type: 'string' } },
  allowPositionals: true,
});
const isRehearsal = values['dry-run'] === true;
const folder = resolve(positionals[0] ?? 'packed');
const files = readdirSync(folder).filter((name) => name.endsWith('.tgz'));
if (files.length !== 1) throw new Error(`${folder} must contain one packed file, not ${files.length}`);
const file = join(folder, files[0] ?? '');

const {
  name,
  version,
  scripts = {},
} = JSON.parse(execFileSync('tar', ['-xzOf', file, 'package/package.json'], { encoding: 'utf8' }));
// npm runs these on the machine of whoever installs it
const atInstall = ['preinstall', 'install', 'postinstall', 'prepare'].filter((script) => script in scripts);
if (atInstall.length > 0) throw new Error(`${name} has scripts that run when it is installed: ${atInstall.join(', ')}`);
if (!isRehearsal && values.tag !== version) throw new Error(`the tag is ${values.tag}, ${name} says ${version}`);

// a version with a hyphen is not for everybody yet
const channel = version.includes('-') ? 'next' : 'latest';
const args = ['publish', file, '--access', 'public', '--ignore-scripts', '--tag', channel];
execFileSync('npm', [...args, ...(isRehearsal ? ['--dry-run'] : ['--provenance'])], { stdio: 'inherit' });
process.stdout.write(`${isRehearsal ? 'would publish' : 'published'} ${name}@${version} as ${channel}\n`);
