import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect as connectTcp } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import mqtt, { type MqttClient } from 'mqtt';
import type { Print } from '../../agent/src/printers/bambu/bambu-print.ts';
import { CODE, createFirmware, SERIAL, USER } from '../../agent/src/simulation/printers/bambu.ts';
import type { SimulatedPrinter } from '../../agent/src/simulation/printers/simulated-printer.ts';
import { type CertificateFiles, makeCertificate } from './certificate.ts';
import { eventually } from './eventually.ts';
import { freePort } from './ports.ts';

/** Debian's broker, if it is installed. */
const MOSQUITTO = '/usr/sbin/mosquitto';
export const hasMosquitto = existsSync(MOSQUITTO);

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
  );
  return broker;
}

/** Aedes, in a process of its own, whose ports can be closed one by one. */
function createAedes() {
  const child = spawn(process.execPath, [join(__dirname, 'broker.mjs'), USER, CODE], {
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  const answers = createInterface({ input: child.stdout });
  let last: Promise<void> = Promise.resolve();
  /** Sends a command and waits for its response. */
  function command(...words: (string | number)[]): Promise<void> {
    last = last.then(async () => {
      const answered = once(answers, 'line');
      child.stdin.write(`${words.join(' ')}\n`);
      await answered;
    });
    return last;
  }
  return {
    up: (port: number, { key, cert }: CertificateFiles) => command('up', port, key, cert),
    down: (port: number) => command('down', port),
    kill: () => end(child),
  };
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = once(child, 'exit');
  child.kill('SIGKILL');
  await gone;
}

/** The broker inside the printer. */
function createBroker(kind: 'aedes' | 'mosquitto', folder: string, port: number) {
  if (kind === 'aedes') {
    const aedes = createAedes();
    return {
      up: (certificate: CertificateFiles) => aedes.up(port, certificate),
      down: () => aedes.down(port),
      kill: aedes.kill,
    };
  }
  let running: ChildProcess | undefined;
  const kill = async () => running && end(running);
  return {
    async up(certificate: CertificateFiles) {
      running = await startMosquitto(folder, port, certificate);
    },
    down: kill,
    kill,
  };
}

/**
 * Several printers on one broker, each on a port of its own.
 * @param all what each printer sends in response to `pushall`
 */
export async function serveBambus(all: (() => Print)[]) {
  const folder = mkdtempSync(join(tmpdir(), 'farmboard-bambu-'));
  const certificate = makeCertificate(folder, SERIAL);
  const broker = createAedes();
  const own = await freePort();
  await broker.up(own, certificate);
  const firmware = await connectFirmware(own);
  const publish = (serial: string, print: object) =>
    firmware.publish(`device/${serial}/report`, JSON.stringify({ print }));
  const printers = await Promise.all(
    all.map(async (full, i) => {
      const serial = `01S00C${String(i).padStart(9, '0')}`;
      const port = await freePort();
      const up = () => broker.up(port, certificate);
      await up();
      return {
        config: { type: 'bambu', host: '127.0.0.1', port, serial, access_code: CODE },
        gate: { up, down: () => broker.down(port) },
        full,
        send: async (changed: Print) => void publish(serial, { command: 'push_status', msg: 1, ...changed }),
      };
    }),
  );
  const bySerial = new Map(printers.map((one) => [one.config.serial, one]));
  firmware.on('message', (topic) => {
    const serial = topic.split('/')[1] ?? '';
    publish(serial, { command: 'push_status', msg: 0, ...bySerial.get(serial)?.full() });
  });
  await firmware.subscribeAsync('device/+/request');
  return {
    printers,
    async stop() {
      firmware.end(true);
      await broker.kill();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** The printer's own connection to its broker. */
async function connectFirmware(port: number): Promise<MqttClient> {
  const options = { username: USER, password: CODE, rejectUnauthorized: false, reconnectPeriod: 0 };
  const firmware = await mqtt.connectAsync(`mqtts://127.0.0.1:${port}`, options);
  return firmware.on('error', () => undefined);
}

/** A Bambu printer with a real broker: aedes, or Debian's if it is installed. */
export async function startBambuOn(kind: 'aedes' | 'mosquitto') {
  const folder = mkdtempSync(join(tmpdir(), 'farmboard-bambu-'));
  const certificate = makeCertificate(folder, SERIAL);
  const port = await freePort();
  const broker = createBroker(kind, folder, port);
  let client: MqttClient | undefined;
  const firmware = createFirmware((topic, text) => {
    if (client?.connected) client.publish(topic, text);
  });

  async function up(): Promise<void> {
    await broker.up(certificate);
    client = await connectFirmware(port);
    client.on('message', (_topic, payload) => firmware.receive(String(payload)));
    await client.subscribeAsync(`device/${SERIAL}/request`);
  }

  async function down(): Promise<void> {
    client?.end(true);
    await broker.down();
  }
  await up();

  return {
    ...firmware,
    config: { type: 'bambu', host: '127.0.0.1', port, serial: SERIAL, access_code: CODE },
    gate: { up, down },
    async stop() {
      client?.end(true);
      await broker.kill();
      rmSync(folder, { recursive: true, force: true });
    },
  } satisfies SimulatedPrinter & Record<string, unknown>;
}
