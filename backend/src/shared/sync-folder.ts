import { closeSync, fsyncSync, openSync } from 'node:fs';

/** Puts the names of a folder's files on the disk, so that a power loss can't take them away. Windows can't open folders. */
export function syncFolder(path: string): void {
  if (process.platform === 'win32') return;
  const folder = openSync(path, 'r');
  fsyncSync(folder);
  closeSync(folder);
}
