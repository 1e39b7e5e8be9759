import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import type { Response } from 'express';
import { createStreamLimit, liveRoutes } from './live.ts';
import { sendStream } from './respond.ts';

const openAll = (count: number, sessionOf: (n: number) => string) => {
  const ended: number[] = [];
  const admit = createStreamLimit();
  const releases = Array.from({ length: count }, (_, n) =>
    admit('account', { sessionId: sessionOf(n), finish: () => ended.push(n) }),
  );
  return { ended, releases, admit };
};

test('beyond 20 streams of a session its oldest one ends', () => {
  expect(openAll(20, () => 'one').ended).toEqual([]);
  expect(openAll(23, () => 'one').ended).toEqual([0, 1, 2]);
  expect(openAll(41, (n) => (n < 21 ? 'one' : 'other')).ended).toEqual([0]);
});

test('beyond 100 streams of an account its oldest one ends, and accounts count separately', () => {
  const { ended, admit } = openAll(102, (n) => `session ${n % 10}`);
  expect(ended).toEqual([0, 1]);
  admit('another account', { sessionId: 'x', finish: () => ended.push(-1) });
  expect(ended).toEqual([0, 1]);
});

test('streams that have ended do not count', () => {
  const { ended, releases, admit } = openAll(20, () => 'one');
  releases[7]?.();
  admit('account', { sessionId: 'one', finish: () => undefined });
  expect(ended).toEqual([]);
});

test('streams that begin together count before they listen', () => {
  const [route] = liveRoutes({ listen: () => new Promise(() => undefined) });
  const ended: number[] = [];
  const actor = { accountId: 'account', tokenId: 'one' };
  for (let n = 0; n < 23; n++)
    void route?.stream?.(
      { actor } as never,
      () => undefined,
      () => ended.push(n),
    );
  expect(ended).toEqual([0, 1, 2]);
});

test('a client that reads nothing is disconnected, and little is held for it', async () => {
  let ended = 0;
  let most = 0;
  async function flood(res: ServerResponse): Promise<void> {
    await sendStream(res as Response, {
      stopping: new AbortController().signal,
      isAuthorized: async () => true,
      async open(send) {
        setImmediate(async () => {
          // the system takes some megabytes before it holds up
          while (!res.destroyed) {
            for (let i = 0; i < 1_000; i++) {
              send('change', { kind: 'order', id: '4f2c7a1e-0b7d-4c59-9f43-6d1f7c0e8a25' });
              most = Math.max(most, res.writableLength);
            }
            await new Promise((resolve) => setImmediate(resolve));
          }
        });
        return () => {
          ended += 1;
        };
      },
    });
  }
  const server = createServer((_req, res) => void flood(res)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1').pause();
  client.on('error', () => undefined).write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
  const [, res] = (await once(server, 'request')) as [unknown, ServerResponse];
  await once(res, 'close');
  client.destroy();
  server.close();
  expect(ended).toBe(1);
  expect(most).toBeGreaterThan(0);
  expect(most).toBeLessThan(66 * 1024);
});
