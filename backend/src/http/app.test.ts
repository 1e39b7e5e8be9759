import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createLogger } from '../shared/logger.ts';
import { type AppDeps, createApp } from './app.ts';

/** The headers of a worker's health check. */
async function headersWith(publicUrl: string): Promise<Headers> {
  const deps = {
    ...{ publicUrl, trustedProxies: [], serves: 'health', operator: undefined },
    checkReady: async () => [],
    logger: createLogger('silent'),
  } as unknown as AppDeps;
  const server = createApp(deps).listen(0, '127.0.0.1');
  await once(server, 'listening');
  try {
    return (await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/healthz`)).headers;
  } finally {
    server.close();
    server.closeAllConnections();
  }
}

test('sends HSTS for a year and all subdomains exactly if the public URL is https', async () => {
  const hsts = 'strict-transport-security';
  expect((await headersWith('https://farm.example')).get(hsts)).toBe('max-age=31536000; includeSubDomains');
  expect((await headersWith('http://farm.lan:3000')).get(hsts)).toBeNull();
});
