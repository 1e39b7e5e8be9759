import { statfs } from 'node:fs/promises';

/**
 * Measures the disks of folders. One that can't be read now, such as of a disk that is not mounted, is left out.
 * @returns bytes; `free` is what this user can use
 */
export async function measureDisks(folders: Record<string, string | undefined>) {
  const given = Object.entries(folders).filter((entry): entry is [string, string] => entry[1] !== undefined);
  const measured = await Promise.all(
    given.map(([folder, path]) =>
      statfs(path).then(
        ({ bavail, blocks, bsize }) => [{ folder, free: bavail * bsize, size: blocks * bsize }],
        () => [],
      ),
    ),
  );
  return measured.flat();
}
