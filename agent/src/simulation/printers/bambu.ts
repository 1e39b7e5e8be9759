import type { Print } from '../../printers/bambu/bambu-print.ts';
import type { PrintOutcome } from '../../report.ts';
import { makeCertificate } from './certificate.ts';
import { startBroker } from './mqtt-broker.ts';
import { type SimulatedPrinter, toJob } from './simulated-printer.ts';

export const SERIAL = '01S00C123456789';
export const USER = 'bblp';
export const CODE = '12345678';
const CANCELLED = 50348044;
const BROKEN = 0x0500_4003;

const IDLE: Print & Record<string, unknown> = {
  command: 'push_status',
  msg: 0,
  gcode_state: 'IDLE',
  gcode_file: '',
  subtask_name: '',
  task_id: '0',
  subtask_id: '0',
  print_error: 0,
  mc_percent: 0,
  mc_remaining_time: 0,
  sequence_id: '2021',
};

/**
 * The firmware of a Bambu printer in LAN mode, from mqtt.md of OpenBambuAPI. It sends everything when asked (`pushall`)
 * and otherwise what changed, as a P1 does.
 * @param send publishes on the printer's topic
 */
export function createFirmware(send: (topic: string, text: string) => void, { isLan = false } = {}) {
  let lastTask = 100;
  let asked = 0;
  const full = { ...IDLE };
  const publish = (print: Record<string, unknown>) => send(`device/${SERIAL}/report`, JSON.stringify({ print }));

  /** Changes the printer's state and sends only the change. */
  function change(patch: Print): void {
    Object.assign(full, patch);
    publish({ command: 'push_status', msg: 1, ...patch });
  }

  return {
    change,
    publish,
    full,
    /** Handles a message on the topic of requests. */
    receive(text: string): void {
      const { pushing } = JSON.parse(text) as { pushing?: { command?: string } };
      if (pushing?.command !== 'pushall') return;
      asked += 1;
      publish({ ...full });
    },
    start(job: Parameters<SimulatedPrinter['start']>[0]) {
      const { filename } = toJob(job);
      lastTask += 1;
      const ids = isLan ? { task_id: '0', subtask_id: '0' } : { task_id: `${lastTask}`, subtask_id: `${lastTask}7` };
      change({ gcode_state: 'PREPARE', subtask_name: filename, ...ids, mc_percent: 0, mc_remaining_time: 60 });
      change({ gcode_state: 'RUNNING' });
    },
    progress(share: number) {
      const percent = Math.round(share * 100);
      change({ mc_percent: percent, mc_remaining_time: Math.round(60 * (1 - share)) });
    },
    end(outcome: PrintOutcome) {
      if (outcome === 'finished') change({ gcode_state: 'FINISH', mc_percent: 100 });
      else if (outcome === 'failed') change({ gcode_state: 'FAILED', print_error: BROKEN });
      else change({ gcode_state: 'FAILED', print_error: CANCELLED });
      // every further message contains the state
      publish({ command: 'push_status', msg: 1, gcode_state: full.gcode_state, wifi_signal: '-45dBm' });
    },
    clients: () => asked,
  };
}

/** A Bambu printer in LAN mode, with the broker inside it. */
export async function startBambu(options: { isLan?: boolean } = {}) {
  let certificate = makeCertificate(SERIAL);
  const firmware = createFirmware((topic, text) => broker.publish(topic, text), options);
  const broker = await startBroker({
    user: USER,
    password: CODE,
    certificate,
    onMessage: (topic, text) => {
      if (topic === `device/${SERIAL}/request`) firmware.receive(text);
    },
  });
  return {
    ...firmware,
    config: { type: 'bambu', host: '127.0.0.1', port: broker.gate.port, serial: SERIAL, access_code: CODE },
    gate: broker.gate,
    /** As PEM. */
    certificate: () => certificate.cert,
    /** As after a firmware update. */
    renewCertificate() {
      certificate = makeCertificate(SERIAL);
      broker.renew(certificate);
    },
    stop: () => broker.gate.down(),
  } satisfies SimulatedPrinter & Record<string, unknown>;
}
