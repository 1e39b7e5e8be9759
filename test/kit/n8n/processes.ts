import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const noteOf = (pid: number): string => join(process.env.FARMBOARD_N8N_RUN as string, 'pids', String(pid));

/** Records a process that this run has started, so that it is ended even if the run is aborted. */
export const noteProcess = (pid: number): void => writeFileSync(noteOf(pid), '');

/** Forgets an ended process, because its number may soon be another's. */
export const forgetProcess = (pid: number): void => rmSync(noteOf(pid), { force: true });
