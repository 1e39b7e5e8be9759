import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const ROOT = join(__dirname, '../..');

const markdownIn = (folder: string, recursive = false) =>
  readdirSync(join(ROOT, folder), { recursive, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => join(folder, name));

const textOf = (file: string) => readFileSync(join(ROOT, file), 'utf8').replace(/^```[\s\S]*?^```/gm, '');

/** The anchors that GitHub gives to the headings of a page. */
const anchorsOf = (file: string) =>
  [...textOf(file).matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );

/** Addresses of our own files, which pages have that are also read outside the repository. */
const OWN =
  /^https:\/\/(?:github\.com\/farmboard\/n8n-nodes-farmboard\/(?:blob|tree)|raw\.githubusercontent\.com\/farmboard\/n8n-nodes-farmboard)\/main\//;

function isBroken(folder: string, link: string): boolean {
  const [path = '', anchor] = link.split('#');
  const target = join(folder, path);
  if (!existsSync(join(ROOT, target))) return true;
  return anchor !== undefined && target.endsWith('.md') && !anchorsOf(target).includes(anchor);
}

test('finds the file and the heading of every link between pages', () => {
  const pages = [
    ...markdownIn('.'),
    ...markdownIn('nodes'),
    ...markdownIn('docs', true),
    ...markdownIn('examples', true),
  ];
  const broken = pages.flatMap((file) => {
    return [...textOf(file).matchAll(/\]\(([^)\s]+)\)/g)]
      .map(([, link = '']) => (link.startsWith('#') ? `${file.split('/').at(-1)}${link}` : link))
      .filter((link) =>
        OWN.test(link) ? isBroken('.', link.replace(OWN, '')) : !/^[a-z]+:/.test(link) && isBroken(dirname(file), link),
      )
      .map((link) => `${file}: ${link}`);
  });
  expect(broken).toEqual([]);
});

test('finds a document for every picture', () => {
  const texts = [...markdownIn('.'), ...markdownIn('nodes'), ...markdownIn('docs', true)].map(textOf);
  const pictures = readdirSync(join(ROOT, 'docs/images'));
  expect(pictures.filter((name) => !texts.some((text) => text.includes(`images/${name}`)))).toEqual([]);
});

test('finds decision pages numbered without gaps, each with its parts', () => {
  const pages = markdownIn('docs/decisions').sort();
  expect(pages.map((file) => Number(file.slice('docs/decisions/'.length).slice(0, 4)))).toEqual(
    pages.map((_, at) => at + 1),
  );
  for (const file of pages) {
    const sections = [...textOf(file).matchAll(/^\*\*(Background|Decision|Consequences)\.\*\*/gm)].map(
      ([, name]) => name,
    );
    expect([file, new Set(sections)]).toEqual([file, new Set(['Background', 'Decision', 'Consequences'])]);
  }
});
