import { execFileSync } from 'node:child_process';
import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import type { AddressInfo, Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createServer, type Server } from 'node:tls';
import { createTraffic } from '../../agent/src/budget.ts';
import { type BambuPrinter, openBambu } from '../../agent/src/printers/bambu/bambu.ts';
import { SERIAL } from '../../agent/src/simulation/printers/bambu.ts';
import { makeCertificate } from '../kit/certificate.ts';
import { eventually } from '../kit/eventually.ts';

// The access code of a Bambu printer must only be sent to that printer.

interface Meeting {
  certificate: { key: string; cert: string };
  identity: Partial<BambuPrinter>;
  remembered?: string;
}

const CODE = 'code-12345678';
const timing = { pollMs: 20, retryMs: 20, maxRetryMs: 100, heartbeatMs: 1_000, timeoutMs: 5_000, settleMs: 50 };

let folder: string;
const started: { server: Server; sockets: Set<Socket> }[] = [];

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'farmboard-identity-'));
});
afterEach(() => {
  for (const { server, sockets } of started.splice(0)) {
    for (const socket of sockets) socket.destroy();
    server.close();
  }
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** A certificate authority and a function that signs with it. */
function makeAuthority() {
  const own = mkdtempSync(join(folder, 'ca-'));
  const { key, cert } = makeCertificate(own, 'The printers of a factory');
  return {
    pem: readFileSync(cert, 'utf8'),
    sign(name: string) {
      const place = mkdtempSync(join(folder, 'signed-'));
      const [ownKey, request, signed] = ['key.pem', 'request.pem', 'cert.pem'].map((file) => join(place, file)) as [
        string,
        string,
        string,
      ];
      const quiet = { stdio: 'ignore' as const };
      const kind = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes'];
      execFileSync('openssl', ['req', ...kind, '-subj', `/CN=${name}`, '-keyout', ownKey, '-out', request], quiet);
      const by = ['-CA', cert, '-CAkey', key, '-set_serial', '1', '-days', '2'];
      execFileSync('openssl', ['x509', '-req', '-in', request, ...by, '-out', signed], quiet);
      return { key: ownKey, cert: signed };
    },
  };
}

const makeOwn = (name = SERIAL) => makeCertificate(mkdtempSync(join(folder, 'own-')), name);
const fingerprintOf = (cert: string) => new X509Certificate(readFileSync(cert)).fingerprint256.replaceAll(':', '');

/** A server at the printer's address that records what it receives over TLS. */
async function stand({ key, cert }: { key: string; cert: string }) {
  const heard: Buffer[] = [];
  const sockets = new Set<Socket>();
  const server = createServer({ key: readFileSync(key), cert: readFileSync(cert) }, (socket) => {
    socket.on('error', () => undefined).on('data', (bytes) => heard.push(bytes));
  });
  server.on('connection', (socket: Socket) => sockets.add(socket));
  started.push({ server, sockets });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  /** resolves when the client has disconnected and all its data has arrived */
  const left = () =>
    eventually(
      () => [...sockets].map(({ closed }) => closed),
      (closed) => closed.length > 0 && closed.every(Boolean),
    );
  return { port: (server.address() as AddressInfo).port, heard: () => Buffer.concat(heard).toString('latin1'), left };
}

/** Connects until the code was sent. @returns why it wasn't sent; empty if it was */
async function visit(
  there: Awaited<ReturnType<typeof stand>>,
  identity: Partial<BambuPrinter>,
  remembered?: string,
): Promise<string> {
  const printer = {
    type: 'bambu',
    name: 'One',
    host: '127.0.0.1',
    port: there.port,
    serial: SERIAL,
    access_code: CODE,
    ...identity,
  } as BambuPrinter;
  const stop = new AbortController();
  let isOver = false;
  const ended = openBambu(printer, { timing, signal: stop.signal }, remembered, createTraffic(), () => undefined).then(
    () => '',
    (error: Error) => error.message,
  );
  ended.finally(() => {
    isOver = true;
  });
  // the server sends no response, so there is nothing to wait for
  await eventually(
    () => isOver || there.heard().includes(CODE),
    (isDone) => isDone,
  );
  stop.abort();
  return ended;
}

test.each<[string, () => Meeting]>([
  ['at the first visit, by any', () => ({ certificate: makeOwn(), identity: {} })],
  [
    'with the certificate of the first visit',
    () => {
      const certificate = makeOwn();
      return { certificate, identity: {}, remembered: fingerprintOf(certificate.cert) };
    },
  ],
  [
    'with the certificate of tls_fingerprint, whatever was remembered',
    () => {
      const certificate = makeOwn('another name');
      const tls_fingerprint = fingerprintOf(certificate.cert);
      return { certificate, identity: { tls_fingerprint }, remembered: 'AB'.repeat(32) };
    },
  ],
  [
    'with its serial number, signed by tls_ca_file',
    () => {
      const authority = makeAuthority();
      return { certificate: authority.sign(SERIAL), identity: { tls_ca: authority.pem } };
    },
  ],
])('sends the access code to a printer %s', async (_how, make) => {
  const { certificate, identity, remembered } = make();
  const there = await stand(certificate);
  expect(await visit(there, identity, remembered)).toBe('');
  expect(there.heard()).toContain(CODE);
});

test.each<[string, string, () => Meeting]>([
  [
    'another certificate than at the first visit',
    'the certificate has changed since the first connection',
    () => ({ certificate: makeOwn(), identity: {}, remembered: fingerprintOf(makeOwn().cert) }),
  ],
  [
    'another certificate than tls_fingerprint',
    "the certificate doesn't match tls_fingerprint",
    () => {
      const certificate = makeOwn();
      const remembered = fingerprintOf(certificate.cert);
      return { certificate, identity: { tls_fingerprint: fingerprintOf(makeOwn().cert) }, remembered };
    },
  ],
  [
    'a certificate of nobody we trust, with the right serial number',
    "the certificate can't be verified with tls_ca_file",
    () => ({ certificate: makeOwn(), identity: { tls_ca: makeAuthority().pem } }),
  ],
  [
    'the certificate of another authority of the same name',
    "the certificate can't be verified with tls_ca_file",
    () => ({ certificate: makeAuthority().sign(SERIAL), identity: { tls_ca: makeAuthority().pem } }),
  ],
  [
    'the certificate of another printer of the same authority',
    'the certificate',
    () => {
      const authority = makeAuthority();
      return { certificate: authority.sign('01S00C999999999'), identity: { tls_ca: authority.pem } };
    },
  ],
])('sends nothing to a server that presents %s', async (_what, said, make) => {
  const { certificate, identity, remembered } = make();
  const there = await stand(certificate);
  expect(await visit(there, identity, remembered)).toContain(said);
  await there.left();
  expect(there.heard()).toBe('');
});
