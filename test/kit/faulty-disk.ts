import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import type { createRandom } from './random.ts';
import type { Env } from './service.ts';

const SOURCE = resolve(__dirname, 'faulty-disk.c');
const SECTOR = 512;
const ANY_SPACE = -1n;

export type FaultyDisk = ReturnType<typeof createFaultyDisk>;

/**
 * A disk for one SQLite file and the files beside it, for processes that start with its `env`. It records what they
 * write and sync, and can be full.
 * @param file the absolute path of the database
 * @param folder for its own files
 */
export function createFaultyDisk(file: string, folder: string) {
  const library = join(folder, 'faulty-disk.so');
  const space = join(folder, 'disk-space');
  const log = join(folder, 'disk-log');
  execFileSync('gcc', ['-shared', '-fPIC', '-O2', '-o', library, SOURCE, '-ldl', '-lpthread']);
  /** @param bytes how many can still be written; undefined: any number */
  function setSpace(bytes: number | undefined): void {
    const content = Buffer.alloc(8);
    content.writeBigInt64LE(bytes === undefined ? ANY_SPACE : BigInt(bytes));
    // in place: the processes have mapped it
    writeFileSync(space, content, { flag: 'r+' });
  }
  writeFileSync(space, Buffer.alloc(8));
  setSpace(undefined);
  const env: Env = { LD_PRELOAD: library, DISK_FILE: file, DISK_SPACE: space };
  return {
    env,
    /** The same, and everything that is written and synced is recorded. */
    recordingEnv: { ...env, DISK_LOG: log } as Env,
    setSpace,
    readRecords: () => parseRecords(readFileSync(log)),
  };
}

/** What happened on the disk; `name` is what follows the database's path in that of the file. */
export interface DiskRecord {
  kind: 'created' | 'written' | 'truncated' | 'synced' | 'linked' | 'unlinked' | 'folder synced';
  name: string;
  /** Nanoseconds of the machine's monotonic clock. A sync is recorded when the disk has done it. */
  at: number;
  /** Of a write; the new length of a truncated file. */
  offset: number;
  /** What was written; the new name of a linked file. */
  data: Buffer;
}

const HEADER_BYTES = 104;
const KINDS: Record<string, DiskRecord['kind']> = {
  C: 'created',
  W: 'written',
  T: 'truncated',
  S: 'synced',
  L: 'linked',
  U: 'unlinked',
  D: 'folder synced',
};

function parseRecords(log: Buffer): DiskRecord[] {
  const records: DiskRecord[] = [];
  for (let at = 0; at < log.length; ) {
    const header = log.subarray(at, at + HEADER_BYTES);
    const length = Number(header.readBigInt64LE(96));
    const kind = KINDS[String.fromCharCode(header[0] as number)];
    const end = at + HEADER_BYTES + length;
    if (!kind || end > log.length) throw new Error(`the record at ${at} of the disk cannot be read`);
    records.push({
      kind,
      name: header.toString('utf8', 1, header.indexOf(0, 1)),
      at: Number(header.readBigInt64LE(80)),
      offset: Number(header.readBigInt64LE(88)),
      data: log.subarray(at + HEADER_BYTES, end),
    });
    at = end;
  }
  return records;
}

/** What a disk may lose of the changes that were not synced. */
export const LOSSES = ['everything', 'some', 'nothing'] as const;
export type Loss = (typeof LOSSES)[number];

/** Bytes beyond the length are zero. */
interface Content {
  bytes: Buffer;
  length: number;
}

/** The content that is certainly on the disk, and changes that may be. */
interface StoredFile {
  content: Content;
  unsynced: DiskRecord[];
}

const copyOf = ({ bytes, length }: Content): Content => ({ bytes: Buffer.from(bytes), length });

function applyChange(content: Content, { kind, offset, data }: DiskRecord): void {
  if (kind === 'truncated') {
    if (offset < content.length) content.bytes.fill(0, offset, content.length);
    content.length = offset;
  } else content.length = Math.max(content.length, offset + data.length);
  if (content.length > content.bytes.length) {
    const bytes = Buffer.alloc(content.length * 2);
    content.bytes.copy(bytes);
    content.bytes = bytes;
  }
  if (kind === 'written') data.copy(content.bytes, offset);
}

/**
 * Replays records and makes the files that a power loss would leave. Files and names are separate as on a real file
 * system: a file that was created or linked may have no name until its folder is synced.
 */
export function createReplay(random: ReturnType<typeof createRandom>) {
  const names = new Map<string, StoredFile>();
  let syncedNames = new Map<string, StoredFile>();

  const apply: Partial<Record<DiskRecord['kind'], (record: DiskRecord, file: StoredFile) => void>> = {
    linked: ({ data }, file) => void names.set(data.toString('utf8'), file),
    unlinked: ({ name }) => void names.delete(name),
    written: (record, { unsynced }) => void unsynced.push(record),
    truncated: (record, { unsynced }) => void unsynced.push(record),
    synced: (_, { content, unsynced }) => {
      for (const change of unsynced.splice(0)) applyChange(content, change);
    },
  };

  function replay(record: DiskRecord): void {
    const { kind, name } = record;
    if (kind === 'folder synced') syncedNames = new Map(names);
    else if (kind === 'created') names.set(name, { content: { bytes: Buffer.alloc(0), length: 0 }, unsynced: [] });
    const file = names.get(name);
    if (file) apply[kind]?.(record, file);
  }

  /** Each change is lost, kept or torn: of a torn write, some sectors arrive. */
  function keepSome(change: DiskRecord): DiskRecord[] {
    const fate = random.between(1, 3);
    if (fate === 1) return [];
    if (fate === 2 || change.kind === 'truncated') return [change];
    const sectors: DiskRecord[] = [];
    for (let from = 0; from < change.data.length; from += SECTOR) {
      const data = change.data.subarray(from, from + SECTOR);
      if (random.next() < 0.5) sectors.push({ ...change, offset: change.offset + from, data });
    }
    return sectors;
  }

  function contentAfter({ content, unsynced }: StoredFile, loss: Loss): Buffer {
    const kept = { everything: [], some: unsynced.flatMap(keepSome), nothing: unsynced }[loss];
    const after = copyOf(content);
    for (const change of kept) applyChange(after, change);
    return after.bytes.subarray(0, after.length);
  }

  function fileAfter(name: string, loss: Loss): StoredFile | undefined {
    const isNameLost = loss === 'everything' || (loss === 'some' && random.next() < 0.5);
    return (isNameLost ? syncedNames : names).get(name);
  }

  return {
    replay,
    /** Writes the files as they are after a power loss now. @param file the path of the database */
    writeImage(file: string, loss: Loss): void {
      mkdirSync(dirname(file), { recursive: true });
      for (const name of new Set([...names.keys(), ...syncedNames.keys()])) {
        const stored = fileAfter(name, loss);
        if (stored) writeFileSync(file + name, contentAfter(stored, loss), { mode: 0o600 });
      }
    },
  };
}

/** The hashes of the files of a database, without -shm, which is rebuilt. */
export function hashFiles(file: string): Record<string, string> {
  const names = readdirSync(dirname(file)).filter((name) => name.startsWith(basename(file)) && !name.endsWith('-shm'));
  const hashOf = (name: string) =>
    createHash('sha256')
      .update(readFileSync(join(dirname(file), name)))
      .digest('hex');
  return Object.fromEntries(names.sort().map((name) => [name, hashOf(name)]));
}
