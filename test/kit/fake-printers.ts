import type { PROTOCOLS } from '../../agent/src/printers/protocols.ts';
import { startBambu } from './fake-bambu.ts';
import { startMoonraker } from './fake-moonraker.ts';
import { startOctoPrint } from './fake-octoprint.ts';
import type { FakePrinter } from './fake-printer.ts';
import { startPrusaLink } from './fake-prusalink.ts';

/** Starts the software of a printer, for each protocol of the agent. */
const FAKES: Record<keyof typeof PROTOCOLS, () => Promise<FakePrinter>> = {
  moonraker: startMoonraker,
  octoprint: startOctoPrint,
  prusalink: startPrusaLink,
  bambu: startBambu,
};

export const FAKE_PRINTERS = Object.entries(FAKES);
