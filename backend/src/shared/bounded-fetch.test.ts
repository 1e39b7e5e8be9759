import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeCertificate } from '../../../test/kit/certificate.ts';
import { HOSTILE, startHostile } from '../../../test/kit/hostile-receivers.ts';
import { createBoundedFetch } from './bounded-fetch.ts';

const folder = mkdtempSync(join(tmpdir(), 'farmboard-fetch-'));
const certificate = makeCertificate(folder, 'localhost');

afterAll(() => rmSync(folder, { recursive: true }));

/** Those that only time ends: what they send is little, or nothing that a caller sees. */
const SLOW = /slowly|drips|stalls|silent|informational|extension|line breaks/;
/** Those whose bodies are larger than the limit. */
const LARGE = /body without end|one byte|unpack to/;

test.each(HOSTILE.map((hostile) => [hostile.does, hostile] as const))(
  'ends an answer of one that %s',
  async (does, hostile) => {
    const { url, stop } = await startHostile(hostile, certificate);
    // where time is not what ends it, far longer than it takes
    const fetchBounded = createBoundedFetch({ withinMs: SLOW.test(does) ? 300 : 20_000, maxBytes: 64 * 1024 });
    try {
      const answer = fetchBounded(url, { method: 'POST', body: '{}' });
      if (does.includes('redirects')) expect((await answer).status).toBe(307);
      else if (LARGE.test(does)) await expect(answer).rejects.toThrow('more than 65536 bytes');
      else await expect(answer).rejects.toMatchObject({ name: SLOW.test(does) ? 'TimeoutError' : 'TypeError' });
    } finally {
      await stop();
    }
  },
);

test('answers as fetch does', async () => {
  const { url, stop } = await startHostile(
    {
      does: 'answers',
      error: null,
      status: 201,
      answer: (socket) => void socket.write('HTTP/1.1 201 Created\r\nX-A: 1\r\nContent-Length: 7\r\n\r\n{"a":1}'),
    },
    certificate,
  );
  const answer = await createBoundedFetch({ withinMs: 20_000, maxBytes: 7 })(url, { method: 'POST' });
  expect([answer.status, answer.headers.get('x-a'), await answer.json()]).toEqual([201, '1', { a: 1 }]);
  await stop();
});
