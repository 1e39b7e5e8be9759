import { bambu } from './bambu/bambu.ts';
import { moonraker } from './moonraker/moonraker.ts';
import { octoprint } from './octoprint/octoprint.ts';
import type { Protocol } from './protocol.ts';
import { prusalink } from './prusalink/prusalink.ts';

/** The printer protocols, by the `type` of their printers in the config file. */
export const PROTOCOLS = { moonraker, octoprint, prusalink, bambu } satisfies Record<string, Protocol>;
