import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { gzipSync } from 'node:zlib';
import type { CertificateFiles } from './certificate.ts';

/** Small enough to be read completely. */
const BOMB = gzipSync(Buffer.alloc(60 * 1024 * 1024), { level: 9 });
const CHUNK = `4000\r\n${'x'.repeat(0x4000)}\r\n`;
const EARLY_HINTS = 'HTTP/1.1 103 Early Hints\r\nLink: </a>; rel=preload\r\n\r\n';

/** Writes a text again and again, as fast as the other side reads it. */
function flood(socket: Socket, text: string): void {
  const more = (): void => {
    while (!socket.destroyed && socket.write(text));
  };
  socket.on('drain', more);
  more();
}

function drip(socket: Socket, text: string): void {
  const timer = setInterval(() => socket.write(text), 50);
  socket.on('close', () => clearInterval(timer));
}

/** A receiver that does its worst. */
export interface Hostile {
  does: string;
  /** the error of its deliveries, null if they count as delivered; and the status of its responses */
  error: string | null;
  status: number | null;
  /** called for each request */
  answer?(socket: Socket): void;
  tls?: 'stalls' | 'is self-signed';
}

/** A receiver that must never be reached: a redirect leads to it. */
const REDIRECTED_TO = 'http://169.254.169.254/latest/meta-data/';

export const HOSTILE: Hostile[] = [
  {
    does: 'sends its header slowly',
    error: 'timeout',
    status: null,
    answer(socket) {
      socket.write('HTTP/1.1 200 OK\r\n');
      drip(socket, 'X-Slow: 1\r\n');
    },
  },
  {
    does: 'drips its body',
    error: null,
    status: 200,
    answer(socket) {
      socket.write('HTTP/1.1 200 OK\r\nContent-Length: 60000\r\n\r\n');
      drip(socket, 'x');
    },
  },
  {
    does: 'sends a body without end',
    error: 'http_status',
    status: 500,
    answer(socket) {
      socket.write('HTTP/1.1 500 Internal Server Error\r\nTransfer-Encoding: chunked\r\n\r\n');
      flood(socket, CHUNK);
    },
  },
  {
    does: `sends ${BOMB.length} bytes that unpack to 60 MiB`,
    error: 'http_status',
    status: 503,
    answer(socket) {
      const head = `Content-Encoding: gzip\r\nContent-Length: ${BOMB.length}`;
      socket.write(`HTTP/1.1 503 Service Unavailable\r\n${head}\r\n\r\n`);
      socket.write(BOMB);
    },
  },
  {
    does: 'resets the connection in its body',
    error: null,
    status: 200,
    answer(socket) {
      socket.write('HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf', () => {
        setTimeout(() => socket.resetAndDestroy(), 20);
      });
    },
  },
  {
    does: 'floods with informational responses',
    error: 'invalid_response',
    status: null,
    answer: (socket) => flood(socket, EARLY_HINTS.repeat(100)),
  },
  {
    does: 'sends one header without end',
    error: 'invalid_response',
    status: null,
    answer(socket) {
      socket.write('HTTP/1.1 200 OK\r\nX-Large: ');
      flood(socket, 'x'.repeat(0x4000));
    },
  },
  {
    does: 'sends headers without end',
    error: 'invalid_response',
    status: null,
    answer(socket) {
      socket.write('HTTP/1.1 200 OK\r\n');
      flood(socket, 'X-Many: 1\r\n'.repeat(1_000));
    },
  },
  {
    does: 'sends trailers without end',
    error: null,
    status: 200,
    answer(socket) {
      socket.write('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nx\r\n0\r\n');
      flood(socket, 'X-Many: 1\r\n'.repeat(1_000));
    },
  },
  {
    does: 'sends the extension of a chunk without end',
    error: null,
    status: 200,
    answer(socket) {
      socket.write('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1;a=');
      flood(socket, 'x'.repeat(0x4000));
    },
  },
  {
    does: 'sends its body in chunks of one byte without end',
    error: 'http_status',
    status: 500,
    answer(socket) {
      socket.write('HTTP/1.1 500 Internal Server Error\r\nTransfer-Encoding: chunked\r\n\r\n');
      flood(socket, '1\r\nx\r\n'.repeat(1_000));
    },
  },
  {
    does: 'switches to another protocol',
    error: 'invalid_response',
    status: null,
    answer(socket) {
      socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: own\r\n\r\n');
      flood(socket, 'x'.repeat(0x4000));
    },
  },
  {
    does: 'sends line breaks without end',
    error: 'invalid_response',
    status: null,
    answer: (socket) => flood(socket, '\r\n'.repeat(8_000)),
  },
  { does: 'stays silent', error: 'timeout', status: null, answer: () => undefined },
  {
    does: 'redirects to cloud metadata',
    error: 'redirect',
    status: 307,
    answer: (socket) => {
      socket.write(`HTTP/1.1 307 Temporary Redirect\r\nLocation: ${REDIRECTED_TO}\r\nContent-Length: 0\r\n\r\n`);
    },
  },
  { does: 'stalls in the TLS handshake', error: 'timeout', status: null, tls: 'stalls' },
  { does: 'has a self-signed certificate', error: 'tls_error', status: null, tls: 'is self-signed' },
];

/** Starts one on a loopback socket. */
export async function startHostile({ tls, answer }: Hostile, files: CertificateFiles) {
  const sockets = new Set<Socket>();
  const accept = (socket: Socket): void => {
    socket.on('error', () => undefined);
    socket.on('data', (bytes) => {
      if (bytes.includes('POST /')) answer?.(socket);
    });
  };
  const certificate = { key: readFileSync(files.key), cert: readFileSync(files.cert) };
  const server: Server = tls === 'is self-signed' ? createTlsServer(certificate, accept) : createServer(accept);
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.on('close', () => sockets.delete(socket));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `${tls ? 'https' : 'http'}://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    async stop(): Promise<void> {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
