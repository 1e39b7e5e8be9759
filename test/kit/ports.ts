import { freePort as freePortOfPrinter } from '../../agent/src/simulation/printers/free-port.ts';

/** A free port, for a program that takes it as a setting or for a test where nothing must listen. */
export const freePort = (): Promise<number> => freePortOfPrinter();
