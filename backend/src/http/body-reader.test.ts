import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import express, { type Request, type Response } from 'express';
import { UnreadableBody } from './body-budget.ts';
import { admitBody, readWhole, sendFile } from './body-reader.ts';
import { mergePieces } from './merge-pieces.ts';

const MAX_BYTES = 100_000;
let withinMs: number;
/** sizes of the pieces that the reader gets */
let pieces: number[];
let server: Server;
let port: number;

beforeAll(async () => {
  const app = express();
  app.use((req, res, next) => {
    mergePieces(req, res);
    next();
  });
  app.post('/', async (req: Request, res: Response) => {
    // authentication takes a while
    await sleep(1);
    req.on('data', ({ length }: Buffer) => pieces.push(length));
    const hold = admitBody(req, res, 'anyone', MAX_BYTES);
    const body = await readWhole(req, { maxBytes: MAX_BYTES, withinMs }, hold).catch((error: unknown) => error);
    if (body instanceof UnreadableBody) res.status(body.status).end();
    else sendFile(req, res, 'anyone', body as Buffer);
  });
  server = createServer(app).listen(0, '127.0.0.1');
  await once(server, 'listening');
  ({ port } = server.address() as AddressInfo);
});
afterAll(() => {
  server.close();
  server.closeAllConnections();
});
beforeEach(() => {
  withinMs = 60_000;
  pieces = [];
});

/** Sends a body in chunks of these sizes, over one connection, and ends it unless told not to. */
async function send(sizes: number[], { end = true, length = false } = {}) {
  const content = Buffer.from(Array.from({ length: sizes.reduce((a, b) => a + b, 0) }, (_, i) => i % 251));
  const sent = request({ port, method: 'POST', headers: length ? { 'Content-Length': content.length } : {} });
  sent.on('error', () => undefined);
  sent.flushHeaders();
  sent.cork();
  let at = 0;
  for (const size of sizes) {
    sent.write(content.subarray(at, at + size));
    at += size;
  }
  sent.uncork();
  if (end) sent.end();
  const [res] = (await once(sent, 'response')) as [IncomingMessage];
  const received = await text(res.setEncoding('latin1'));
  sent.destroy();
  return { status: res.statusCode, isWhole: received === content.toString('latin1') };
}

const times = (count: number, size: number) => Array<number>(count).fill(size);

test.each([
  ['no byte', [], false],
  ['one piece', [50_000], true],
  ['the longest body', [MAX_BYTES], false],
  ['single bytes', times(1_900, 1), false],
  ['single bytes after a long piece', [60_000, ...times(1_900, 1)], false],
  ['32 bytes at a time', times(3_000, 32), false],
  ['around the size of merged pieces', [4_095, 1, 4_096, 4_097, 1, 4_095, 4_095, 4_095, 3], true],
])('reads %s unchanged, in pieces that are not small', async (_what, sizes, length) => {
  expect(await send(sizes, { length })).toEqual({ status: 200, isWhole: true });
  for (const size of pieces.slice(0, -2)) expect(size).toBeGreaterThanOrEqual(4_096);
});

test.each([
  ['is too long', [MAX_BYTES, 1], {}, 413],
  ['says that it is too long', [MAX_BYTES + 1], { length: true }, 413],
  ['is too long, without an end', times(3, 50_000), { end: false }, 413],
  ['comes in single bytes, without an end', times(5_000, 1), { end: false }, 400],
  ['comes in single bytes after a long piece', [10_000, ...times(90_000, 1)], {}, 400],
])('refuses a body that %s', async (_what, sizes, options, status) => {
  expect((await send(sizes, options)).status).toBe(status);
});

test('refuses a body that takes too long', async () => {
  withinMs = 50;
  expect((await send([10], { end: false })).status).toBe(408);
});
