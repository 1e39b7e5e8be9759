import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { InvoiceDocument } from '../../backend/src/invoices/document.ts';
import { eventually } from '../kit/eventually.ts';
import { assembleImage, createIgnore, type Image, isRoot, readDockerfile } from '../kit/image.ts';
import { IS_LONG } from '../kit/length.ts';
import { freePort } from '../kit/ports.ts';

const CONTENTS = ['LICENSE', 'n8n-nodes-farmboard', 'node_modules'];

const instructions = readDockerfile();
const textsOf = (name: string): string[] => instructions.filter((one) => one.name === name).map(({ text }) => text);

describe('the Dockerfile', () => {
  test('has a pinned base, a non-root user, a health check and exec forms', () => {
    const stages = textsOf('FROM').flatMap((text) => / AS (\w+)$/.exec(text)?.[1] ?? []);
    const bases = textsOf('FROM').map((text) => text.split(' ')[0] as string);
    expect(bases.filter((base) => !stages.includes(base))).toEqual([expect.stringMatching(/^node:24-\w+-slim$/)]);
    expect(textsOf('USER').at(-1)).toMatch(/^[1-9]\d*:[1-9]\d*$/);
    expect(textsOf('HEALTHCHECK')).toEqual([expect.stringMatching(/CMD \["farmboard", "health"\]$/)]);
    expect(textsOf('CMD')).toEqual(['["farmboard", "serve"]']);
    expect(textsOf('ENTRYPOINT')).toEqual(['[]']);
    expect(textsOf('EXPOSE')).toEqual(['3000']);
  });

  test('downloads nothing and contains no secret', () => {
    expect(textsOf('ADD')).toEqual([]);
    expect(textsOf('ARG')).toEqual([]);
    expect(textsOf('RUN').join('\n')).not.toMatch(/https?:|curl|wget/);
    expect(textsOf('ENV').join('\n')).not.toMatch(/KEY|PASSWORD|TOKEN|SECRET/);
  });

  test('receives only the files it needs', () => {
    const isIgnored = createIgnore();
    for (const path of ['.env', 'backend/.env.local', '.git/config', 'data/farmboard.sqlite3', 'node_modules/knex'])
      expect([path, isIgnored(path)]).toEqual([path, true]);
    for (const path of ['backend/node_modules/x', 'backend/dist/x', 'backend/src/a.test.ts'])
      expect([path, isIgnored(path)]).toEqual([path, true]);
    for (const path of ['package-lock.json', 'backend/src/cli/main.ts', 'backend/bin/farmboard.js'])
      expect([path, isIgnored(path)]).toEqual([path, false]);
  });
});

describe('the assembled image', () => {
  let image: Image;
  let child: ChildProcess | undefined;

  beforeAll(() => {
    // the long form builds in it from nothing
    image = assembleImage({ isBuilt: !IS_LONG });
  });
  afterEach(async () => {
    if (child?.exitCode === null && child.kill('SIGKILL')) await once(child, 'exit');
  });
  afterAll(() => image?.remove());

  /** @returns the process, and what it has written so far */
  function start(command: string[], env: Record<string, string>): { child: ChildProcess; log(): string } {
    const [program, ...args] = command as [string, ...string[]];
    const started = spawn(program, args, { ...image.options, env: image.environment(env), stdio: 'pipe' });
    let log = '';
    for (const stream of [started.stdout, started.stderr])
      stream?.setEncoding('utf8').on('data', (text: string) => {
        log += text;
      });
    return { child: started, log: () => log };
  }

  async function run(command: string[], env: Record<string, string>): Promise<{ code: number; text: string }> {
    const { child, log } = start(command, env);
    const [code] = (await once(child, 'close')) as [number];
    return { code, text: log() };
  }

  /** A file of the server's build. */
  function built(file: string): string {
    const dist = join(image.root, 'app/node_modules/farmboard/dist');
    const [build] = readdirSync(dist).filter((name) => name.startsWith('server-'));
    return join(dist, build as string, file);
  }

  test('contains the bundle and runtime modules but no build tools', () => {
    expect(readdirSync(image.root).sort()).toEqual(['app', 'backups', 'data', 'n8n', 'usr']);
    expect(readdirSync(join(image.root, 'app')).sort()).toEqual(CONTENTS);
    const modules = ['@node-rs', 'bindings', 'farmboard', 'file-uri-to-path', 'sqlite3'];
    expect(readdirSync(join(image.root, 'app/node_modules')).sort()).toEqual(modules);
    expect(readdirSync(join(image.root, 'app/node_modules/sqlite3')).sort()).toEqual([
      ...['LICENSE', 'build', 'lib', 'package.json'],
    ]);
  });

  test('contains the worker that renders PDFs, and its fonts', async () => {
    const text = { name: 'Мастерская', address: '', tax_id: '', bank_details: '', payment_note: '' };
    const document: InvoiceDocument = {
      version: 1,
      id: 'x',
      number: '2026-0001',
      issue_date: '2026-11-21',
      due_date: null,
      language: 'ru',
      seller: text,
      customer: { name: 'Вера', details: '' },
      currency: 'EUR',
      digits: 2,
      total: 0,
      note: '',
      lines: [],
    };
    const script = `const { Worker } = require('node:worker_threads');
      new Worker(process.argv[1], { workerData: JSON.parse(process.argv[2]) })
        .on('message', (pdf) => console.log(Buffer.from(pdf).toString('latin1', 0, 5)));`;
    const rendered = await run(
      ['node', '-e', script, built('pdf-worker.cjs'), JSON.stringify({ document, fontFiles: [] })],
      {},
    );
    expect(rendered).toEqual({ code: 0, text: '%PDF-\n' });
  });

  test('loads the code that V8 compiled during the build', async () => {
    const bin = join(image.root, 'app/node_modules/farmboard/bin');
    const [, launch] = /^#!\S+ -S (.+)/.exec(readFileSync(join(bin, 'farmboard.js'), 'utf8')) as unknown as string[];
    const script = `const { loadBundle } = await import('${bin}/bundle.js');
      console.log(loadBundle('${built('cli.cjs')}').script.cachedDataRejected);`;
    const loaded = await run([...(launch as string).split(' '), '--input-type=module', '-e', script], {});
    expect(loaded).toEqual({ code: 0, text: 'false\n' });
  });

  test('runs as its own user on a read-only file system, is healthy and ends on SIGTERM', async () => {
    if (!isRoot) expect(() => writeFileSync(join(image.root, 'app/x'), '')).toThrow('EACCES');
    const env = { PORT: String(await freePort()), HOST: '127.0.0.1' };
    const health = JSON.parse((image.last.HEALTHCHECK as string).split('CMD ')[1] as string) as string[];
    expect(await run(health, env)).toEqual({ code: 1, text: expect.stringContaining("isn't responding") });

    const serving = start(JSON.parse(image.last.CMD as string), env);
    child = serving.child;
    await eventually(serving.log, (text) => text.includes('Farmboard is listening') || child?.exitCode !== null);
    // no shell in between: the process that was started is the one that gets the signal
    expect(readFileSync(`/proc/${child.pid}/cmdline`, 'utf8')).toMatch(/^node\0/);
    expect(readdirSync(join(image.root, 'data'))).toContain('farmboard.sqlite3');
    expect(await run(health, env)).toEqual({ code: 0, text: '{"status":"ready"}\n' });
    child.kill('SIGTERM');
    expect(await once(child, 'exit')).toEqual([0, null]);
    expect(readdirSync(join(image.root, 'app')).sort()).toEqual(CONTENTS);
  });
});
