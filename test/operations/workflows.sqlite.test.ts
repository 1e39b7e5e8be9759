import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse } from 'yaml';
import { COMPOSE_FILE, readCompose } from '../kit/compose.ts';
import { ROOT } from '../kit/image.ts';

interface Step {
  uses?: string;
  run?: string;
  env?: Record<string, string>;
  with?: Record<string, unknown>;
}
interface Job {
  needs?: string | string[];
  if?: string;
  uses?: string;
  environment?: string;
  permissions?: Record<string, string>;
  steps?: Step[];
}
interface Workflow {
  on: Record<string, unknown>;
  permissions: Record<string, string>;
  jobs: Record<string, Job>;
}

/** npm finds no registry, and does not try again. */
const NOWHERE = { npm_config_registry: 'http://127.0.0.1:9/', npm_config_fetch_retries: '0' };
const FOLDER = join(ROOT, '.github/workflows');
const ARTEFACTS = ['service', 'agent', 'n8n', 'image'];
const PACKAGES = ARTEFACTS.filter((name) => name !== 'image');
const read = (name: string): Workflow => parse(readFileSync(join(FOLDER, `${name}.yml`), 'utf8'));
const publish = read('publish');
const stepsOf = (workflow: Workflow): Step[] => Object.values(workflow.jobs).flatMap(({ steps = [] }) => steps);
const commandsOf = (workflow: Workflow): string[] => stepsOf(workflow).flatMap(({ run }) => run ?? []);

describe('the workflows', () => {
  test('run scripts that exist', () => {
    const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
    for (const name of readdirSync(FOLDER).map((file) => file.replace('.yml', ''))) {
      const text = commandsOf(read(name)).join('\n');
      for (const [, script] of text.matchAll(/npm run (?:--silent )?([\w:]+)/g))
        expect([name, script, Object.keys(scripts)]).toEqual([name, script, expect.arrayContaining([script])]);
      for (const [, file = ''] of text.matchAll(/(?:^|node )((?:deploy|\.ci)\/[\w./-]+)/gm))
        expect([name, file, existsSync(join(ROOT, file))]).toEqual([name, file, true]);
    }
  });

  test('take actions by commit', () => {
    for (const name of readdirSync(FOLDER).map((file) => file.replace('.yml', '')))
      for (const { uses } of stepsOf(read(name)))
        if (uses !== undefined) expect([name, uses]).toEqual([name, expect.stringMatching(/@[0-9a-f]{40}$/)]);
  });
});

describe('the workflow of a release', () => {
  test('calls that of each artefact when everything has passed, then releases what they made', () => {
    expect(publish.on).toEqual({ push: { tags: ['v*.*.*'] } });
    for (const name of ARTEFACTS)
      expect([publish.jobs[name]!.uses, publish.jobs[name]!.needs]).toEqual([
        `./.github/workflows/publish-${name}.yml`,
        'check',
      ]);
    expect(publish.jobs.release!.needs).toEqual(ARTEFACTS);
    const uploads = [publish, ...ARTEFACTS.map((name) => read(`publish-${name}`))]
      .flatMap(stepsOf)
      .flatMap(({ uses, with: options }) => (uses?.startsWith('actions/upload-artifact@') ? options!.name : []));
    const { pattern } = publish.jobs.release!.steps![0]!.with as { pattern: string };
    expect(pattern).toBe('{release-*,package-service,package-agent}');
    expect(uploads.sort()).toEqual([
      ...['package-agent', 'package-n8n', 'package-service', 'release-compose', 'release-sbom'],
    ]);
    const { run = '' } = publish.jobs.release!.steps![1]!;
    for (const [before, after] of [
      ['farmboard-', '.tgz'],
      ['farmboard-agent-', '.tgz'],
      ['farmboard-compose-', '.tar.gz'],
    ])
      expect(run).toContain(`"${before}$\{TAG#v}${after}"`);
  });

  test('grants each job what it needs and no more', () => {
    const npm = { contents: 'read', 'id-token': 'write' };
    const image = { contents: 'read', packages: 'write', 'id-token': 'write', attestations: 'write' };
    const granted = (workflow: Workflow) =>
      Object.fromEntries(Object.entries(workflow.jobs).map(([name, { permissions }]) => [name, permissions]));
    for (const name of ['publish', ...ARTEFACTS.map((one) => `publish-${one}`)])
      expect([name, read(name).permissions]).toEqual([name, {}]);
    expect(granted(publish)).toEqual({
      check: { contents: 'read' },
      service: npm,
      agent: npm,
      n8n: npm,
      image,
      release: { contents: 'write' },
    });
    for (const name of PACKAGES)
      expect(granted(read(`publish-${name}`))).toEqual({ pack: { contents: 'read' }, publish: npm });
    expect(granted(read('publish-image'))).toEqual({ rehearse: { contents: 'read' }, publish: image });
  });

  test('publishes nothing when one of them is started by hand', () => {
    for (const name of ARTEFACTS) {
      const { on, jobs } = read(`publish-${name}`);
      expect(Object.keys(on)).toEqual(['workflow_call', 'workflow_dispatch']);
      expect(jobs.publish!.if).toBe("github.event_name == 'push'");
    }
    const [rehearsed, published] = ['rehearse', 'publish'].map((job) =>
      read('publish-image').jobs[job]!.steps!.find(({ uses }) => uses?.startsWith('docker/build-push-action@')),
    );
    expect(rehearsed!.with).toEqual({ context: '.', file: 'release/Dockerfile', push: false });
    expect(published!.with).toMatchObject({
      ...{ file: 'release/Dockerfile', push: true, provenance: 'mode=max', sbom: true },
    });
  });
});

describe('the rehearsal here', () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'farmboard-rehearsal-'));
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  const rehearse = (packed: string, args = ['--dry-run']) =>
    spawnSync(process.execPath, [join(ROOT, 'deploy/release/publish-package.mjs'), packed, ...args], {
      encoding: 'utf8',
      // nothing that could let npm publish
      env: { PATH: process.env.PATH, HOME: folder, ...NOWHERE },
    });

  test.each(['service', 'agent'])('packs the %s as its workflow says, and npm would publish it', (name) => {
    const { steps } = read(`publish-${name}`).jobs.pack!;
    const packed = join(folder, name);
    const commands = steps!.flatMap(({ run }) => run ?? []).filter((run) => !run.startsWith('npm ci'));
    expect(commands.map((run) => run.split(' ')[0])).toEqual(['npm', 'node']);
    const env = { ...process.env, ...NOWHERE };
    for (const command of commands) {
      const placed = command.replace(/(?<= )packed\b/, packed);
      execFileSync('sh', ['-ec', placed], { cwd: ROOT, env, stdio: 'pipe' });
    }
    const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
    const full = name === 'service' ? 'farmboard' : 'farmboard-agent';
    expect(rehearse(packed)).toMatchObject({
      status: 0,
      stdout: expect.stringContaining(
        `would publish ${full}@${version} as ${version.includes('-') ? 'next' : 'latest'}\n`,
      ),
    });
    expect(rehearse(packed, ['--tag', '9.9.9'])).toMatchObject({
      status: 1,
      stderr: expect.stringContaining(`the tag is 9.9.9, ${full} says ${version}`),
    });
  });

  test('refuses a package with scripts that run at install, and puts early versions aside', () => {
    const pack = (manifest: object): string => {
      const packed = mkdtempSync(join(folder, 'made-'));
      const source = join(packed, 'source');
      mkdirSync(source);
      writeFileSync(join(source, 'package.json'), JSON.stringify(manifest));
      execFileSync('npm', ['pack', '--silent', '--ignore-scripts', '--pack-destination', packed], { cwd: source });
      return packed;
    };
    expect(rehearse(pack({ name: 'a-b-c', version: '1.0.0', scripts: { postinstall: 'x' } }))).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('scripts that run when it is installed: postinstall'),
    });
    expect(rehearse(pack({ name: 'a-b-c', version: '1.0.0-rc.1' })).stdout).toContain('as next\n');
  });

  test('makes the Dockerfile and the archive of the image with every image by digest', () => {
    const files = ['Dockerfile', 'docker-compose.yml', 'compose.small.yml', '.env.example', 'deploy'];
    for (const file of files) cpSync(join(ROOT, file), join(folder, file), { recursive: true });
    const commands = commandsOf(read('publish-image')).filter((run) => run.startsWith('node deploy/release/image.mjs'));
    expect(commands).toHaveLength(4);
    const env = {
      PATH: process.env.PATH,
      TAG: '0.2.0',
      IMAGE: 'ghcr.io/farm/board',
      DIGEST: `sha256:${'0f'.repeat(32)}`,
    };
    for (const command of commands)
      execFileSync('sh', ['-ec', command.replace(/(?: --dry-run)?$/, ' --dry-run')], { cwd: folder, env });

    expect(readFileSync(join(folder, 'release/Dockerfile'), 'utf8')).toMatch(
      /^FROM node:\S+@sha256:[0-9a-f]{64} AS base$/m,
    );
    const archive = join(folder, 'release/farmboard-compose-0.2.0.tar.gz');
    const list = execFileSync('tar', ['-tzf', archive], { encoding: 'utf8' }).split('\n');
    const mounted = Object.values(readCompose(undefined, COMPOSE_FILE).services)
      .flatMap(({ volumes = [] }) => volumes.map((volume) => volume.split(':')[0] as string))
      .filter((source) => source.startsWith('./'))
      .map((source) => source.slice(2));
    expect(mounted).toEqual(['deploy/nginx.conf']);
    for (const file of ['docker-compose.yml', 'compose.small.yml', '.env.example', ...mounted])
      expect(list).toContain(`farmboard-0.2.0/${file}`);
    for (const file of ['docker-compose.yml', 'compose.small.yml']) {
      const text = execFileSync('tar', ['-xzOf', archive, `farmboard-0.2.0/${file}`], { encoding: 'utf8' });
      const images = Object.values(readCompose(undefined, text).services).map(({ image }) => image);
      expect(images).toContain(`${env.IMAGE}:0.2.0@${env.DIGEST}`);
      for (const image of images) expect(image).toMatch(/@sha256:[0-9a-f]{64}$/);
    }
  });
});
