import { spawn, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { freePort } from '../ports.ts';
import { LAUNCHER } from '../service.ts';
import { type Block, ROOT, type Setup } from './blocks.ts';
import { relay } from './servers.ts';

const { PATH } = require('../engines.cjs') as { PATH: string };

/** Blocks that follow one another in one folder and shell. */
export interface Session {
  setup: Setup;
  blocks: Block[];
}

const SHELLS = new Set(['sh', 'bash']);
const NOTHING: Setup = { clone: false, variables: [] };

export const isShell = ({ language }: Block): boolean => SHELLS.has(language);

/** Whether a block is executed as it stands, or becomes the file that a later one executes. */
export const runsHere = ({ language, directive }: Block): boolean =>
  directive?.kind === 'file' ||
  (SHELLS.has(language) && ['background', 'answers', undefined].includes(directive?.kind));

/** A page starts in an empty folder; where a comment says what a block starts from, it starts over. */
export function sessionsOf(blocks: Block[]): Session[] {
  const sessions: Session[] = [{ setup: NOTHING, blocks: [] }];
  for (const block of blocks) {
    if (block.setup) sessions.push({ setup: block.setup, blocks: [] });
    if (runsHere(block)) sessions.at(-1)?.blocks.push(block);
  }
  return sessions.filter((session) => session.blocks.length > 0);
}

/**
 * A network and processes of its own, so that every page has port 3000 to itself, without an address outside, and
 * nothing that it has started stays behind.
 */
const APART = [
  ['unshare', '--net', '--pid', '--fork', '--kill-child'],
  ['unshare', '--map-root-user', '--net', '--pid', '--fork', '--kill-child'],
].find(([program = '', ...flags]) => spawnSync(program, [...flags, 'ip', 'link', 'set', 'lo', 'up']).status === 0);

/** Where no network of its own can be had, the ports are others: in the text of a block, and as settings. */
async function otherPorts(): Promise<{ text(of: string): string; env: Record<string, string> }> {
  if (APART) return { text: (of) => of, env: {} };
  const [service, receiver] = [String(await freePort()), String(await freePort())];
  return {
    text: (of) =>
      of
        .replace(/\b(127\.0\.0\.1|localhost):3000\b/g, `$1:${service}`)
        .replace(/\b(127\.0\.0\.1):8000\b/g, `$1:${receiver}`),
    env: { PORT: service, RECEIVER_PORT: receiver },
  };
}

/** Everything but data. npm would write into the files, so they are copies. */
function makeClone(folder: string): void {
  for (const entry of readdirSync(ROOT, { withFileTypes: true })) {
    if (['data', '.git'].includes(entry.name)) continue;
    const [from, to] = [join(ROOT, entry.name), join(folder, entry.name)];
    // examples are built where they are
    if (entry.isFile() || entry.name === 'examples') cpSync(from, to, { recursive: true });
    else symlinkSync(from, to);
  }
}

/** Farmboard is there as a clone, as a file to install, or installed. */
function fillFolder(folder: string, { clone, isPacked }: Setup): void {
  if (clone) {
    makeClone(folder);
  } else if (isPacked) {
    writeFileSync(join(folder, 'farmboard-1.0.0.tgz'), '');
  } else {
    mkdirSync(join(folder, 'node_modules/.bin'), { recursive: true });
    symlinkSync(LAUNCHER, join(folder, 'node_modules/.bin/farmboard'));
  }
}

const PROGRAMS = {
  // a request that is refused fails its block, which curl alone doesn't do
  curl: 'PATH=$(echo "$PATH" | cut -d: -f2-) exec curl --fail-with-body "$@"',
  npm: `exec node ${join(__dirname, 'npm.mjs')} "$@"`,
};

const HEAD = `
set -eu -o pipefail
# until it holds, for at most five minutes
eventually() {
  local turn
  for turn in $(seq 3000); do
    "$@" && return
    sleep 0.1
  done
  return 1
}
# in another terminal, until it says where it listens on this machine, or has ended
begin() {
  bash -eu -o pipefail "$1" >>"$1.out" 2>&1 </dev/null &
  local pid=$!
  SAID="$1.out"
  eventually eval 'grep -Eq "://(127\\.0\\.0\\.1|localhost)" "$SAID" || ! kill -0 $pid 2>/dev/null'
  kill -0 $pid
}
`;

const quote = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

export interface Outcome {
  /** what each block has written, by its place */
  output: Record<string, string>;
  /** what the commands after the last block have written */
  after: string;
}

const refusalOf = (directive: Block['directive']) => (directive?.kind === 'answers' ? directive.status : undefined);

interface Step {
  place: string;
  text: string;
  isBackground?: boolean;
  /** the status of the answer with which its last request must be refused */
  refusal?: string | undefined;
}

/** A file of an example is stored under its own name. */
const writing = (name: string, text: string): string =>
  `printf %s ${quote(text)} >${quote(name.startsWith('examples/') ? basename(name) : name)}\n`;

function stepsOf({ setup, blocks }: Session, relays: string[], after: string): Step[] {
  const steps = blocks.map(({ place, text, directive }) =>
    directive?.kind === 'file'
      ? { place, text: writing(directive.name, text) }
      : { place, text, isBackground: directive?.kind === 'background', refusal: refusalOf(directive) },
  );
  const before = [
    ...relays,
    ...(setup.service === 'running' || setup.service === 'new' ? ['exec farmboard serve\n'] : []),
  ].map((text) => ({
    place: text.trim(),
    text,
    isBackground: true,
  }));
  return [...before, ...steps, { place: 'after the blocks', text: after }];
}

/** Each step is a script of its own; `step` says which one was begun last. */
function writeProgram(steps: Step[], scripts: string): void {
  const lines = steps.map(({ text, isBackground, refusal }, at) => {
    const file = join(scripts, String(at));
    writeFileSync(file, text);
    const run = `. ${file} >${file}.out 2>&1 </dev/null`;
    const refused = `if (${run}); then false; fi\ngrep -q '"status":${refusal}' ${file}.out`;
    return `echo ${at} >${scripts}/step\n${isBackground ? `begin ${file}` : refusal ? refused : run}\n`;
  });
  writeFileSync(join(scripts, 'program'), HEAD + lines.join(''));
}

/** Runs the program, apart from everything else. @returns its exit status and what it says itself */
async function runProgram(scripts: string, folder: string, env: Record<string, string>) {
  const script = `${APART ? 'ip link set lo up\n' : ''}exec bash "$0"`;
  const [program = '', ...args] = [...(APART ?? []), 'sh', '-c', script, join(scripts, 'program')];
  // a group of its own, which ends as a whole
  const child = spawn(program, args, { cwd: folder, env, stdio: ['ignore', 'pipe', 'pipe'], detached: true });
  let said = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      said += text;
    });
  const code = await new Promise((resolve) => child.once('exit', resolve));
  try {
    process.kill(-(child.pid as number), 'SIGKILL');
  } catch {
    // nothing is left of it
  }
  return { code, said };
}

/** What the blocks of a session get to start from. */
export interface Ground {
  /** of a service that has stopped */
  folder?: string;
  variables: Record<string, string>;
  /** variables with the address of a server of this machine, each */
  servers?: Record<string, string>;
  /** programs that a reader has installed, as shell scripts */
  programs?: Record<string, string>;
  /** settings that a reader would not need */
  env?: Record<string, string>;
}

/** The variables that a session asks for. */
function pick(session: Session, given: Record<string, string>): Record<string, string> {
  const wanted = session.setup.variables;
  for (const name of wanted)
    if (given[name] === undefined) throw new Error(`${session.blocks[0]?.place}: there is no $${name}`);
  return Object.fromEntries(wanted.map((name) => [name, given[name] as string]));
}

/** @returns what each step has written. @throws Error with the steps up to the one that failed, the last one first */
function outcomeOf(steps: Step[], scripts: string, { code, said }: { code: unknown; said: string }): Outcome {
  const read = (name: string) => readFileSync(join(scripts, name), { encoding: 'utf8', flag: 'a+' });
  const outputs = steps.map(({ place }, at) => [place, read(`${at}.out`)] as const);
  if (code !== 0) {
    const begun = outputs.slice(0, Number(read('step')) + 1).map((each) => each.join(':\n'));
    throw new Error(`status ${code}\n${said}\n${begun.reverse().join('\n')}`);
  }
  return { output: Object.fromEntries(outputs.slice(0, -1)), after: outputs.at(-1)?.[1] ?? '' };
}

/**
 * Runs the blocks of a session in order, as somebody who types them would.
 * @param after commands that run last, in the same shell; $SAID is what the last other terminal has written
 * @throws Error with the block that failed, and what it wrote
 */
export async function runSession(session: Session, ground: Ground, after = ''): Promise<Outcome> {
  const root = mkdtempSync(join(tmpdir(), 'farmboard-blocks-'));
  const inRoot = (name: string) => join(root, name);
  const [folder, scripts] = [inRoot('folder'), inRoot('scripts')];
  for (const made of ['folder', 'scripts', 'bin', 'home']) mkdirSync(inRoot(made));
  const relays = APART ? await relay(ground.servers ?? {}, root) : undefined;
  try {
    fillFolder(folder, session.setup);
    if (['running', 'stopped'].includes(session.setup.service ?? ''))
      cpSync(ground.folder as string, join(folder, 'data'), { recursive: true });
    for (const [name, script] of Object.entries({ ...PROGRAMS, ...ground.programs }))
      writeFileSync(join(inRoot('bin'), name), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
    const { text, env } = await otherPorts();
    const variables = pick(session, { ...ground.variables, ...(relays?.variables ?? ground.servers) });
    const blocks = session.blocks.map((block) => ({ ...block, text: text(block.text) }));
    const steps = stepsOf({ ...session, blocks }, relays?.commands ?? [], text(after));
    writeProgram(steps, scripts);
    const ended = await runProgram(scripts, folder, {
      PATH: `${inRoot('bin')}:${PATH}:${join(folder, 'node_modules/.bin')}`,
      HOME: inRoot('home'),
      LANG: 'C.UTF-8',
      TMPDIR: root,
      npm_config_update_notifier: 'false',
      ...env,
      ...ground.env,
      ...Object.fromEntries(Object.entries(variables).map(([name, value]) => [name, text(value)])),
    });
    return outcomeOf(steps, scripts, ended);
  } finally {
    relays?.close();
    rmSync(root, { recursive: true, force: true });
  }
}
