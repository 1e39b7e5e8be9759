import { createStreamLimit, liveRoutes } from './live.ts';

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
