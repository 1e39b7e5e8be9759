import { setTimeout } from 'node:timers/promises';
import { createClient } from '../kit/client.ts';
import { createFirstOwner, OWNER, openBrowser } from '../kit/console-client.ts';
import { eventually } from '../kit/eventually.ts';
import { farmboard, withService } from '../kit/service.ts';

// what no engine can change: cookies, addresses, hashing and the order of checks

test('sets a Secure cookie named __Host- over https and accepts no other', () =>
  withService({ PUBLIC_URL: 'https://farm.example' }, async (service) => {
    const browser = await createFirstOwner(service, { name: '__Host-farmboard' });
    const made = await browser.signIn();
    const [pair, ...flags] = made.headers.getSetCookie()[0]?.split('; ') ?? [];
    expect(pair).toMatch(/^__Host-farmboard=ses_/);
    expect(flags).toEqual(expect.arrayContaining(['Path=/', 'HttpOnly', 'SameSite=Lax', 'Secure']));
    expect(flags.some((flag) => flag.startsWith('Domain'))).toBe(false);
    const [device, ...itsFlags] = made.headers.getSetCookie()[1]?.split('; ') ?? [];
    expect(device).toMatch(/^__Host-farmboard-device=\w{22}\.[0-9a-z]{8}\.[\w-]{43}$/);
    expect(itsFlags).toEqual(expect.arrayContaining(['Path=/', 'HttpOnly', 'SameSite=Lax', 'Secure']));
    expect((await browser.get('/me')).status).toBe(200);
    const plain = { headers: { Cookie: `farmboard=${browser.cookie()}` } };
    expect((await browser.get('/me', plain)).status).toBe(401);
  }));

test('answers identically to a wrong password and an unknown email', () =>
  withService({}, async (service) => {
    await createFirstOwner(service);
    const browser = await openBrowser(service);
    const told = async (email: string) => {
      const { status, text, headers } = await browser.signIn(email, 'wrong', { headers: { 'X-Request-Id': 'same' } });
      const shown = [...headers].filter(([name]) => name !== 'date');
      return { status, text, shown };
    };
    const wrong = await told(OWNER.email);
    expect(wrong.status).toBe(401);
    expect(await told('nobody@farm.example')).toEqual(wrong);
  }));

test('ignores X-Forwarded-For from untrusted clients', () =>
  withService({}, async (service) => {
    await createFirstOwner(service);
    const guesser = await openBrowser(service);
    const statuses: number[] = [];
    for (let i = 0; i < 11; i++) {
      const headers = { 'X-Forwarded-For': `203.0.113.${i}`, Forwarded: `for=203.0.113.${i}`, 'X-Real-IP': `::${i}` };
      statuses.push((await guesser.signIn(OWNER.email, 'wrong', { headers })).status);
    }
    expect(statuses).toEqual([...Array(10).fill(401), 429]);
  }));

test('stays responsive for signed-in owners during a flood of sign-ins', () =>
  withService({ TRUSTED_PROXIES: '127.0.0.1' }, async (service, env) => {
    const owner = await createFirstOwner(service);
    const token = await farmboard(['token', 'create', '--email', OWNER.email, '--name', 'n8n'], env);
    const client = await createClient(service.origin, token.stdout.trim());
    const statuses = new Map<number, number>();
    let over = false;
    let tries = 0;
    /** Load of signed-in clients: three kinds of requests, several times. */
    async function work(): Promise<void> {
      for (let time = 0; time < 5; time++) {
        expect(await (await fetch(`${service.origin}/healthz`)).json()).toEqual({ status: 'ok' });
        expect((await client.post('/print-jobs', { model_name: 'meanwhile' })).status).toBe(201);
        expect((await owner.get('/print-jobs?per_page=1')).status).toBe(200);
      }
    }
    // 200 at a time, each as if from its own address
    const flood = Array.from({ length: 200 }, async () => {
      while (!over) {
        tries += 1;
        const answer = await fetch(`${service.origin}/console/api/session`, {
          method: 'POST',
          headers: {
            Origin: service.origin,
            'Content-Type': 'application/json',
            'X-Forwarded-For': `10.${tries >> 16}.${(tries >> 8) & 255}.${tries & 255}`,
          },
          body: JSON.stringify({ email: `n${tries}@farm.example`, password: 'wrong' }),
        });
        // reads the whole body, so that the connection is reused
        await answer.text();
        const { status, headers } = answer;
        statuses.set(status, (statuses.get(status) ?? 0) + 1);
        // clients wait as they are told
        if (status === 429) await setTimeout(Number(headers.get('Retry-After')) * 1000);
      }
    });
    // skips the first moment, in which hundreds of connections are made
    await eventually(
      () => statuses.get(401) ?? 0,
      (wrong) => wrong > 20,
    );
    await work();
    over = true;
    await Promise.all(flood);
    expect([...statuses.keys()].sort()).toEqual([401, 429]);
    expect((await owner.signIn()).status).toBe(200);
  }));

test('refuses sessions at /api/v1 and tokens at the console API', () =>
  withService({}, async (service) => {
    const owner = await createFirstOwner(service);
    const token = String((await owner.post('/tokens', { name: 'n8n', days: 1 })).body.token);
    const client = await createClient(service.origin, token);
    expect((await client.get('/me')).status).toBe(200);
    const Cookie = `farmboard=${owner.cookie()}; __Host-farmboard=${owner.cookie()}`;
    expect((await client.get('/me', { token: null, headers: { Cookie } })).status).toBe(401);
    expect((await client.get('/me', { token: owner.cookie() as string, headers: { Cookie } })).status).toBe(401);

    const stranger = await openBrowser(service);
    const operations = Object.entries(stranger.document.paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => [method.toUpperCase(), path] as const),
    );
    const open = ['/session', '/setup', '/sign-up', '/simulation/session'];
    for (const [method, path] of operations.filter(([, path]) => !open.includes(path))) {
      const headers = { Authorization: `Bearer ${token}`, Cookie: `farmboard=${token}` };
      const id = path.replace(/\{\w+\}/g, '00000000-0000-4000-8000-000000000000');
      expect([path, (await stranger.ask(method, id, { headers })).status]).toEqual([path, 401]);
    }
    expect(operations.length).toBeGreaterThan(30);
    // a session is accepted only from its cookie
    const asToken = { headers: { Authorization: `Bearer ${owner.cookie()}` } };
    expect((await stranger.get('/me', asToken)).status).toBe(401);

    // tokens are listed without their text and end at once
    const { body } = await owner.get<{ items: { id: string; name: string }[] }>('/tokens');
    expect(body.items).toMatchObject([{ name: 'n8n', hint: token.slice(-4) }]);
    expect(JSON.stringify(body)).not.toContain(token.slice(4, -4));
    expect((await owner.delete(`/tokens/${body.items[0]?.id}`)).status).toBe(204);
    expect((await client.get('/me')).status).toBe(401);
  }));

test('lets the operator create accounts, or anyone with SIGN_UP=open', async () => {
  await withService({}, async (service) => {
    const browser = await openBrowser(service);
    expect((await browser.post('/sign-up', OWNER)).status).toBe(404);
  });
  await withService({ SIGN_UP: 'open' }, async (service) => {
    const browser = await openBrowser(service);
    expect((await browser.get('/session')).body).toMatchObject({ sign_up: true });
    expect((await browser.post('/sign-up', OWNER)).status).toBe(200);
    expect(await browser.who()).toBe(OWNER.email);
    expect((await browser.post('/sign-up', { ...OWNER, email: OWNER.email.toUpperCase() })).status).toBe(422);
  });
});
