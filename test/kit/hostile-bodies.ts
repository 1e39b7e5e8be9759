import { connect, type Socket } from 'node:net';

/** One way to send a body that costs its receiver more than its sender; the end is never sent. */
export interface HostileBody {
  headers: Record<string, string>;
  /** what follows the headers, from the start for each connection */
  parts(): Iterable<Buffer>;
}

const MULTIPART = { 'Content-Type': 'multipart/form-data; boundary=x' };
const CHUNKED = { 'Transfer-Encoding': 'chunked' };
const field = (name: string, value: string) =>
  `--x\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`;
const repeated = (text: string, times: number) => Buffer.from(text.repeat(times));
const chunk = (text: string) => Buffer.from(`${text.length.toString(16)}\r\n${text}\r\n`);

function* times(count: number, part: Buffer): Iterable<Buffer> {
  for (let i = 0; i < count; i++) yield part;
}

/** A body in chunks of one byte. */
function* tinyChunks(start: string): Iterable<Buffer> {
  yield chunk(start);
  // 99,000 of them, some at a time, to stop as soon as the connection ends
  yield* times(99, repeated('1\r\na\r\n', 1_000));
}

const names = (count: number) => Array.from({ length: count }, (_, i) => `f${i}`);
const FIELDS = names(20).map((first) =>
  chunk(
    names(500)
      .map((second) => field(first + second, 'a'))
      .join(''),
  ),
);
const LONG_FIELDS = names(30).map((name) => Buffer.from(field(name, 'a'.repeat(100_000))));
const isJson = (type: string) => type.includes('json');

/** @param type of the body that the path expects @param token of the public form, without which it reads no file */
export const HOSTILE_BODIES: Record<string, (type: string, token: string) => HostileBody> = {
  'one-byte chunks': (type) => ({
    headers: { ...CHUNKED, 'Content-Type': type },
    parts: () => tinyChunks(type.startsWith('multipart') ? field('state', '').slice(0, -2) : '"'),
  }),
  '2-byte values': (type) => ({
    headers: {
      'Content-Type': isJson(type) ? type : 'application/x-www-form-urlencoded',
      'Content-Length': '100000',
    },
    parts: () => (isJson(type) ? [Buffer.from('['), repeated('{},', 33_000)] : [repeated('a=&', 33_000)]),
  }),
  'endless header lines in a part': () => ({
    headers: { ...MULTIPART, ...CHUNKED },
    parts: () => [chunk('--x\r\n'), ...times(16, chunk('X-Line: a\r\n'.repeat(6_000)))],
  }),
  'a body without end': (type) => ({
    headers: { ...CHUNKED, 'Content-Type': type },
    parts: () => times(16, chunk('a'.repeat(65_536))),
  }),
  '10,000 fields': () => ({ headers: { ...MULTIPART, ...CHUNKED }, parts: () => FIELDS }),
  '8 MB held back': () => ({
    headers: { ...MULTIPART, 'Content-Length': '8000000' },
    parts: () => LONG_FIELDS,
  }),
  '8 MB of a file held back': (_type, token) => ({
    headers: { ...MULTIPART, 'Content-Length': '8000000' },
    parts: () => [
      Buffer.from(field('token', token)),
      Buffer.from('--x\r\nContent-Disposition: form-data; name="file"; filename="a.stl"\r\n\r\n'),
      ...times(30, Buffer.alloc(100_000)),
    ],
  }),
};

export interface Target {
  path: string;
  method?: string;
  headers?: Record<string, string>;
}

/**
 * Sends a body over so many connections, each of another client behind a proxy, as far as the receiver reads it.
 * @returns the first lines of the responses so far, and how to close the connections
 */
export async function sendHostile(
  port: number,
  count: number,
  { path, method = 'POST', headers }: Target,
  body: HostileBody,
) {
  const head = Object.entries({ Host: `127.0.0.1:${port}`, ...headers, ...body.headers })
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join('');
  const statuses: string[] = [];
  const sockets = Array.from({ length: count }, () => connect(port, '127.0.0.1'));
  const send = async (socket: Socket, index: number) => {
    socket.on('error', () => undefined);
    socket.once('data', (data) => statuses.push(data.toString('latin1').split(' ')[1] ?? ''));
    socket.write(`${method} ${path} HTTP/1.1\r\n${head}X-Forwarded-For: 198.51.100.${index + 1}\r\n\r\n`);
    for (const part of body.parts()) {
      if (socket.destroyed) return;
      if (socket.write(part)) continue;
      await Promise.race([
        new Promise((resolve) => socket.once('drain', resolve)),
        new Promise((resolve) => socket.once('close', resolve)),
        // it reads no more, or what it has read is enough
        new Promise((resolve) => setTimeout(resolve, 250)),
      ]);
      if (socket.writableNeedDrain) return;
    }
  };
  await Promise.all(sockets.map(send));
  return {
    statuses,
    close(): void {
      for (const socket of sockets) socket.destroy();
    },
  };
}
