import { readFileSync } from 'node:fs';

/** The processes that a process has started and that haven't ended, or whose end it hasn't noticed. */
export const childrenOf = (pid: number): number[] =>
  readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number);
