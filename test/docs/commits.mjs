// Commit subjects are conventional and fit into 72 characters: every commit after the one that added this
// file, merges aside.
import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const SUBJECT = /^(feat|fix|perf|refactor|docs|test|build|ci|chore|style|revert)(\([\w-]+\))?!?: \S/;
const MAX = 72;

const git = (...args) => execFileSync('git', args, { encoding: 'utf8' }).split('\n').filter(Boolean);

const [added] = git('log', '--diff-filter=A', '--format=%H', '--', fileURLToPath(import.meta.url)).slice(-1);
const subjects = added ? git('log', '--no-merges', '--format=%h %s', `${added}..HEAD`) : [];

const faults = subjects.filter((line) => {
  const subject = line.slice(line.indexOf(' ') + 1);
  return subject.length > MAX || !SUBJECT.test(subject);
});
for (const line of faults) process.stderr.write(`${line}\n  not conventional, or longer than ${MAX} characters\n`);
process.exitCode = faults.length > 0 ? 1 : 0;
