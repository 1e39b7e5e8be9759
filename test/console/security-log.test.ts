import { createClient } from '../kit/client.ts';
import { createFirstOwner, OWNER, openBrowser, PASSWORD } from '../kit/console-client.ts';
import { eventually } from '../kit/eventually.ts';
import { createEmptyDataFolder, startService } from '../kit/service.ts';

test('logs who signed in, what they did to access, and what was refused, without any secret', async () => {
  const folder = createEmptyDataFolder();
  const service = await startService({ ...folder.env, OPERATOR_SECRET: 'a secret of the operator, long enough' });
  const lines = () => service.log.filter((line) => line.includes('"security"')).map((line) => JSON.parse(line));
  const secrets = [PASSWORD, 'wrong password', 'a new, long password', 'mistyped secret of the operator'];
  try {
    const owner = await createFirstOwner(service);
    secrets.push(String(owner.cookie()));
    const guest = await openBrowser(service);
    await guest.signIn(OWNER.email, 'wrong password');
    await guest.signIn('nobody@farm.example', 'wrong password');
    const crossSite = { Origin: 'http://evil.example', 'Content-Type': 'application/json' };
    const credentials = JSON.stringify({ email: OWNER.email, password: PASSWORD });
    await fetch(`${service.origin}/console/api/session`, { method: 'POST', headers: crossSite, body: credentials });
    await owner.post('/password-check', { password: 'wrong password' });

    const token = String((await owner.post('/tokens', { name: 'n8n', days: 1 })).body.token);
    secrets.push(token);
    const client = await createClient(service.origin, token);
    expect((await client.get('/me')).status).toBe(200);
    const { body } = await owner.get<{ items: { id: string }[] }>('/tokens');
    await owner.delete(`/tokens/${body.items[0]?.id}`);
    expect((await client.get('/me')).status).toBe(401);

    await owner.put('/password', { current_password: PASSWORD, new_password: 'a new, long password' });
    const metrics = { headers: { Authorization: 'Bearer mistyped secret of the operator' } };
    expect((await fetch(`${service.origin}/metrics`, metrics)).status).toBe(401);
    await fetch(`${service.origin}/payments/notification/00000000-0000-4000-8000-000000000000`, {
      method: 'POST',
      body: '{}',
    });
    await owner.delete('/session');

    const seen = await eventually(lines, (all) => all.some(({ security }) => security === 'signed_out'));
    expect(seen.map(({ security, reason = '', code = '' }) => `${security} ${code || reason}`.trim())).toEqual([
      'account_created',
      'signed_in',
      'sign_in_refused wrong_password',
      'sign_in_refused wrong_password',
      'request_refused cross_site',
      'password_refused wrong_password',
      'token_created',
      'token_revoked',
      'request_refused unauthorized',
      'password_changed',
      'request_refused unauthorized',
      'notification_refused',
      'signed_out',
    ]);
    const { account_id } = seen[0];
    expect(account_id).toMatch(/^[0-9a-f-]{36}$/);
    // an unknown email has no account, and a refused token has no owner
    expect(seen.map((line) => line.account_id === account_id)).toEqual([
      ...[true, true, true, false, false, true, true, true, false, true, false, false, true],
    ]);
    const clients = seen.filter(({ security }) => !/token_|signed_out/.test(security)).map((line) => line.client);
    expect(clients).toEqual(Array(10).fill('127.0.0.1'));
    const text = service.log.filter((line) => line.includes('"security"')).join('\n');
    for (const secret of secrets) expect(text).not.toContain(secret);
    expect(text).not.toContain('nobody@');
  } finally {
    await service.kill();
    folder.remove();
  }
});
