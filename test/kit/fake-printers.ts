import type { PROTOCOLS } from '../../agent/src/printers/protocols.ts';
import { startBambu } from '../../agent/src/simulation/printers/bambu.ts';
import { startMoonraker } from '../../agent/src/simulation/printers/moonraker.ts';
import { startOctoPrint } from '../../agent/src/simulation/printers/octoprint.ts';
import { startPrusaLink } from '../../agent/src/simulation/printers/prusalink.ts';
import type { SimulatedPrinter } from '../../agent/src/simulation/printers/simulated-printer.ts';

/** Starts the software of a printer, for each protocol of the agent. */
const SIMULATED: Record<keyof typeof PROTOCOLS, () => Promise<SimulatedPrinter>> = {
  moonraker: startMoonraker,
  octoprint: startOctoPrint,
  prusalink: startPrusaLink,
  bambu: startBambu,
};

export const FAKE_PRINTERS = Object.entries(SIMULATED);
