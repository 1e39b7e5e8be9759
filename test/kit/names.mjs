// node test/kit/names.mjs BEFORE.json AFTER.json: which test names were removed and added, from two reports of `npx
// jest --json --outputFile=FILE` (with `-t 'no such test'` Jest only lists them). Ignores numbers and seeds in names,
// the file of a test, and a new describe around it.
import { readFileSync } from 'node:fs';

const UUID = /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;

const read = (file) => {
  const { testResults } = JSON.parse(readFileSync(file, 'utf8'));
  return new Set(
    testResults.flatMap(({ assertionResults }) =>
      assertionResults.map(({ fullName }) => fullName.replace(UUID, '#').replace(/\d+([_,]\d+)*/g, '#')),
    ),
  );
};
const [before, after] = process.argv.slice(2).map(read);
const isIn = (names, isSame) => (name) => [...names].some((other) => isSame(name, other));
const gone = [...before].filter((name) => !isIn(after, (was, is) => is.endsWith(was))(name)).sort();
const added = [...after].filter((name) => !isIn(before, (is, was) => is.endsWith(was))(name)).sort();
for (const name of gone) console.log(`gone   ${name}`);
for (const name of added) console.log(`added  ${name}`);
console.log(`${before.size} names before, ${after.size} after: ${gone.length} gone, ${added.length} added`);
