import { createUploadLimit } from './upload-limit.ts';

function create(maxBytes = 100) {
  const time = { now: 0 };
  return { time, limit: createUploadLimit({ clock: () => time.now, maxBytes }) };
}

test('a client has at most two uploads; stalled uploads of others refuse nobody', () => {
  const { limit } = create();
  for (let client = 0; client < 20; client++) {
    expect([limit.begin(`${client}`), limit.begin(`${client}`)]).not.toContain(undefined);
    expect(limit.begin(`${client}`)).toBeUndefined();
  }
  const upload = limit.begin('customer');
  upload?.count(90);
  expect(upload?.signal.aborted).toBe(false);
  upload?.end();
  expect([limit.begin('customer'), limit.begin('customer')]).not.toContain(undefined);
});

test('when all together need too much memory, the slowest one ends', () => {
  const { time, limit } = create();
  const stalled = limit.begin('a');
  const slow = limit.begin('b');
  slow?.count(60);
  time.now = 10_000;
  const fast = limit.begin('c');
  time.now = 10_100;
  fast?.count(40);
  expect(slow?.signal.aborted).toBe(false);
  fast?.count(10);
  expect([stalled, slow, fast].map((upload) => upload?.signal.aborted)).toEqual([false, true, false]);
  // its bytes no longer count
  fast?.count(50);
  expect(fast?.signal.aborted).toBe(false);
});
