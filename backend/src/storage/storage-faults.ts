import { lookupTable } from '../../../common/src/lookup-table.ts';

const FULL = 'the disk is full. Free some space on it, then run the command again.';
const DAMAGED =
  'the file is damaged or is not a database. Stop the service, keep a copy of the file and restore the last backup into a new one (farmboard restore).';
const DENIED =
  'it cannot be read or written. Check that this user may use the file and its folder, and that the disk is not read-only.';
const BROKEN = 'the disk reports an error. Check the disk and the log of the system before you run the command again.';
const MISSING = 'the file or its folder is missing. Check the path, and that its disk is mounted.';
const IN_USE = 'another program keeps it locked. Try again, or stop that program first.';

/** What is wrong, and how to go on, by the error code of SQLite, the operating system or PostgreSQL. */
const FAULTS = lookupTable<string>({
  ...Object.fromEntries(['SQLITE_FULL', 'ENOSPC', 'EDQUOT', '53100'].map((code) => [code, FULL])),
  ...Object.fromEntries(['SQLITE_CORRUPT', 'SQLITE_NOTADB', 'XX001', 'XX002'].map((code) => [code, DAMAGED])),
  ...Object.fromEntries(
    ['SQLITE_READONLY', 'SQLITE_CANTOPEN', 'SQLITE_PERM', 'EACCES', 'EPERM', 'EROFS', 'EISDIR', '25006'].map((code) => [
      code,
      DENIED,
    ]),
  ),
  ...Object.fromEntries(['SQLITE_IOERR', 'EIO', '58030'].map((code) => [code, BROKEN])),
  ...Object.fromEntries(['ENOENT', 'ENOTDIR'].map((code) => [code, MISSING])),
  ...Object.fromEntries(['SQLITE_BUSY', 'SQLITE_LOCKED', 'EBUSY'].map((code) => [code, IN_USE])),
});

interface Fault {
  code?: string;
  /** the operating system's errors have it, and those of SQLite get it from the client */
  path?: string;
}

/** @returns what is wrong and how to go on, to follow a text that names the file; empty for any other error */
export function adviceFor(error: unknown): string {
  const fault = FAULTS.get((error as Fault).code ?? '');
  return fault === undefined ? '' : `: ${fault}`;
}

/**
 * Describes an error of a disk or a database for the operator of a command, in one line: the file, what is wrong with it
 * and how to go on.
 * @returns undefined for any other error
 */
export function describeStorageFault(error: unknown): string | undefined {
  const { code = '', path } = error as Fault;
  const fault = FAULTS.get(code);
  return fault === undefined ? undefined : `${path ?? 'PostgreSQL'}: ${fault} (${code})`;
}

/** Names another file as the one with the fault, such as the target of a copy that was written under another name. */
export function renameFault(error: unknown, from: string, to: string): unknown {
  const fault = error as Fault;
  if (fault.path === from) fault.path = to;
  return error;
}
