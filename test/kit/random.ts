import { createRandom as create } from '../../common/src/random.ts';

export const createRandom = create;

/** The seed of this run: the value of the variable, or a new one. Print it, so that a failure can be reproduced. */
export const seedFrom = (variable: string): number =>
  Number(process.env[variable] ?? Math.floor(Math.random() * 2_147_483_647));
