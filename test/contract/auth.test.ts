import { crc32 } from 'node:zlib';
import { write } from '../kit/database.ts';
import { expectProblem, startFarm, UNKNOWN_ID } from '../kit/farm.ts';
import { forSuite } from '../kit/opened.ts';
import { farmboard } from '../kit/service.ts';

const farm = forSuite(startFarm);

/** Every documented operation, its ids filled in. */
const operations = () =>
  Object.entries(farm.client.document.paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => [method.toUpperCase(), path.replace(/\{\w+\}/g, UNKNOWN_ID)] as const),
  );

const withHeader = (Authorization: string, path = '/me') =>
  farm.client.get(path, { token: null, headers: { Authorization } });

async function expectUnauthorized(answer: Awaited<ReturnType<typeof withHeader>>) {
  expectProblem(answer, 401, 'unauthorized');
  expect(answer.headers.get('www-authenticate')).toBe('Bearer');
  expect(answer.text).not.toContain('pat_0');
}

const newToken = async (name: string, ...more: string[]) => {
  const made = await farmboard(['token', 'create', '--email', farm.email, '--name', name, ...more], farm.env);
  expect(made.code).toBe(0);
  return made.stdout.trim();
};

/** A token with a valid checksum that was never created. */
function inventToken(): string {
  const digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
  const random = '0123456789abcdefghijABCDEFGHIJ';
  let rest = crc32(random);
  let check = '';
  for (let i = 0; i < 6; i++) {
    check = digits[rest % 62] + check;
    rest = Math.floor(rest / 62);
  }
  return `pat_${random}${check}`;
}

describe('Authorization: Bearer <ACCESS_TOKEN>', () => {
  test('has 30 characters and a checksum of 6 after pat_, and identifies its account at GET /me', async () => {
    expect(farm.token).toMatch(/^pat_[0-9A-Za-z]{36}$/);
    const { status, body } = await farm.client.get<{ token_expires_at: string }>('/me');
    expect(status).toBe(200);
    expect(body).toMatchObject({ email: farm.email, account_name: 'Test farm', token_name: 'test' });
    expect(Date.parse(body.token_expires_at)).toBeGreaterThan(0);
  });

  test('answers 401 with WWW-Authenticate on every documented route without a token', async () => {
    expect(operations().length).toBeGreaterThan(20);
    for (const [method, path] of operations()) {
      await expectUnauthorized(await farm.client.call(method, path, { token: null }));
      await expectUnauthorized(await farm.client.call(method, path, { token: `${farm.token}x` }));
    }
    await expectUnauthorized(await farm.client.get('/no-such-route', { token: null }));
  });

  test('serves the OpenAPI document without a token', async () => {
    expect((await fetch(`${farm.client.baseUrl}/openapi.json`)).status).toBe(200);
  });

  test('refuses malformed tokens', async () => {
    const { token } = farm;
    for (const value of [
      '',
      'Bearer',
      'Bearer ',
      token,
      `Basic ${Buffer.from(`${token}:`).toString('base64')}`,
      `Token ${token}`,
      `Bearer${token}`,
      `Bearer ${token},`,
      `Bearer ${token} ${token}`,
      `Bearer "${token}"`,
      `Bearer ${token.slice(4)}`,
      `Bearer PAT_${token.slice(4)}`,
      `Bearer agt_${token.slice(4)}`,
      `Bearer ${token.slice(0, -1)}`,
      'Bearer pat_',
      `Bearer pat_${'x'.repeat(10_000)}`,
      "Bearer pat_' OR '1'='1",
    ])
      await expectUnauthorized(await withHeader(value));
  });

  test('refuses a wrong checksum and a token in another case', async () => {
    const other = farm.token.endsWith('0') ? '1' : '0';
    await expectUnauthorized(await withHeader(`Bearer ${farm.token.slice(0, -1)}${other}`));
    await expectUnauthorized(await withHeader(`Bearer pat_${farm.token.slice(4).toLowerCase()}`));
  });

  test('refuses a well-formed token that was never created', async () => {
    await expectUnauthorized(await withHeader(`Bearer ${inventToken()}`));
  });

  test('accepts the scheme in any case', async () => {
    for (const scheme of ['Bearer', 'bearer', 'BEARER'])
      expect((await withHeader(`${scheme} ${farm.token}`)).status).toBe(200);
  });

  test('refuses a revoked token at once, without affecting other integrations', async () => {
    const token = await newToken('n8n');
    expect((await withHeader(`Bearer ${token}`)).body).toMatchObject({ token_name: 'n8n', email: farm.email });
    const revoked = await farmboard(['token', 'revoke', '--email', farm.email, '--name', 'n8n'], farm.env);
    expect(revoked.code).toBe(0);
    await expectUnauthorized(await withHeader(`Bearer ${token}`));
    expect((await farm.client.get('/me')).status).toBe(200);
  });

  test('refuses an expired token', async () => {
    const token = await newToken('short', '--days', '1');
    expect((await withHeader(`Bearer ${token}`)).status).toBe(200);
    const moveExpiry = (milliseconds: number) =>
      write(farm.file, `UPDATE tokens SET expires_at = ${Date.now() + milliseconds} WHERE name = 'short'`);
    await moveExpiry(-1);
    await expectUnauthorized(await withHeader(`Bearer ${token}`));
    await moveExpiry(60_000);
    expect((await withHeader(`Bearer ${token}`)).status).toBe(200);
  });

  test('returns a null expiry for a token that never expires', async () => {
    const token = await newToken('forever', '--days', 'never');
    expect((await withHeader(`Bearer ${token}`)).body).toMatchObject({ token_expires_at: null });
  });

  test('refuses changes with a token that was created read-only on the command line', async () => {
    const token = await newToken('display', '--read-only');
    expect((await withHeader(`Bearer ${token}`)).status).toBe(200);
    expectProblem(await farm.client.post('/print-jobs', { model_name: 'x' }, { token }), 403, 'read_only_token');
    const { stdout } = await farmboard(['token', 'list', '--email', farm.email], farm.env);
    const lines = stdout.split('\n').filter((line) => line.includes('  read-only  '));
    expect(lines).toEqual([expect.stringMatching(/^display {2}pat_…\w{4} {2}read-only {2}created /)]);
  });

  test('ignores tokens in the query, in cookies and in the body', async () => {
    const { token } = farm;
    for (const query of [`access_token=${token}`, `token=${token}`, `Authorization=Bearer%20${token}`])
      await expectUnauthorized(await farm.client.get(`/me?${query}`, { token: null }));
    for (const headers of [
      { Cookie: `session=${token}; token=${token}; access_token=${token}; Authorization=Bearer ${token}` },
      { 'X-Api-Key': token },
      { 'Proxy-Authorization': `Bearer ${token}` },
    ] as Record<string, string>[])
      await expectUnauthorized(await farm.client.get('/me', { token: null, headers }));
    const body = { model_name: 'x', access_token: token };
    await expectUnauthorized(await farm.client.post('/print-jobs', body, { token: null }));
  });

  test('never returns a token in responses or logs', async () => {
    for (const path of ['/me', '/print-jobs', '/summary', '/webhook-subscriptions'])
      expect((await farm.client.get(path)).text).not.toContain(farm.token);
    expect(farm.service.log.join('\n')).not.toContain(farm.token.slice(4));
  });
});

describe('routes without authentication', () => {
  test('reveals nothing at /healthz and says at /readyz whether the service can answer', async () => {
    for (const [path, status] of [
      ['/healthz', 'ok'],
      ['/readyz', 'ready'],
    ]) {
      const response = await fetch(farm.service.origin + path);
      expect([response.status, await response.json()]).toEqual([200, { status }]);
      for (const name of ['server', 'x-powered-by', 'ratelimit']) expect(response.headers.has(name)).toBe(false);
    }
  });
});
