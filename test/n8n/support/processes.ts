import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const noteOf = (pid: number): string => join(process.env.FARMBOARD_N8N_RUN as string, 'pids', String(pid));

/** Notes a process that this run has started, so that it is ended also when the run is broken off. */
export const noteProcess = (pid: number): void => writeFileSync(noteOf(pid), '');

/** It has ended: its number may soon be another's. */
export const forgetProcess = (pid: number): void => rmSync(noteOf(pid), { force: true });
