import { X509Certificate } from 'node:crypto';
import { connect as connectTls, type TLSSocket } from 'node:tls';
import mqtt from 'mqtt';
import { z } from 'zod';
import { createSerialQueue, explain } from '../../backoff.ts';
import { type Budget, createTraffic, MESSAGE_COST } from '../../budget.ts';
import { parseJson } from '../../json.ts';
import type { Protocol } from '../protocol.ts';
import { printerFields, secret } from '../settings.ts';
import { createTracker } from '../tracker.ts';
import { keepWatching, type Watch } from '../watcher.ts';
import { type Print, readFields } from './bambu-print.ts';
import { createBambuSession } from './bambu-session.ts';
import { rules, type State } from './bambu-state.ts';
import { createPacketLimit } from './packet-limit.ts';

const FINGERPRINT = /^([0-9A-F]{2}:?){31}[0-9A-F]{2}$/i;

const normalizeFingerprint = (fingerprint: string) => fingerprint.replaceAll(':', '').toUpperCase();

const schema = z.strictObject({
  type: z.literal('bambu'),
  ...printerFields,
  host: z.string().regex(/^[0-9A-Za-z.:_-]+$/, 'is not a host name or an IP address'),
  port: z.int().min(1).max(65_535).default(8883),
  serial: z.string().regex(/^[0-9A-Za-z_-]{4,40}$/, 'is not a serial number'),
  access_code: secret(),
  tls_fingerprint: z
    .string()
    .regex(FINGERPRINT, 'is not a SHA-256 fingerprint (64 hexadecimal digits, with or without colons)')
    .transform(normalizeFingerprint)
    .optional(),
  tls_ca_file: z.string().min(1).optional(),
});

export type BambuPrinter = Omit<z.output<typeof schema>, 'tls_ca_file'> & {
  /** PEM */
  tls_ca?: string | undefined;
};

/** @param read returns undefined after a fault */
function readFiles(
  { tls_ca_file, ...printer }: z.output<typeof schema>,
  read: (field: string, path: string) => string | undefined,
): BambuPrinter {
  return { ...printer, tls_ca: tls_ca_file === undefined ? undefined : read('tls_ca_file', tls_ca_file)?.trim() };
}

const USER = 'bblp';
/** Far more than a complete report, which has up to 30 kB. */
const MAX_PACKET_BYTES = 256 * 1024;
/** Each piece of a packet costs some hundred bytes until the last one has come. */
const MAX_PIECES = 2_000;
/** What may wait for a printer that doesn't read. */
const MAX_UNREAD_BYTES = 64 * 1024;
const PUSH_ALL = { pushing: { sequence_id: '0', command: 'pushall', version: 1, push_target: 1 } };

/**
 * @returns the certificate's fingerprint
 * @throws Error if the printer is not the configured one
 */
function checkIdentity(socket: TLSSocket, printer: BambuPrinter, remembered: string | undefined): string {
  const certificate = socket.getPeerCertificate(false);
  const fingerprint = normalizeFingerprint(certificate.fingerprint256 ?? '');
  if (printer.tls_fingerprint !== undefined) {
    if (fingerprint === printer.tls_fingerprint) return fingerprint;
    throw new Error(`the certificate doesn't match tls_fingerprint; its fingerprint is ${fingerprint}`);
  }
  if (printer.tls_ca !== undefined) {
    if (!socket.authorized)
      throw new Error(`the certificate can't be verified with tls_ca_file (${socket.authorizationError})`);
    const subject = new X509Certificate(certificate.raw).subject;
    if (subject.split('\n').includes(`CN=${printer.serial}`)) return fingerprint;
    throw new Error(`the certificate belongs to ${subject.replaceAll('\n', ', ')}, not to ${printer.serial}`);
  }
  if (remembered === undefined || remembered === fingerprint) return fingerprint;
  throw new Error(
    `the certificate has changed since the first connection; if you expected that (new printer, new firmware), set "tls_fingerprint": "${fingerprint}"`,
  );
}

/** Connects and verifies the printer's identity, before the password is sent. */
function openTls(printer: BambuPrinter, timeoutMs: number, remembered: string | undefined) {
  return new Promise<{ socket: TLSSocket; fingerprint: string }>((resolve, reject) => {
    const socket = connectTls({
      host: printer.host,
      port: printer.port,
      // verified below as configured: these certificates contain a serial number, not a host name
      rejectUnauthorized: false,
      servername: printer.serial,
      ...(printer.tls_ca === undefined ? {} : { ca: printer.tls_ca }),
    });
    const timer = setTimeout(() => socket.destroy(new Error('no response in time')), timeoutMs);
    socket.once('error', reject);
    socket.once('close', () => reject(new Error('the connection was closed')));
    socket.once('secureConnect', () => {
      clearTimeout(timer);
      try {
        const fingerprint = checkIdentity(socket, printer, remembered);
        socket.off('error', reject);
        resolve({ socket, fingerprint });
      } catch (error) {
        socket.destroy();
        reject(error);
      }
    });
    socket.once('close', () => clearTimeout(timer));
  });
}

/**
 * Connects to the printer's MQTT broker, subscribes to its reports and requests a complete one.
 * @param remembered fingerprint of the first connection
 * @param traffic what the printer may send
 * @param onPrint receives the changed fields and the length of their message
 */
export async function openBambu(
  printer: BambuPrinter,
  { timing, signal }: Pick<Watch<unknown>, 'timing' | 'signal'>,
  remembered: string | undefined,
  traffic: Budget,
  onPrint: (print: Print, bytes: number) => void,
) {
  const { socket, fingerprint } = await openTls(printer, timing.timeoutMs, remembered);
  const client = new mqtt.MqttClient(() => socket, {
    username: USER,
    password: printer.access_code,
    protocolVersion: 4,
    clean: true,
    reconnectPeriod: 0,
    connectTimeout: timing.timeoutMs,
    keepalive: Math.max(1, Math.round(timing.heartbeatMs / 1000)),
    reschedulePings: true,
  });
  let reason: unknown;
  const fail = (error: unknown) => {
    reason ??= error;
    client.end(true);
    socket.destroy();
  };
  const stop = () => fail(new Error('stopped'));
  signal.addEventListener('abort', stop, { once: true });
  const closed = new Promise<void>((resolve, reject) => {
    socket.once('close', () => {
      signal.removeEventListener('abort', stop);
      client.end(true);
      if (signal.aborted) resolve();
      else reject(reason ?? new Error('the connection was closed'));
    });
  });
  closed.catch(() => undefined);
  const isWithinLimit = createPacketLimit(MAX_PACKET_BYTES, MAX_PIECES);
  const count = (bytes: number) => {
    try {
      traffic.take(bytes);
    } catch (error) {
      fail(error);
    }
  };
  socket.on('data', (chunk: Buffer) => {
    count(chunk.length);
    if (!isWithinLimit(chunk)) fail(new Error('the printer sent a message larger than 256 kB, or in too many pieces'));
  });
  client.on('packetreceive', (packet) => {
    count(MESSAGE_COST);
    if (socket.writableLength > MAX_UNREAD_BYTES) fail(new Error("the printer doesn't read what it is sent"));
    // the client would keep such a message until the printer releases it
    if (packet.cmd === 'publish' && packet.qos === 2) fail(new Error('the printer sent a message with QoS 2'));
  });
  client.on('error', (error) => {
    const code = (error as { code?: unknown }).code;
    // MQTT 3.1.1, 3.2.2.3: bad user name or password, not authorized
    fail(code === 4 || code === 5 ? new Error('the printer rejected the access_code') : error);
  });
  client.on('message', (_topic, payload) => {
    try {
      const { print } = parseJson(String(payload)) as { print?: Print };
      if (print && typeof print === 'object') onPrint(readFields(print), payload.length);
    } catch {
      // some firmware cuts texts within a character; the next complete report corrects the state
    }
  });
  if (signal.aborted) stop();
  const timer = setTimeout(() => fail(new Error('no response in time')), timing.timeoutMs);
  try {
    await Promise.race([new Promise((resolve) => client.once('connect', resolve)), closed]);
    await Promise.race([client.subscribeAsync(`device/${printer.serial}/report`), closed]);
  } catch (error) {
    fail(error);
    throw reason;
  } finally {
    clearTimeout(timer);
  }
  /** Requests a complete report. */
  const requestAll = () => client.publish(`device/${printer.serial}/request`, JSON.stringify(PUSH_ALL));
  requestAll();
  return { fingerprint, closed, fail, requestAll };
}

/** Watches a Bambu printer over the LAN. It keeps no history and repeats its state in every message. */
async function watchBambu(printer: BambuPrinter, watch: Watch<State>): Promise<void> {
  const { clock, timing } = watch;
  const tracker = createTracker(watch, rules);
  await keepWatching(watch, async (isUp, traffic) => {
    let bambu: Awaited<ReturnType<typeof openBambu>> | undefined;
    let failure: unknown;
    const enqueue = createSerialQueue((error) => {
      failure = error;
      bambu?.fail(error);
    });
    const session = createBambuSession({ tracker, clock, settleMs: timing.settleMs, enqueue, isUp });
    let requestTimer: NodeJS.Timeout | undefined;
    let fingerprint = tracker.state()?.fingerprint;

    try {
      bambu = await openBambu(printer, watch, fingerprint, traffic, (print, bytes) =>
        enqueue(() => session.handle(print, fingerprint), bytes),
      );
      fingerprint = printer.tls_fingerprint || printer.tls_ca ? undefined : bambu.fingerprint;
      if (failure) throw failure;
      // a printer that is starting up may not respond yet
      requestTimer = setInterval(() => {
        if (session.isWhole()) clearInterval(requestTimer);
        else bambu?.requestAll();
      }, timing.settleMs);
      await bambu.closed;
    } finally {
      bambu?.fail(new Error('cancelled'));
      clearInterval(requestTimer);
      session.close();
    }
  });
}

async function probeBambu(printer: BambuPrinter, watch: Pick<Watch<unknown>, 'timing' | 'signal'>) {
  let bambu: Awaited<ReturnType<typeof openBambu>> | undefined;
  let onFirstState: (print: Print) => void = () => undefined;
  const firstState = new Promise<Print>((resolve) => {
    onFirstState = resolve;
  });
  try {
    bambu = await openBambu(printer, watch, undefined, createTraffic(), (print) => {
      if (print.gcode_state !== undefined) onFirstState(print);
    });
    const silence = new Promise<never>((_, reject) => {
      setTimeout(
        () => reject(new Error('connected, but the printer sends no data; check "serial"')),
        watch.timing.timeoutMs,
      ).unref();
    });
    const { gcode_state } = await Promise.race([firstState, silence]);
    return `Bambu Lab printer is online (${gcode_state}), certificate fingerprint ${bambu.fingerprint}`;
  } catch (error) {
    throw new Error(explain(error));
  } finally {
    bambu?.fail(new Error('done'));
  }
}

export const bambu = {
  schema,
  readFiles,
  address: ({ serial }: BambuPrinter) => serial,
  watch: watchBambu,
  probe: probeBambu,
} satisfies Protocol;
