import { EventEmitter, once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createServer as createTlsServer } from 'node:tls';
import { gzipSync } from 'node:zlib';
import { WebSocketServer } from 'ws';
import { makeCertificate } from '../../../test/kit/certificate.ts';
import { createSerialQueue } from '../backoff.ts';
import { SERIAL } from '../simulation/printers/bambu.ts';
import { openSocket } from '../socket.ts';
import { type BambuPrinter, openBambu } from './bambu/bambu.ts';
import { createPacketLimit } from './bambu/packet-limit.ts';
import { type OctoPrintPrinter, octoprint } from './octoprint/octoprint.ts';
import { type PrusaLinkPrinter, prusalink } from './prusalink/prusalink.ts';

const MB = 1024 * 1024;
const timing = { pollMs: 20, retryMs: 20, maxRetryMs: 20, heartbeatMs: 5_000, timeoutMs: 20_000, settleMs: 20 };
const watch = { timing, signal: new AbortController().signal };

let server: Server | undefined;
afterEach(() => server?.close());

async function listen(own: Server): Promise<number> {
  server = own;
  own.listen(0, '127.0.0.1');
  await once(own, 'listening');
  return (own.address() as AddressInfo).port;
}

describe('HTTP', () => {
  // a valid answer, followed by what a printer never sends
  const body = gzipSync(`{"printer":{"state":"IDLE"},"name":"farm","session":"1"}${' '.repeat(64 * MB)}`);
  const serve = () => listen(createServer((_req, res) => res.writeHead(200, { 'Content-Encoding': 'gzip' }).end(body)));

  test('PrusaLink: a response is read to 1 MiB, after decompression', async () => {
    const printer = { url: `http://127.0.0.1:${await serve()}`, api_key: 'key' } as PrusaLinkPrinter;
    await expect(prusalink.probe(printer, watch)).rejects.toThrow('the response is larger than 1 MiB');
  });

  test('OctoPrint: a response is read to 1 MiB, after decompression', async () => {
    const printer = { url: `http://127.0.0.1:${await serve()}`, api_key: 'key' } as OctoPrintPrinter;
    await expect(octoprint.probe(printer, watch)).rejects.toThrow('the response is larger than 1 MiB');
  });
});

test('WebSocket: a message has at most 4 MiB, after decompression', async () => {
  const port = await listen(createServer());
  const sockets = new WebSocketServer({ server: server as Server, perMessageDeflate: true });
  sockets.on('connection', (socket) => socket.send(JSON.stringify(' '.repeat(5 * MB))));
  const received: string[] = [];
  const socket = await openSocket({
    url: `ws://127.0.0.1:${port}`,
    timeoutMs: 20_000,
    heartbeatMs: 20_000,
    signal: watch.signal,
    onMessage: (text) => received.push(text),
  });
  await expect(socket.closed).rejects.toThrow('Max payload size exceeded');
  expect(received).toEqual([]);
  sockets.close();
});

describe('MQTT', () => {
  const CONNACK = [0x20, 2, 0, 0];
  const SUBACK = [0x90, 3, 0, 1, 0];
  const PUBLISH = 0x30;

  test('a message has at most 1 MiB; the connection ends before its content arrives', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'farmboard-limit-'));
    const { key, cert } = makeCertificate(folder, SERIAL);
    let sent = 0;
    const broker = createTlsServer({ key: readFileSync(key), cert: readFileSync(cert) }, (socket) => {
      socket.on('error', () => undefined);
      // 128 MiB, the length in four bytes
      socket.write(Buffer.from([...CONNACK, ...SUBACK, PUBLISH, 0x80, 0x80, 0x80, 0x40]));
      const flood = () => {
        while (!socket.destroyed && sent < 128 * MB && socket.write(Buffer.alloc(64 * 1024))) sent += 64 * 1024;
      };
      socket.on('drain', flood);
      flood();
    });
    const port = await listen(broker as unknown as Server);
    const printer = { host: '127.0.0.1', port, serial: SERIAL, access_code: '12345678' } as BambuPrinter;
    const received: unknown[] = [];
    const opened = openBambu(printer, watch, undefined, (print) => received.push(print));
    await expect(opened.then(({ closed }) => closed)).rejects.toThrow('the printer sent a message larger than 1 MiB');
    expect(sent).toBeLessThan(16 * MB);
    expect(received).toEqual([]);
    rmSync(folder, { recursive: true });
  });

  /** A packet whose length takes as few bytes as possible. */
  const packet = (length: number): Buffer => {
    const bytes = [PUBLISH];
    for (let rest = length; ; rest = Math.floor(rest / 128)) {
      bytes.push(rest > 127 ? (rest % 128) + 128 : rest);
      if (rest < 128) break;
    }
    return Buffer.concat([Buffer.from(bytes), Buffer.alloc(length, PUBLISH)]);
  };
  const isWithin = (maxBytes: number, bytes: Buffer, chunkBytes: number): boolean => {
    const check = createPacketLimit(maxBytes);
    for (let at = 0; at < bytes.length; at += chunkBytes) {
      if (!check(bytes.subarray(at, at + chunkBytes))) return false;
    }
    return true;
  };

  test.each([1, 2, 3, 1_000, 1_000_000])('finds the length of each packet in chunks of %d bytes', (chunkBytes) => {
    const some = [0, 1, 127, 128, 300, 20_000].map(packet);
    expect(isWithin(20_000, Buffer.concat([...some, ...some]), chunkBytes)).toBe(true);
    expect(isWithin(20_000, Buffer.concat([...some, packet(20_001), ...some]), chunkBytes)).toBe(false);
  });
});

test('a queue of messages that are not processed ends with an error', async () => {
  const errors: unknown[] = [];
  const enqueue = createSerialQueue((error) => errors.push(error));
  const gate = new EventEmitter();
  const processed: number[] = [];
  enqueue(() => once(gate, 'open').then(() => undefined));
  await Promise.resolve();
  for (let n = 0; n < 2_000; n++) enqueue(() => void processed.push(n));
  expect(errors).toEqual([new Error('the printer sends messages faster than they can be processed')]);
  gate.emit('open');
  await new Promise(setImmediate);
  expect(processed).toEqual([]);
});
