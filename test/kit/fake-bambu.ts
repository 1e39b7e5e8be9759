import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect as connectTcp } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import mqtt, { type MqttClient } from 'mqtt';
import type { Print } from '../../agent/src/printers/bambu/bambu-print.ts';
import type { PrintOutcome } from '../../agent/src/report.ts';
import { type CertificateFiles, makeCertificate } from './certificate.ts';
import { eventually } from './eventually.ts';
import { freePort } from './ports.ts';

export const SERIAL = '01S00C123456789';
const USER = 'bblp';
const CODE = '12345678';
const CANCELLED = 50348044;

/** Debian's broker, if it is installed. */
export const MOSQUITTO = '/usr/sbin/mosquitto';
export const hasMosquitto = existsSync(MOSQUITTO);

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

const isListening = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connectTcp(port, '127.0.0.1');
    socket
      .once('error', () => resolve(false))
      .once('connect', () => {
        socket.destroy();
        resolve(true);
      });
  });

async function startMosquitto(folder: string, port: number, { key, cert }: CertificateFiles): Promise<ChildProcess> {
  const passwords = join(folder, 'passwords');
  writeFileSync(passwords, '', { mode: 0o600 });
  execFileSync('mosquitto_passwd', ['-b', passwords, USER, CODE], { stdio: 'ignore' });
  const lines = [
    `listener ${port} 127.0.0.1`,
    `certfile ${cert}`,
    `keyfile ${key}`,
    'allow_anonymous false',
    `password_file ${passwords}`,
    ...(process.getuid?.() === 0 ? ['user root'] : []),
  ];
  const file = join(folder, 'mosquitto.conf');
  writeFileSync(file, lines.join('\n'));
  const broker = spawn(MOSQUITTO, ['-c', file], { stdio: 'ignore' });
  await eventually(
    () => isListening(port),
    (listens) => listens,
    10_000,
  );
  return broker;
}

/** The broker inside the printer: Debian's, or aedes in a process of its own. */
function createBroker(kind: 'aedes' | 'mosquitto', folder: string, port: number) {
  let running: ChildProcess | undefined;

  /** Sends a command to the process of aedes and waits for its response. */
  async function command(text: string): Promise<void> {
    running ??= spawn(process.execPath, [join(__dirname, 'broker.mjs'), String(port), USER, CODE], {
      stdio: ['pipe', 'pipe', 'ignore'],
    });
    const answered = once(running.stdout as NodeJS.ReadableStream, 'data');
    running.stdin?.write(`${text}\n`);
    await answered;
  }

  async function kill(): Promise<void> {
    if (!running || running.exitCode !== null || running.signalCode !== null) return;
    const gone = once(running, 'exit');
    running.kill('SIGKILL');
    await gone;
  }

  return {
    async up(certificate: CertificateFiles): Promise<void> {
      if (kind === 'aedes') await command(`up ${certificate.key} ${certificate.cert}`);
      else running = await startMosquitto(folder, port, certificate);
    },
    down: () => (kind === 'aedes' ? command('down') : kill()),
    kill,
  };
}

/**
 * A Bambu printer in LAN mode: a real broker over TLS, and the firmware that reports to it, from mqtt.md of OpenBambuAPI. It
 * sends everything when asked (`pushall`) and otherwise what changed, as a P1 does.
 */
export async function startBambu({ broker: kind = 'aedes' as 'aedes' | 'mosquitto', isLan = false } = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'farmboard-bambu-'));
  let certificate = makeCertificate(folder, SERIAL);
  const port = await freePort();
  const broker = createBroker(kind, folder, port);
  let lastTask = 100;
  let asked = 0;
  let firmware: MqttClient | undefined;
  const full = { ...IDLE };

  const publish = (print: Record<string, unknown>) => {
    if (firmware?.connected) firmware.publish(`device/${SERIAL}/report`, JSON.stringify({ print }));
  };

  /** Changes the printer's state and sends only the change. */
  function change(patch: Print): void {
    Object.assign(full, patch);
    publish({ command: 'push_status', msg: 1, ...patch });
  }

  async function up(): Promise<void> {
    await broker.up(certificate);
    const options = { username: USER, password: CODE, rejectUnauthorized: false, reconnectPeriod: 0 };
    firmware = await mqtt.connectAsync(`mqtts://127.0.0.1:${port}`, options);
    firmware.on('error', () => undefined);
    firmware.on('message', (_topic, payload) => {
      const { pushing } = JSON.parse(String(payload)) as { pushing?: { command?: string } };
      if (pushing?.command !== 'pushall') return;
      asked += 1;
      publish({ ...full });
    });
    await firmware.subscribeAsync(`device/${SERIAL}/request`);
  }

  async function down(): Promise<void> {
    firmware?.end(true);
    await broker.down();
  }
  await up();

  return {
    config: { type: 'bambu', host: '127.0.0.1', port, serial: SERIAL, access_code: CODE },
    gate: { up, down },
    change,
    publish,
    full,
    /** As PEM. */
    certificate: () => readFileSync(certificate.cert, 'utf8'),
    /** As after a firmware update. */
    renewCertificate() {
      certificate = makeCertificate(folder, SERIAL);
    },
    start(filename: string) {
      lastTask += 1;
      const ids = isLan ? { task_id: '0', subtask_id: '0' } : { task_id: `${lastTask}`, subtask_id: `${lastTask}7` };
      change({ gcode_state: 'PREPARE', subtask_name: filename, ...ids, mc_percent: 0, mc_remaining_time: 60 });
      change({ gcode_state: 'RUNNING' });
    },
    end(outcome: PrintOutcome) {
      if (outcome === 'finished') change({ gcode_state: 'FINISH', mc_percent: 100 });
      else if (outcome === 'failed') change({ gcode_state: 'FAILED', print_error: 0x0500_4003 });
      else change({ gcode_state: 'FAILED', print_error: CANCELLED });
      // every further message contains the state
      publish({ command: 'push_status', msg: 1, gcode_state: full.gcode_state, wifi_signal: '-45dBm' });
    },
    clients: () => asked,
    async stop() {
      firmware?.end(true);
      await broker.kill();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
