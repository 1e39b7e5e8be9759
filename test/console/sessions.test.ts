import { createFirstOwner, OWNER, openBrowser, PASSWORD } from '../kit/console-client.ts';
import { withService } from '../kit/service.ts';

const cookieOf = (headers: Headers) => (headers.getSetCookie()[0] ?? '').split('; ');

test('signs in and out over http, with a cookie that scripts can’t read', () =>
  withService({}, async (service) => {
    await createFirstOwner(service);
    const browser = await openBrowser(service);
    expect((await browser.get('/me')).status).toBe(401);
    const { status, headers } = await browser.signIn(` ${OWNER.email.toUpperCase()}`);
    expect(status).toBe(200);
    expect(headers.get('cache-control')).toBe('no-store');
    const [pair, ...flags] = cookieOf(headers);
    expect(pair).toMatch(/^farmboard=ses_\w{36}$/);
    expect(flags.filter((flag) => !flag.startsWith('Expires='))).toEqual(['Path=/', 'HttpOnly', 'SameSite=Lax']);
    const expires = Date.parse(flags.find((flag) => flag.startsWith('Expires='))?.slice(8) as string);
    expect(Math.abs(expires - Date.now() - 30 * 24 * 3_600_000)).toBeLessThan(60_000);
    expect((await browser.get('/me')).body).toMatchObject({ email: OWNER.email, token_name: 'console' });

    const taken = browser.cookie();
    const out = await browser.delete('/session');
    expect(out.status).toBe(204);
    expect(cookieOf(out.headers)).toEqual(expect.arrayContaining(['farmboard=', 'Path=/', 'HttpOnly']));
    expect(browser.cookie()).toBeUndefined();
    browser.setCookie(taken);
    expect((await browser.get('/me')).status).toBe(401);
    expect((await browser.delete('/session')).status).toBe(204);
  }));

test('lists sessions and ends them on request or by a new password', () =>
  withService({}, async (service) => {
    const mine = await createFirstOwner(service);
    const [phone, tablet] = [await openBrowser(service), await openBrowser(service)];
    await phone.signIn();
    await tablet.signIn();
    const { body } = await mine.get<{ items: { id: string; is_this_one: boolean; user_agent: string }[] }>('/sessions');
    expect(body.items.map(({ is_this_one }) => is_this_one).sort()).toEqual([false, false, true]);
    expect(body.items[0]?.user_agent).toBe('test browser');

    const others = body.items.filter(({ is_this_one }) => !is_this_one);
    expect((await mine.delete(`/sessions/${others[1]?.id}`)).status).toBe(204);
    expect((await mine.delete(`/sessions/${others[1]?.id}`)).status).toBe(404);
    // the list is newest first
    expect([await mine.who(), await phone.who(), await tablet.who()]).toEqual([OWNER.email, null, OWNER.email]);
    expect((await mine.delete('/sessions')).status).toBe(204);
    expect([await mine.who(), await tablet.who()]).toEqual([OWNER.email, null]);

    await phone.signIn();
    const before = mine.cookie();
    const wrong = await mine.put('/password', { current_password: 'wrong', new_password: 'another long password' });
    expect([wrong.status, wrong.body.errors]).toEqual([
      422,
      [expect.objectContaining({ pointer: '/current_password' })],
    ]);
    const changed = await mine.put('/password', { current_password: PASSWORD, new_password: 'another long password' });
    expect(changed.status).toBe(204);
    expect(mine.cookie()).not.toBe(before);
    expect([await mine.who(), await phone.who()]).toEqual([OWNER.email, null]);
    mine.setCookie(before);
    expect(await mine.who()).toBeNull();
    expect((await mine.signIn()).status).toBe(401);
    expect((await mine.signIn(OWNER.email, 'another long password')).status).toBe(200);
  }));

test('answers 429 after ten wrong passwords, per client behind a proxy', () =>
  withService({ TRUSTED_PROXIES: '127.0.0.1' }, async (service) => {
    const owner = await createFirstOwner(service);
    const guesser = await openBrowser(service);
    const from = (address: string) => ({ headers: { 'X-Forwarded-For': address } });
    for (let i = 0; i < 10; i++)
      expect((await guesser.signIn(OWNER.email, 'wrong', from('203.0.113.7'))).status).toBe(401);
    const refused = await guesser.signIn(OWNER.email, PASSWORD, from('203.0.113.7'));
    expect(refused.status).toBe(429);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(14 * 60);
    expect(Number(refused.headers.get('retry-after'))).toBeLessThanOrEqual(15 * 60);
    // existing sessions stay valid, and the owner can sign in from elsewhere
    expect((await owner.get('/me')).status).toBe(200);
    expect((await guesser.signIn(OWNER.email, PASSWORD, from('203.0.113.8'))).status).toBe(200);
    // a whole IPv6 network counts as one address
    for (let i = 0; i < 10; i++) await guesser.signIn(OWNER.email, 'wrong', from(`2001:db8::${i}`));
    expect((await guesser.signIn(OWNER.email, PASSWORD, from('2001:db8::ffff'))).status).toBe(429);
  }));
