// Requirements for what `npm publish` would publish. Each check returns problems, none if all is well.
import { dirname, join } from 'node:path';
import { lines, read, scan } from './text.mjs';

/** @import { Artefacts, Check, Codex } from './types.d.ts' */

const allowedInTarball = [
  /^package\.json$/,
  /^LICENSE$/,
  /^(README|CHANGELOG)\.md$/,
  /^dist\/(nodes|credentials)\/.+\.(js|d\.ts)$/,
  /^dist\/nodes\/.+\.svg$/,
  /^dist\/nodes\/.+\.node\.json$/,
  /^dist\/nodes\/.+\/samples\.json$/,
  /^dist\/nodes\/.+\/__schema__\/v\d+\.\d+\.\d+\/.+\.json$/,
];
const neverInTarball = /(^|\/)(__tests__|__mocks__|tests?)\/|\.(test|spec)\./;
const readmeSections = [
  'Installation',
  'Operations',
  'Credentials',
  'Compatibility',
  'Usage',
  'Resources',
  'Version history',
];
const codexCategories = [
  'Analytics',
  'Communication',
  'Data & Storage',
  'Development',
  'Finance & Accounting',
  'Marketing & Content',
  'Miscellaneous',
  'Productivity',
  'Sales',
  'Utility',
];

/**
 * Compares JSON by content, because the compiler reformats it.
 * @type {(folder: string, file: string) => string}
 */
const content = (folder, file) =>
  file.endsWith('.json') ? JSON.stringify(JSON.parse(read(folder, file))) : read(folder, file);

/**
 * The anchor that GitHub makes of a heading.
 * @type {(heading: string) => string}
 */
const anchorOf = (heading) =>
  heading
    .trim()
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .replace(/\s/g, '-');

/** @type {(markdown: string) => string[]} */
const anchors = (markdown) => [...markdown.matchAll(/^#+\s+(.+)$/gm)].map(([, heading = '']) => anchorOf(heading));

/**
 * Problems of a link: into our own repository it must lead to a heading of the package's README.
 * @param {Artefacts} artefacts
 * @param {string | undefined} url
 */
function linkProblems({ packed, manifest }, url) {
  if (!url?.startsWith('https://')) return [`${url} is no https link`];
  const { homepage = '', repository } = manifest();
  const [page, fragment = ''] = url.split('#');
  if (!url.startsWith(repository.url?.replace(/^git\+|\.git$/g, '') ?? homepage)) return [];
  if (page !== homepage.split('#')[0]) return [`${url} does not lead to the README`];
  const headings = anchors(read(packed().folder, 'README.md'));
  return headings.includes(fragment) ? [] : [`README.md has no heading for ${url}`];
}

/** @type {Check[]} */
export const tarballChecks = [
  {
    name: 'npm run build:nodes succeeds',
    find({ build }) {
      const { status, output } = build();
      return status === 0 ? [] : lines(output);
    },
  },
  {
    name: 'the tarball holds allowed files only',
    find({ packed }) {
      const { files } = packed();
      const stray = files.filter(
        (file) => neverInTarball.test(file) || !allowedInTarball.some((pattern) => pattern.test(file)),
      );
      const missing = ['package.json', 'README.md', 'LICENSE'].filter((file) => !files.includes(file));
      return [...stray.map((file) => `${file} is in it`), ...missing.map((file) => `${file} is not in it`)];
    },
  },
  {
    name: "the manifest in the tarball has nothing of the repository's, and says where to report bugs",
    find({ packed }) {
      const published = JSON.parse(read(packed().folder, 'package.json'));
      const left = ['scripts', 'workspaces', 'devDependencies'].filter((field) => field in published);
      return [...left.map((field) => `${field} is in it`), ...(published.bugs?.url ? [] : ['bugs.url is not in it'])];
    },
  },
  {
    name: "the README and the changelog in the tarball are the package's own, with pictures that load anywhere",
    find({ root, packed }) {
      const { folder } = packed();
      return ['README.md', 'CHANGELOG.md'].flatMap((file) => {
        const text = read(folder, file);
        const links = [...text.matchAll(/\]\(([^)\s]+)\)/g)].map(([, link = '']) => link);
        return [
          ...(text === read(root, `nodes/${file}`) ? [] : [`${file} is not nodes/${file}`]),
          ...links.filter((link) => !/^(https:|#)/.test(link)).map((link) => `${file}: ${link} leads nowhere on npm`),
        ];
      });
    },
  },
  {
    name: 'the tarball is what the sources make: no module missing or left over, icons, codex and schemas as they are',
    find({ root, packed, sources }) {
      const { folder, files } = packed();
      const modules = sources().filter((file) => file.endsWith('.ts') && !file.endsWith('.d.ts'));
      const expected = new Set(modules.map((file) => `dist/${file.replace(/\.ts$/, '.js')}`));
      const shipped = files.filter((file) => file.endsWith('.js'));
      const copied = sources().filter((file) => /\.(svg|json)$/.test(file));
      return [
        ...[...expected].filter((file) => !shipped.includes(file)).map((file) => `${file} is missing`),
        ...shipped.filter((file) => !expected.has(file)).map((file) => `${file} has no source`),
        ...copied
          .filter((file) => !files.includes(`dist/${file}`) || content(folder, `dist/${file}`) !== content(root, file))
          .map((file) => `dist/${file} is not the file in ${file}`),
        ...files
          .filter((file) => /\.(svg|json)$/.test(file) && file !== 'package.json')
          .filter((file) => !copied.includes(file.slice('dist/'.length)))
          .map((file) => `${file} has no source`),
      ];
    },
  },
  {
    name: 'no path of a machine and no dangling source map in the tarball',
    find({ packed }) {
      const { folder, files } = packed();
      return files.flatMap((file) => {
        const [found] =
          read(folder, file).match(/sourceMappingURL|(?<![\w.:/])\/(home|root|Users|work|tmp)\/\w+|[A-Z]:\\\\?\w+/) ??
          [];
        return found ? [`${file}: ${found}`] : [];
      });
    },
  },
  {
    name: 'every registered node and credential loads, and every one in the tarball is registered',
    find({ manifest, packed, described }) {
      const { nodes, credentials } = manifest().n8n;
      const { files } = packed();
      const problems = [];
      for (const { kind, entries, ending } of [
        { kind: 'node', entries: nodes, ending: '.node.js' },
        { kind: 'credential', entries: credentials, ending: '.credentials.js' },
      ]) {
        if (entries.length === 0) problems.push(`no ${kind} is registered`);
        for (const entry of entries) if (!files.includes(entry)) problems.push(`${entry} is not in the tarball`);
        for (const file of files)
          if (file.endsWith(ending) && !entries.includes(file)) problems.push(`${file} is not registered`);
      }
      if (problems.length === 0) described();
      return problems;
    },
  },
  {
    name: 'nodes and credential show a light and a dark icon that are in the tarball',
    find({ packed, described }) {
      const { nodes, credentials } = described();
      const shown = [...nodes.map(({ file, description }) => ({ file, icon: description.icon })), ...credentials];
      return shown.flatMap(({ file, icon }) => {
        if (!icon?.light || !icon.dark || icon.light === icon.dark) return [`${file}: no light and dark icon`];
        return Object.values(icon)
          .map((value) => join(dirname(file), value.replace(/^file:/, '')))
          .filter((path) => !packed().files.includes(path))
          .map((path) => `${file}: ${path} is not in the tarball`);
      });
    },
  },
  {
    name: 'every node has a codex file: its name, its version, known categories, links that lead somewhere',
    find(artefacts) {
      const { manifest, packed, described } = artefacts;
      return described().nodes.flatMap(({ file, description }) => {
        const path = file.replace(/\.js$/, '.json');
        if (!packed().files.includes(path)) return [`${path} is not in the tarball`];
        /** @type {Codex} */
        const codex = JSON.parse(read(packed().folder, path));
        const newest = Math.max(...[description.version].flat());
        const links = /** @type {const} */ (['credentialDocumentation', 'primaryDocumentation']);
        return [
          ...(codex.node === `${manifest().name}.${description.name}` ? [] : [`node is ${codex.node}`]),
          ...(Number(codex.nodeVersion) === newest ? [] : [`nodeVersion is ${codex.nodeVersion}, not ${newest}`]),
          ...(codex.codexVersion === '1.0' ? [] : [`codexVersion is ${codex.codexVersion}`]),
          ...(codex.categories?.length ? [] : ['no category']),
          ...(codex.categories ?? [])
            .filter((name) => !codexCategories.includes(name))
            .map((name) => `no category ${name}`),
          ...links.filter((kind) => !codex.resources?.[kind]?.length).map((kind) => `no ${kind}`),
          ...links.flatMap((kind) => codex.resources?.[kind] ?? []).flatMap(({ url }) => linkProblems(artefacts, url)),
        ].map((problem) => `${path}: ${problem}`);
      });
    },
  },
  {
    name: "README: n8n's sections, and every operation by its name",
    find({ packed, described }) {
      const markdown = read(packed().folder, 'README.md');
      const headings = anchors(markdown);
      const [, operations = ''] = markdown.match(/^#+ Operations\s*$([\s\S]*?)(?=^#{1,2} |(?![\s\S]))/m) ?? [];
      const names = described().nodes.flatMap(({ description }) =>
        description.properties
          .filter(({ name }) => name === 'resource' || name === 'operation')
          .flatMap(({ options }) => options.map(({ name }) => name)),
      );
      return [
        ...readmeSections.filter((name) => !headings.includes(anchorOf(name))).map((name) => `no section ${name}`),
        ...(markdown.match(/@@\w*@@|\bTODO\b|\bTBD\b/g) ?? []).map((left) => `${left} is left in it`),
        ...[...new Set(names)]
          .filter((name) => !operations.includes(name))
          .map((name) => `Operations does not name ${name}`),
      ];
    },
  },
  {
    name: 'the help link of every credential leads to a heading of the README',
    find: (artefacts) =>
      artefacts
        .described()
        .credentials.flatMap(({ file, documentationUrl }) =>
          linkProblems(artefacts, documentationUrl).map((problem) => `${file}: ${problem}`),
        ),
  },
  {
    name: 'every operation has an output schema, every node without operations one of its own, and no other is there',
    find({ packed, described }) {
      const offered = described().nodes.flatMap(({ file, description }) => {
        const operations = description.properties
          .filter(({ name }) => name === 'operation')
          .flatMap(({ displayOptions, options }) =>
            displayOptions.show.resource.flatMap((resource) => options.map(({ value }) => `${resource}/${value}`)),
          );
        return [description.version].flat().flatMap((version) => {
          const folder = `${dirname(file)}/__schema__/v${[...String(version).split('.'), '0', '0'].slice(0, 3).join('.')}`;
          return (operations.length > 0 ? operations : ['output']).map((name) => `${folder}/${name}.json`);
        });
      });
      const shipped = packed().files.filter((file) => file.includes('/__schema__/'));
      return [
        ...offered.filter((file) => !shipped.includes(file)).map((file) => `${file} is missing`),
        ...shipped.filter((file) => !offered.includes(file)).map((file) => `${file} belongs to no operation`),
        ...shipped
          .filter((file) => typeof JSON.parse(read(packed().folder, file)).type !== 'string')
          .map((file) => `${file} names no type`),
      ];
    },
  },
  {
    name: "n8n's package scanner, second leg: the tarball",
    find: (artefacts) => scan(artefacts, artefacts.packed().folder, ['**/*.js', 'package.json']),
  },
];
