import { type BodyHold, type BodyOwner, createBodyBudget } from './body-budget.ts';

const MB = 1_000_000;
const client = (name: string, isAgent = false): BodyOwner => ({ client: name, isAgent });
const account = (name: string): BodyOwner => ({ account: name });

function create() {
  const time = { now: 0 };
  const budget = createBodyBudget({ clock: () => time.now });
  const ended: Record<string, number> = {};
  /** Begins a body that holds so many bytes. @returns it; its end is noted under its name */
  const send = (name: string, owner: BodyOwner, bytes: number, atMost = 100_000): BodyHold => {
    const hold = budget.begin(owner, atMost);
    hold.whenEnded(({ status }) => {
      ended[name] = status;
    });
    if (bytes > 0) hold.grow(bytes);
    return hold;
  };
  return { time, budget, ended, send };
}

const FILE = 20 * MB;

test('counts what bodies hold until they are released, once', () => {
  const { budget, send } = create();
  const holds = [send('a', client('a'), 3 * MB), send('b', account('b'), MB)];
  holds[0]?.grow(-MB);
  expect(budget.held()).toBe(3 * MB);
  for (const hold of [...holds, ...holds]) hold.release();
  expect(budget.held()).toBe(0);
});

test.each<[string, BodyOwner[], number, number, number]>([
  ['an address', [client('a')], 12 * MB, 3, 429],
  ['an account', [account('a')], 10 * MB, 4, 429],
  ['all addresses', ['a', 'b', 'c', 'd', 'e'].map((name) => client(name)), 8 * MB, 5, 503],
  ['all accounts', ['a', 'b', 'c', 'd', 'e'].map(account), 16 * MB, 5, 503],
  ['all agents', ['a', 'b', 'c', 'd', 'e'].map((name) => client(name, true)), 16 * MB, 5, 503],
])('when %s would hold too much, the slowest body ends', (_share, owners, bytes, count, status) => {
  const { time, budget, ended, send } = create();
  for (const owner of owners) if ('client' in owner && owner.isAgent) budget.knowAddress(owner.client);
  send('stalled, with nothing', owners[0] as BodyOwner, 0);
  for (let i = 1; i < count; i++) {
    time.now = i * 1_000;
    // the second one began earlier than it sent
    send(`${i}`, owners[i % owners.length] as BodyOwner, bytes);
  }
  const before = budget.held();
  time.now += 10;
  send('new', owners[0] as BodyOwner, bytes);
  expect(ended).toEqual({ 1: status });
  expect(budget.held()).toBe(before);
});

test('the body that asks for too much ends itself if it is the slowest, or if all others have arrived', () => {
  const { time, send } = create();
  const slow = send('slow', client('a'), MB);
  time.now = 1_000;
  send('fast', client('a'), 20 * MB);
  expect(() => slow.grow(4 * MB)).toThrow('(429)');
  expect(() => slow.grow(1)).toThrow('(429)');

  const complete = send('complete', account('b'), 31 * MB);
  complete.arrived();
  expect(() => send('late', account('b'), 2 * MB)).toThrow('(429)');
});

test('a full anonymous share refuses neither accounts nor agents of known addresses', () => {
  const { budget, ended, send } = create();
  budget.knowAddress('farm');
  for (let i = 0; i < 4; i++) send(`attack ${i}`, client(`${i}`), 8 * MB).arrived();
  expect(() => send('anyone', client('farm'), MB)).toThrow('(503)');
  expect(() => send('unknown agent', client('elsewhere', true), MB)).toThrow('(503)');
  send('account', account('a'), 32 * MB);
  send('agent', client('farm', true), 24 * MB);
  expect(ended).toEqual({ anyone: 503, 'unknown agent': 503 });
});

test('an address of an agent is known for a day, and 10,000 are', () => {
  const { time, budget, send } = create();
  for (let i = 0; i < 4; i++) send(`attack ${i}`, client(`attack ${i}`), 8 * MB).arrived();
  const isKnown = (name: string) => {
    try {
      send(name, client(name, true), MB).release();
      return true;
    } catch {
      return false;
    }
  };
  for (let i = 0; i <= 10_000; i++) budget.knowAddress(`${i}`);
  expect(['0', '1', '10000'].map(isKnown)).toEqual([false, true, true]);
  time.now = 24 * 60 * 60_000;
  expect(isKnown('1')).toBe(false);
});

test('an address has at most two uploads at once, also without a byte', () => {
  const { send } = create();
  const uploads = [1, 2].map((name) => send(`${name}`, client('a'), 0, FILE));
  expect(() => send('third', client('a'), 0, FILE)).toThrow('(503)');
  send('small', client('a'), 0);
  send('of another', client('b'), 0, FILE);
  uploads[0]?.release();
  send('then', client('a'), 0, FILE);
});
