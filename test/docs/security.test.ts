import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(__dirname, '../..');
const PAGE = 'docs/reference/security.md';
const read = (file: string) => readFileSync(join(ROOT, file), 'utf8');
const page = read(PAGE);

/** The numbers of the requirements of each level, in the order of the standard. */
const STANDARD = JSON.parse(read('test/docs/asvs-5.0.0.json')) as Record<'1' | '2', string[]>;
const numbersOf = (level: '1' | '2') => STANDARD[level].join(' ').split(' ');

interface Row {
  numbers: string[];
  answer: string;
  where: string;
}

/** The rows of the section of a level. A row may answer several requirements. */
function rowsOf(level: '1' | '2'): Row[] {
  const [, section = ''] = page.split(`## ASVS 5.0.0, level ${level}\n`);
  const lines = (section.split(/^## /m)[0] as string).split('\n').filter((line) => /^\| \d/.test(line));
  return lines.map((line) => {
    const cells = line.slice(2, -2).split(' | ');
    expect([line, cells.length]).toEqual([line, 4]);
    const [numbers = '', , answer = '', where = ''] = cells;
    return { numbers: numbers.split(', '), answer, where };
  });
}

const linksIn = (text: string) => [...text.matchAll(/\]\(([^)\s]+)\)/g)].map(([, link = '']) => link);

describe('the sheet of the OWASP ASVS', () => {
  test('answers each of the 70 requirements of level 1 in a row of its own, and leaves none open', () => {
    const rows = rowsOf('1');
    expect(numbersOf('1')).toHaveLength(70);
    expect(rows.map(({ numbers }) => numbers.join())).toEqual(numbersOf('1'));
    const answers = ['met', 'not applicable', 'accepted'];
    expect(rows.filter(({ answer }) => !answers.includes(answer))).toEqual([]);
  });

  test('answers each of the 183 requirements of level 2, several in one row only if they do not apply', () => {
    const rows = rowsOf('2');
    expect(numbersOf('2')).toHaveLength(183);
    expect(rows.flatMap(({ numbers }) => numbers)).toEqual(numbersOf('2'));
    const answers = ['met', 'not applicable', 'accepted', 'missing'];
    expect(rows.filter(({ answer }) => !answers.includes(answer))).toEqual([]);
    expect(rows.filter(({ numbers, answer }) => numbers.length > 1 && answer !== 'not applicable')).toEqual([]);
  });

  test('gives a reason for each answer, and names existing files for what is met', () => {
    const rows = [...rowsOf('1'), ...rowsOf('2')];
    expect(rows.filter(({ where }) => where.trim() === '')).toEqual([]);
    // of few requirements a language or a fact is the reason
    const withoutLink = rows.filter(({ answer, where }) => answer === 'met' && linksIn(where).length === 0);
    expect(withoutLink.flatMap(({ numbers }) => numbers)).toEqual(['1.4.1', '3.7.1']);
    const files = linksIn(page).filter((link) => !/^([a-z]+:|#)/.test(link));
    expect(files.length).toBeGreaterThan(300);
    expect(files.filter((link) => !existsSync(join(ROOT, 'docs/reference', link.split('#')[0] as string)))).toEqual([]);
  });
});

describe('what the sheet says the code never does', () => {
  const isCode = (name: string) => /\.tsx?$/.test(name) && !/\.test\.tsx?$|\.d\.ts$/.test(name);
  const codeIn = (...folders: string[]) =>
    folders.flatMap((folder) =>
      readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
        .filter(isCode)
        .map((name) => join(folder, name)),
    );
  /** Run the service itself: its command line, and its simulation without its settings. */
  const BACKUPS = 'backend/src/operator/backups/backup-files.ts';
  const SIMULATIONS = 'backend/src/sample/simulation-process.ts';
  const CODE = codeIn('agent/src', 'common/src', 'backend/src', 'backend/web/src', 'nodes', 'credentials');

  test.each([
    [
      'starts programs',
      CODE.filter((file) => file !== BACKUPS && file !== SIMULATIONS),
      /child_process|\bcluster\b['"]/,
    ],
    ['runs text as code', CODE, /\beval\(|\bnew Function\b|['"](?:node:)?vm['"]/],
    [
      'inserts raw HTML',
      CODE,
      /dangerouslySetInnerHTML|\binnerHTML\b|\bouterHTML\b|insertAdjacentHTML|document\.write/,
    ],
    ['parses XML', CODE, /DOMParser|['"][^'"]*(?:xml2js|xmldom|fast-xml|libxml|sax)[^'"]*['"]/],
    ['uses messages between windows', codeIn('backend/web/src'), /postMessage|['"]message['"]/],
  ])('%s', (_what, files, pattern) => {
    expect(files.length).toBeGreaterThan(100);
    expect(files.filter((file) => pattern.test(read(file)))).toEqual([]);
  });

  test('starts a program other than itself, or with a shell', () => {
    const code = read(BACKUPS);
    expect(code.match(/import .*child_process.*/g)).toEqual(["import { spawn } from 'node:child_process';"]);
    expect(code.match(/\bspawn\(.*/g)).toEqual([
      "spawn(process.execPath, [process.argv[1] as string, 'backup', file], {",
    ]);
    expect(code).not.toContain('shell');
    const simulations = read(SIMULATIONS);
    expect(simulations.match(/import .*child_process.*/g)).toEqual([
      "import { type ChildProcess, fork } from 'node:child_process';",
    ]);
    expect(simulations.match(/\bfork\(.*/g)).toEqual([
      "fork(fileURLToPath(new URL('./simulation.cjs', import.meta.url)), {",
    ]);
  });
});

const LOCK_FILES = [
  ...['package-lock.json', 'test/clients/package-lock.json', 'test/n8n/lint/package-lock.json'],
  ...readdirSync(join(ROOT, 'test/kit/n8n-hosts'), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => `test/kit/n8n-hosts/${name}/package-lock.json`),
];

// npm leaves out the hashes of binaries for platforms that it has never installed: add `npm view NAME@VERSION dist.integrity`
test.each(LOCK_FILES)('%s has a hash of every package, and no addresses of a registry', (file) => {
  const text = read(file);
  const { packages } = JSON.parse(text) as {
    packages: Record<string, { integrity?: string; inBundle?: true; link?: true }>;
  };
  const installed = Object.entries(packages).filter(([path]) => path.includes('node_modules/'));
  expect(installed.length).toBeGreaterThan(400);
  const isUnchecked = ([, { integrity = '', inBundle, link }]: (typeof installed)[number]) =>
    !link && !inBundle && !integrity.startsWith('sha512-');
  expect(installed.filter(isUnchecked).map(([path]) => path)).toEqual([]);
  expect(text).not.toContain('"resolved": "http');
});

describe('production dependencies', () => {
  const dependenciesOf = (workspace: string) =>
    (JSON.parse(read(`${workspace}/package.json`)) as { dependencies: Record<string, string> }).dependencies;

  test('are all listed with the reason for each', () => {
    const [, section = ''] = page.split('## Production dependencies\n');
    const [server = '', agent = ''] = section.split('\nOf the agent:\n');
    const namesIn = (text: string) =>
      [...(text.split('\n\nThe console')[0] as string).matchAll(/^\| (`.*`) \|/gm)].flatMap(([, names = '']) =>
        names.split(', ').map((name) => name.slice(1, -1)),
      );
    expect(namesIn(server)).toEqual(Object.keys(dependenciesOf('backend')));
    expect(namesIn(agent)).toEqual(Object.keys(dependenciesOf('agent')));
  });

  test('are all in the bill of materials, with what they depend on, and nothing else is', () => {
    const { packages } = JSON.parse(read('package-lock.json')) as {
      packages: Record<string, { version?: string; dev?: true; link?: true }>;
    };
    const installed = Object.entries(packages)
      .filter(([path, { dev, link }]) => path.includes('node_modules/') && !dev && !link)
      .map(([path, { version }]) => `${path.split('node_modules/').at(-1)}@${version}`);
    const env = { ...process.env, npm_config_offline: 'true' };
    const text = execFileSync('npm', ['run', '--silent', 'sbom'], { cwd: ROOT, env, encoding: 'utf8', stdio: 'pipe' });
    const { bomFormat, components } = JSON.parse(text) as { bomFormat: string; components: Record<string, string>[] };
    expect(bomFormat).toBe('CycloneDX');
    const listed = components.map((component) => component['bom-ref']).filter((ref) => !ref?.startsWith('@farmboard/'));
    expect([...new Set(listed)].sort()).toEqual([...new Set(installed)].sort());
  });
});
