import { EventEmitter, once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createServer as createTlsServer } from 'node:tls';
import { systemClock } from '../../../common/src/clock.ts';
import type { Logger } from '../../../common/src/logger.ts';
import { makeCertificate } from '../../../test/kit/certificate.ts';
import { eventually } from '../../../test/kit/eventually.ts';
import { HOSTILE_PRINTERS } from '../../../test/kit/hostile-printers.ts';
import { createSerialQueue } from '../backoff.ts';
import { createBudget, createTraffic } from '../budget.ts';
import { parseJson } from '../json.ts';
import type { EndedPrint, Report } from '../report.ts';
import { createReportClient } from '../report-client.ts';
import { createServerClock } from '../server-clock.ts';
import { SERIAL } from '../simulation/printers/bambu.ts';
import { startMoonraker } from '../simulation/printers/moonraker.ts';
import { startOctoPrint } from '../simulation/printers/octoprint.ts';
import { type BambuPrinter, openBambu } from './bambu/bambu.ts';
import { createPacketLimit } from './bambu/packet-limit.ts';
import { type OctoPrintPrinter, octoprint } from './octoprint/octoprint.ts';
import type { Protocol } from './protocol.ts';
import { PROTOCOLS } from './protocols.ts';
import type { PrinterSettings } from './settings.ts';
import { createTracker } from './tracker.ts';
import { keepWatching, type Watch } from './watcher.ts';

const KB = 1024;
const MB = 1024 * KB;
const timing = { pollMs: 20, retryMs: 20, maxRetryMs: 20, heartbeatMs: 60_000, timeoutMs: 20_000, settleMs: 20 };
const probing = { timing, signal: new AbortController().signal };

const cleanUps: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0)) await cleanUp();
});

async function listen(own: Server): Promise<number> {
  cleanUps.push(() => own.close());
  own.listen(0, '127.0.0.1');
  await once(own, 'listening');
  return (own.address() as AddressInfo).port;
}

/** Watches a printer without a disk. `logged` are its warnings, and `state` what is stored of it. */
function watchPrinter(config: Record<string, unknown>, more: Partial<typeof timing> = {}) {
  const logged: string[] = [];
  const ended: EndedPrint[] = [];
  const stop = new AbortController();
  const stored: { state?: unknown } = {};
  const watch: Watch<unknown> = {
    name: 'One',
    state: () => stored.state,
    async record(state, prints = []) {
      stored.state = JSON.parse(JSON.stringify(state));
      ended.push(...prints);
    },
    log: {
      info: () => undefined,
      warn: (line: string) => void logged.push(line),
      fatal: (_: unknown, line: string) => void logged.push(line),
    } as unknown as Logger,
    clock: systemClock,
    timing: { ...timing, ...more },
    signal: stop.signal,
  };
  const protocol: Protocol = PROTOCOLS[config.type as keyof typeof PROTOCOLS];
  const settings = protocol.schema.parse({ ...config, name: 'One' }) as PrinterSettings;
  const watching = protocol.watch(settings, watch);
  cleanUps.unshift(() => {
    stop.abort();
    return watching;
  });
  return { logged, ended, stored };
}

/** Which of the two comes first is a matter of speed. */
const TOO_MUCH = 'sends too much|faster than they can be processed';

describe.each([
  [
    'moonraker',
    {
      'messages of 2 bytes': TOO_MUCH,
      'pings, and reads no answer': `${TOO_MUCH}|was closed`,
      'a message in fragments of a byte': 'Too many message fragments',
      'a message in pieces of a byte': 'Too many buffered chunks',
      'a message that is longer than any': 'Max payload size exceeded',
      'messages of 3 MB before any answer': 'Max payload size exceeded',
      'messages of 200 kB before any answer': TOO_MUCH,
      'messages of 200 kB when it is up': TOO_MUCH,
      'prints without end': `${TOO_MUCH}|more prints than it can make`,
      'answers that nobody has asked for': TOO_MUCH,
      'pages of the history with 350,000 jobs': 'too many values',
      'an error of 200 kB': 'identify: xxx',
    },
  ],
  [
    'octoprint',
    {
      'messages of 2 bytes': TOO_MUCH,
      'events of 3 MB before the first state': 'larger than 256 kB',
      'events of 200 kB before the first state': TOO_MUCH,
      'small events before the first state': 'sends events, but no state',
      'states of 200 kB': TOO_MUCH,
      'states, each with fields of its own': TOO_MUCH,
      'prints without end': `${TOO_MUCH}|more prints than it can make`,
      'histories of 4 MB': 'too many values',
    },
  ],
  [
    'prusalink',
    {
      'a body without end': 'larger than 256 kB',
      'a body in chunks of a byte': 'larger than 256 kB',
      'a body that drips': 'no response in time',
      'a body of 64 MB in 64 kB of gzip': 'is compressed',
      'a body compressed a thousand times': 'is compressed',
      'headers without end': 'Header overflow',
      'interim answers without end': 'too many interim responses',
      'another challenge at each request': 'rejected the user name',
      'prints with long ids': 'names that are too long',
    },
  ],
  [
    'bambu',
    {
      'messages of 200 kB': TOO_MUCH,
      'messages of 900 kB': 'larger than 256 kB',
      'messages, each with fields of its own': TOO_MUCH,
      'prints without end': `${TOO_MUCH}|more prints than it can make`,
      'packets of 2 bytes': TOO_MUCH,
      'messages to be acknowledged, and reads no answer': `${TOO_MUCH}|doesn't read`,
      'messages that are never released': 'QoS 2',
      'a message in pieces of a byte': 'too many pieces',
    },
  ],
] as const)('%s', (protocol, floods) => {
  test.each(Object.entries(floods))('%s: the connection ends', async (name, reason) => {
    const printer = await HOSTILE_PRINTERS[protocol](name);
    cleanUps.push(printer.gate.down);
    const watched = watchPrinter(printer.config, name === 'a body that drips' ? { timeoutMs: 500 } : {});
    const [line] = await eventually(
      () => watched.logged,
      (lines) => lines.length > 0,
    );
    expect(line).toMatch(new RegExp(reason));
    expect(line?.length).toBeLessThan(500);
    expect(JSON.stringify(watched.stored.state ?? {}).length).toBeLessThan(16 * KB);
  });
});

describe('what printers do send', () => {
  test('OctoPrint: long messages of plugins, and hours of temperatures', async () => {
    const printer = await startOctoPrint();
    cleanUps.push(printer.stop);
    const watched = watchPrinter(printer.config);
    await eventually(printer.clients, (count) => count === 1);
    const temps = Array.from({ length: 20_000 }, (_, time) => ({
      time,
      tool0: { actual: 214.9, target: 215 },
      bed: {},
    }));
    for (let i = 0; i < 3; i++) printer.broadcast({ plugin: { plugin: 'octolapse', data: 'x'.repeat(2 * MB) } });
    printer.broadcast({ history: { state: { flags: { operational: true } }, temps, logs: [], messages: [] } });
    printer.start('part.gcode');
    printer.end('finished');
    await eventually(
      () => watched.ended,
      (prints) => prints.length === 1,
    );
    expect(watched.logged).toEqual([]);
  });

  test('Moonraker: all lines of its console, the log of updates, and pictures in its history', async () => {
    const printer = await startMoonraker();
    cleanUps.push(printer.stop);
    const watched = watchPrinter(printer.config);
    await eventually(() => watched.stored.state, Boolean);
    await printer.gate.down();
    // more than may be sent at once, so that the agent waits before the last page
    const count = 190;
    for (let i = 0; i < count; i++) {
      printer.start(`part-${i}`);
      printer.end('finished');
      Object.assign(printer.history[i]?.metadata ?? {}, { thumbnails: [{ data: 'x'.repeat(90 * KB) }] });
    }
    await printer.gate.up();
    await eventually(
      () => watched.ended,
      (prints) => prints.length === count,
    );
    const { length } = watched.logged;
    for (let i = 0; i < 1_000; i++) printer.broadcast('notify_gcode_response', '// probe at 100.0,100.0 is z=2.5');
    printer.broadcast('notify_update_refreshed', 'x'.repeat(MB));
    printer.start('last');
    printer.end('cancelled');
    await eventually(
      () => watched.ended,
      (prints) => prints.length === count + 1,
    );
    expect(watched.logged).toHaveLength(length);
    expect(watched.logged.join()).not.toMatch(TOO_MUCH);
  });
});

test('OctoPrint: a response is read to 256 kB', async () => {
  const body = `{"name":"farm","session":"1"}${' '.repeat(MB)}`;
  const port = await listen(createServer((_req, res) => res.end(body)));
  const printer = { url: `http://127.0.0.1:${port}`, api_key: 'key' } as OctoPrintPrinter;
  await expect(octoprint.probe(printer, probing)).rejects.toThrow('the response is larger than 256 kB');
});

test('the server: what is kept of its reason is short', async () => {
  const problem = JSON.stringify({ code: 'validation_error', detail: 'x'.repeat(200 * KB) });
  const port = await listen(createServer((_req, res) => res.writeHead(422).end(problem)));
  const client = createReportClient({
    server: `http://127.0.0.1:${port}`,
    token: 'agt_0123456789',
    timeoutMs: 20_000,
    clock: systemClock,
    serverClock: createServerClock(systemClock, () => undefined),
    userAgent: 'test',
  });
  const sent = await client.send({} as Report, 0);
  expect(sent).toMatchObject({ kind: 'refused', reason: expect.stringMatching(/^.{20,1000}$/) });
});

describe('MQTT', () => {
  const CONNACK = [0x20, 2, 0, 0];
  const SUBACK = [0x90, 3, 0, 1, 0];
  const PUBLISH = 0x30;

  test('a message has at most 256 kB; the connection ends before its content arrives', async () => {
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
    const opened = openBambu(printer, probing, undefined, createTraffic(), (print) => received.push(print));
    await expect(opened.then(({ closed }) => closed)).rejects.toThrow('the printer sent a message larger than 256 kB');
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
  const isWithin = (maxBytes: number, bytes: Buffer, chunkBytes: number, maxPieces = 30_000): boolean => {
    const check = createPacketLimit(maxBytes, maxPieces);
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

  test('counts the pieces of each packet', () => {
    const some = Buffer.concat([300, 0, 300, 300].map(packet));
    expect([isWithin(300, some, 10, 32), isWithin(300, some, 10, 30)]).toEqual([true, false]);
  });
});

test('messages that are not processed end with an error, by number or by bytes', async () => {
  const outcome = async (bytes: number) => {
    const errors: unknown[] = [];
    const enqueue = createSerialQueue((error) => errors.push(error));
    const gate = new EventEmitter();
    const processed: number[] = [];
    enqueue(() => once(gate, 'open').then(() => undefined));
    await Promise.resolve();
    let count = 0;
    for (; errors.length === 0 && count < 2_000; count++) enqueue(() => void processed.push(count), bytes);
    gate.emit('open');
    await new Promise(setImmediate);
    return { errors, count, processed: processed.length };
  };
  const errors = [new Error('the printer sends messages faster than they can be processed')];
  expect(await outcome(10)).toEqual({ errors, count: 1_025, processed: 0 });
  expect(await outcome(MB)).toEqual({ errors, count: 9, processed: 0 });
});

test('a budget comes back with time', () => {
  jest.useFakeTimers();
  const { take, give, msUntil } = createBudget(10, 2, 'too much');
  take(10);
  expect(() => take(1)).toThrow('too much');
  expect(msUntil(4)).toBe(2_000);
  jest.advanceTimersByTime(2_000);
  take(4);
  give(3);
  expect(msUntil(3)).toBe(0);
  jest.advanceTimersByTime(1e9);
  expect(() => take(11)).toThrow('too much');
  jest.useRealTimers();
});

test('a text with far more values than its length suggests is not parsed', () => {
  expect(() => parseJson(`[${'{},'.repeat(90 * KB)}{}]`)).toThrow('larger than 256 kB');
  expect(() => parseJson(`[${'{},'.repeat(200 * KB)}{}]`, { isLong: true })).toThrow('too many values');
  expect(parseJson(JSON.stringify('x'.repeat(MB)), { isLong: true })).toHaveLength(MB);
});

test('a printer that breaks each connection is asked less and less often, one that keeps them is not', async () => {
  jest.useFakeTimers();
  const attemptsWithin = async (connectedMs: number) => {
    const stop = new AbortController();
    let attempts = 0;
    const watch = {
      name: 'One',
      log: { info: () => undefined, warn: () => undefined },
      timing: { ...timing, retryMs: 1_000, maxRetryMs: 60_000 },
      signal: stop.signal,
    } as unknown as Watch<unknown>;
    const watching = keepWatching(watch, async (isUp) => {
      attempts += 1;
      isUp();
      await new Promise((resolve) => setTimeout(resolve, connectedMs));
      throw new Error('closed');
    });
    await jest.advanceTimersByTimeAsync(600_000);
    stop.abort();
    await jest.advanceTimersByTimeAsync(connectedMs);
    await watching;
    return attempts;
  };
  expect(await attemptsWithin(100)).toBeLessThan(25);
  expect(await attemptsWithin(20_000)).toBeGreaterThan(25);
  jest.useRealTimers();
});

test('prints and names beyond what a printer can have are not stored', async () => {
  const stored: unknown[] = [];
  const watch = {
    ...probing,
    name: 'One',
    state: () => undefined,
    record: async (state: unknown) => void stored.push(state),
    log: { info: () => undefined },
    clock: systemClock,
  } as unknown as Watch<object>;
  const print = { key: 'k', filename: 'f', at: 0, outcome: 'finished' } as const;
  const tracker = createTracker<object, object>(watch, {
    reduce: (_known, state) => ({ state, ended: [print] }),
    progressFields: [],
  });
  await expect(tracker.observe({ name: 'n'.repeat(20 * KB) })).rejects.toThrow('names that are too long');
  const all = Array.from({ length: 3_000 }, (_, number) => tracker.observe({ number }));
  const kept = (await Promise.allSettled(all)).filter(({ status }) => status === 'fulfilled').length;
  expect([kept >= 2_000, kept < 2_600, stored.length === kept]).toEqual([true, true, true]);
  await expect(tracker.observe({})).rejects.toThrow('more prints than it can make');
});
