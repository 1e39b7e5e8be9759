import { randomInt } from 'node:crypto';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { gzipSync } from 'node:zlib';
import { generate, type Packet, parser } from 'mqtt-packet';
import { WebSocketServer } from 'ws';
import type { PROTOCOLS } from '../../agent/src/printers/protocols.ts';
import { CODE, SERIAL } from '../../agent/src/simulation/printers/bambu.ts';
import { makeCertificate } from '../../agent/src/simulation/printers/certificate.ts';
import { createGate, type Gate } from '../../agent/src/simulation/printers/gate.ts';

// Printers that send what no printer sends, as fast as the agent reads, again at each connection.

const KB = 1024;
const MB = 1024 * KB;

/** Writes pieces as fast as they are read, one in each turn of the event loop, until the connection ends. */
function flood(socket: Pick<Socket, 'write' | 'once' | 'destroyed'>, next: () => Buffer): void {
  if (socket.destroyed) return;
  const more = () => flood(socket, next);
  if (socket.write(next())) setImmediate(more);
  else socket.once('drain', more);
}

/** @param opcode 1: text, 9: ping; with `isLast` false, a fragment */
function frame(opcode: number, text: string | Buffer, isLast = true): Buffer {
  const payload = Buffer.from(text);
  const head = Buffer.alloc(payload.length < 126 ? 2 : payload.length < 65_536 ? 4 : 10);
  head[0] = (isLast ? 0x80 : 0) | opcode;
  head[1] = head.length === 2 ? payload.length : head.length === 4 ? 126 : 127;
  if (head.length === 4) head.writeUInt16BE(payload.length, 2);
  if (head.length === 10) head.writeBigUInt64BE(BigInt(payload.length), 2);
  return Buffer.concat([head, payload]);
}

const json = (message: unknown): Buffer => frame(1, JSON.stringify(message));
/** Each piece of JSON has 3 bytes, and costs many times that once it is parsed. */
const dense = (bytes: number) => `[${'{},'.repeat(bytes / 3)}{}]`;

/** What can be sent over any websocket, whatever its protocol. */
const FRAMES: Record<string, (socket: Socket) => void> = {
  'messages of 2 bytes': (socket) => flood(socket, constantly(times(5_000, () => frame(1, '{}')))),
  'pings, and reads no answer': (socket) => {
    socket.pause();
    flood(socket, constantly(times(5_000, () => frame(9, ''))));
  },
  'a message in fragments of a byte': (socket) => {
    socket.write(frame(1, ' ', false));
    flood(socket, constantly(times(5_000, () => frame(0, ' ', false))));
  },
  'a message in pieces of a byte': (socket) => {
    socket.write(frame(1, ' '.repeat(MB)).subarray(0, 10));
    flood(socket, constantly(Buffer.from(' ')));
  },
  'a message that is longer than any': (socket) => flood(socket, constantly(frame(1, ' '.repeat(5 * MB)))),
};

const times = (count: number, next: () => Buffer): Buffer => Buffer.concat(Array.from({ length: count }, next));

function constantly<T>(value: T): () => T {
  return () => value;
}

let last = 0;
/** Different each time, so that nothing is taken for a repetition. */
function fresh(): string {
  last += 1;
  return `f${last}`;
}
/** The JSON of fields that no message before had. */
const freshFields = () => Array.from({ length: 5_000 }, () => `"${fresh()}":1`).join(',');

const moonrakerJob = (nameBytes: number) => ({
  job_id: fresh().slice(1),
  filename: 'n'.repeat(nameBytes),
  status: 'in_progress',
  start_time: randomInt(2 ** 40),
  end_time: null,
  total_duration: 1,
  filament_used: 1,
});

const changed = (nameBytes: number) =>
  json({ method: 'notify_history_changed', params: [{ action: 'added', job: moonrakerJob(nameBytes) }] });

type Call = { id: number; method: string; params?: { limit?: number } };
type Answer = (call: Call) => Buffer | undefined;

const result = ({ id }: Call, value: unknown) => json({ id, result: value });
/** Answers as Moonraker without prints would. */
const asIdle: Answer = (call) => result(call, { jobs: [] });

/** What arrives once the printer is up. */
const afterFirst = (more: () => Buffer) => (socket: Socket, onCall: (answer: Answer) => void) =>
  onCall((call) => {
    if (call.method === 'server.history.list') {
      socket.write(asIdle(call) as Buffer);
      flood(socket, more);
      return undefined;
    }
    return asIdle(call);
  });

const MOONRAKER: Record<string, (socket: Socket, onCall: (answer: Answer) => void) => void> = {
  ...FRAMES,
  'messages of 3 MB before any answer': (socket) => flood(socket, constantly(changed(3 * MB))),
  'messages of 200 kB before any answer': (socket) => flood(socket, constantly(changed(200 * KB))),
  'messages of 200 kB when it is up': afterFirst(constantly(changed(200 * KB))),
  'prints without end': afterFirst(() => times(500, () => changed(2 * KB))),
  'answers that nobody has asked for': afterFirst(constantly(json({ id: 1e6, result: 'x'.repeat(200 * KB) }))),
  'an error of 200 kB': (_socket, onCall) => onCall(({ id }) => json({ id, error: { message: 'x'.repeat(200 * KB) } })),
  'pages of the history with 1.6 MB of names': (socket, onCall) => {
    let pages = 0;
    onCall((call) => {
      if (call.method !== 'server.history.list') return asIdle(call);
      pages += 1;
      // with the first state, the agent reads all pages the next time
      if (pages === 3 || call.params?.limit === 1) setImmediate(() => socket.destroySoon());
      return result(call, { jobs: Array.from({ length: 20 }, () => moonrakerJob(80 * KB)) });
    });
  },
  'pages of the history with 350,000 jobs': (_socket, onCall) =>
    onCall(({ id, method }) =>
      method === 'server.history.list'
        ? frame(1, `{"id":${id},"result":{"jobs":${dense(MB)}}}`)
        : asIdle({ id, method }),
    ),
};

const octoState = (more: object = {}) => ({
  state: { text: 'Operational', flags: { operational: true } },
  job: { file: { name: null, path: null, origin: null } },
  progress: { completion: null },
  ...more,
});
const octoEvent = (nameBytes: number) =>
  json({ event: { type: 'PrintStarted', payload: { name: 'n'.repeat(nameBytes), path: fresh(), origin: 'local' } } });
const octoAfterFirst = (more: () => Buffer) => (socket: Socket) => {
  socket.write(json({ history: octoState() }));
  flood(socket, more);
};

const OCTOPRINT: Record<string, (socket: Socket) => void> = {
  ...FRAMES,
  'events of 3 MB before the first state': (socket) => flood(socket, constantly(octoEvent(3 * MB))),
  'events of 200 kB before the first state': (socket) => flood(socket, constantly(octoEvent(200 * KB))),
  'small events before the first state': (socket) => flood(socket, constantly(octoEvent(100))),
  'states of 200 kB': octoAfterFirst(constantly(json({ current: octoState({ logs: 'x'.repeat(200 * KB) }) }))),
  'states, each with fields of its own': octoAfterFirst(() => frame(1, `{"current":{${freshFields()}}}`)),
  'prints without end': octoAfterFirst(() => times(500, () => octoEvent(2 * KB))),
  'histories of 4 MB': (socket) =>
    flood(socket, constantly(frame(1, `{"history":{"state":{"flags":${dense(4 * MB - KB)}},"job":{}}}`))),
};

type Handler = (res: ServerResponse, path: string) => void;

const start = (res: ServerResponse, headers: Record<string, string> = {}) =>
  res.writeHead(200, { 'Content-Type': 'application/json', ...headers });
const bomb = gzipSync(Buffer.alloc(64 * MB, ' '));

const PRUSALINK: Record<string, Handler> = {
  'a body without end': (res) => flood(start(res) as unknown as Socket, constantly(Buffer.alloc(64 * KB, ' '))),
  'a body in chunks of a byte': (res) => {
    const chunks = Buffer.from('1\r\n \r\n'.repeat(10_000));
    res.socket?.write('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n');
    flood(res.socket as Socket, constantly(chunks));
  },
  'a body that drips': (res) => flood(start(res) as unknown as Socket, constantly(Buffer.from(' '))),
  'a body of 64 MB in 64 kB of gzip': (res) => start(res, { 'Content-Encoding': 'gzip' }).end(bomb),
  'a body compressed a thousand times': (res) =>
    flood(
      start(res, { 'Content-Encoding': Array(1_000).fill('gzip').join(', ') }) as unknown as Socket,
      constantly(bomb),
    ),
  'headers without end': (res) => {
    res.socket?.write('HTTP/1.1 200 OK\r\n');
    flood(res.socket as Socket, constantly(Buffer.from('A: b\r\n'.repeat(1_000))));
  },
  'interim answers without end': (res) =>
    flood(res.socket as Socket, constantly(Buffer.from('HTTP/1.1 103 Early Hints\r\nA: b\r\n\r\n'.repeat(1_000)))),
  'another challenge at each request': (res) =>
    res.writeHead(401, { 'WWW-Authenticate': `Digest realm="${'r'.repeat(1_900)}", nonce="${fresh()}"` }).end(),
  'prints with long ids': (res, path) => {
    const job = { id: `${fresh()}${'9'.repeat(10 * KB)}`, progress: 1 };
    if (path === '/api/v1/status') start(res).end(JSON.stringify({ printer: { state: 'PRINTING' }, job }));
    else start(res).end(JSON.stringify({ ...job, state: 'PRINTING', file: { name: 'n'.repeat(10 * KB) } }));
  },
};

const TOPIC = `device/${SERIAL}/report`;
const publish = (payload: string, more: Partial<{ qos: 0 | 1 | 2; messageId: number }> = {}) =>
  generate({ cmd: 'publish', topic: TOPIC, payload, qos: 0, dup: false, retain: false, ...more } as Packet);
const bambuPrint = (more: object) =>
  JSON.stringify({ print: { gcode_state: 'RUNNING', subtask_name: 'part', mc_percent: 1, ...more } });
const bambuExtra = (bytes: number) => JSON.stringify({ print: { ams: 'x'.repeat(bytes) } });

const BAMBU: Record<string, (socket: Socket) => void> = {
  'messages of 200 kB': (socket) => flood(socket, constantly(publish(bambuExtra(200 * KB)))),
  'messages of 900 kB': (socket) => flood(socket, constantly(publish(bambuPrint({ ams: 'x'.repeat(900 * KB) })))),
  'messages, each with fields of its own': (socket) => flood(socket, () => publish(`{"print":{${freshFields()}}}`)),
  'prints without end': (socket) =>
    flood(socket, () => times(500, () => publish(bambuPrint({ subtask_name: `${fresh()}${'n'.repeat(2 * KB)}` })))),
  'packets of 2 bytes': (socket) => flood(socket, constantly(Buffer.from('d000'.repeat(20_000), 'hex'))),
  'messages to be acknowledged, and reads no answer': (socket) => {
    socket.pause();
    flood(socket, () => times(500, () => publish(bambuPrint({}), { qos: 1, messageId: randomInt(1, 65_536) })));
  },
  'messages that are never released': (socket) =>
    flood(socket, () => publish(bambuExtra(100 * KB), { qos: 2, messageId: randomInt(1, 65_536) })),
  'a message in pieces of a byte': (socket) => {
    socket.write(publish(bambuExtra(900 * KB)).subarray(0, 100));
    flood(socket, constantly(Buffer.from('x')));
  },
};

/** Serves one of the floods to each connection, in turn, or only the named one. */
function inTurn<T>(floods: Record<string, T>, only?: string) {
  const names = Object.keys(floods).filter((name) => only === undefined || name === only);
  let served = 0;
  return {
    names,
    /** the number of connections that got one */
    count: () => served,
    next(): T {
      const name = names[served % names.length] as string;
      served += 1;
      return floods[name] as T;
    },
  };
}

export interface HostilePrinter {
  config: Record<string, unknown>;
  gate: Gate;
  /** what it sends, in turn */
  names: string[];
  /** how many floods it has sent */
  count(): number;
}

async function serveSockets(
  server: Server,
  path: string,
  onSocket: (socket: Socket, onCall: (answer: Answer) => void) => void,
): Promise<Gate> {
  const sockets = new WebSocketServer({ server, path });
  sockets.on('connection', (client, { socket }) => {
    client.on('error', () => undefined);
    onSocket(socket as Socket, (answer) =>
      client.on('message', (data) => {
        const reply = answer(JSON.parse(String(data)) as Call);
        if (reply) socket.write(reply);
      }),
    );
  });
  return createGate(server);
}

async function hostileMoonraker(only?: string): Promise<HostilePrinter> {
  const turns = inTurn(MOONRAKER, only);
  const server = createServer((_req, res) => res.writeHead(404).end());
  const gate = await serveSockets(server, '/websocket', (socket, onCall) => turns.next()(socket, onCall));
  return { ...turns, gate, config: { type: 'moonraker', url: `http://127.0.0.1:${gate.port}` } };
}

async function hostileOctoPrint(only?: string): Promise<HostilePrinter> {
  const turns = inTurn(OCTOPRINT, only);
  const server = createServer((_req, res) => start(res).end(JSON.stringify({ name: 'farm', session: 's' })));
  const gate = await serveSockets(server, '/sockjs/websocket', (socket) => turns.next()(socket));
  return { ...turns, gate, config: { type: 'octoprint', url: `http://127.0.0.1:${gate.port}`, api_key: 'k' } };
}

async function hostilePrusaLink(only?: string): Promise<HostilePrinter> {
  const turns = inTurn(PRUSALINK, only);
  const server = createServer((req, res) => {
    res.on('error', () => undefined);
    turns.next()(res, req.url ?? '');
  });
  const gate = await createGate(server);
  const config = { type: 'prusalink', url: `http://127.0.0.1:${gate.port}`, user: 'maker', password: 'p' };
  return { ...turns, gate, config };
}

async function hostileBambu(only?: string): Promise<HostilePrinter> {
  const turns = inTurn(BAMBU, only);
  const server = createTlsServer(makeCertificate(SERIAL), (socket) => {
    const packets = parser();
    packets.on('packet', (packet) => {
      if (packet.cmd === 'connect') socket.write(generate({ cmd: 'connack', returnCode: 0, sessionPresent: false }));
      if (packet.cmd !== 'subscribe') return;
      socket.write(generate({ cmd: 'suback', messageId: packet.messageId as number, granted: [0] }));
      turns.next()(socket);
    });
    socket.on('data', (chunk) => packets.parse(chunk));
    socket.on('error', () => undefined);
  });
  const gate = await createGate(server as unknown as Server);
  const config = { type: 'bambu', host: '127.0.0.1', port: gate.port, serial: SERIAL, access_code: CODE };
  return { ...turns, gate, config };
}

/** One for each protocol of the agent. */
export const HOSTILE_PRINTERS: Record<keyof typeof PROTOCOLS, (only?: string) => Promise<HostilePrinter>> = {
  moonraker: hostileMoonraker,
  octoprint: hostileOctoPrint,
  prusalink: hostilePrusaLink,
  bambu: hostileBambu,
};
