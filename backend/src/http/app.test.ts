import { once } from 'node:events';
import { type IncomingHttpHeaders, type IncomingMessage, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { createLogger } from '../../../common/src/logger.ts';
import { type AppDeps, createApp } from './app.ts';

interface Answer {
  status: number | undefined;
  headers: IncomingHttpHeaders;
  body: unknown;
}

/** Asks a worker for its health. @param headers names and values in turn */
async function ask(publicUrl: string, headers: string[]): Promise<Answer> {
  const deps = {
    publicUrl,
    trustedProxies: [],
    serves: 'health',
    operator: undefined,
    checkReady: async () => [],
    logger: createLogger('silent'),
  } as unknown as AppDeps;
  const server = createApp(deps).listen(0, '127.0.0.1');
  await once(server, 'listening');
  try {
    const { port } = server.address() as AddressInfo;
    const sent = request({ host: '127.0.0.1', port, path: '/healthz', headers }).end();
    const [res] = (await once(sent, 'response')) as [IncomingMessage];
    return { status: res.statusCode, headers: res.headers, body: await json(res) };
  } finally {
    server.close();
    server.closeAllConnections();
  }
}

test('sends HSTS for a year and all subdomains exactly if the public URL is https', async () => {
  const hstsOf = async (publicUrl: string) =>
    (await ask(publicUrl, ['Host', 'farm.example'])).headers['strict-transport-security'];
  expect(await hstsOf('https://farm.example')).toBe('max-age=31536000; includeSubDomains');
  expect(await hstsOf('http://farm.lan:3000')).toBeUndefined();
});

test('refuses a request with more than one Host header', async () => {
  for (const [first, second] of [
    ['farm.example', 'evil.example'],
    ['farm.example', 'farm.example'],
  ] as const) {
    const { status, headers, body } = await ask('http://farm.example', ['Host', first, 'host', second]);
    expect([status, headers['content-type']]).toEqual([400, 'application/problem+json; charset=utf-8']);
    expect(body).toMatchObject({ code: 'malformed_request', request_id: headers['x-request-id'] });
  }
});
