import { createSharedRead } from './shared-read.ts';

interface Read {
  key: string;
  resolve(value: string): void;
  reject(error: Error): void;
}

let reads: Read[];
let read: (key: string) => Promise<string>;

beforeEach(() => {
  reads = [];
  read = createSharedRead((key) => new Promise<string>((resolve, reject) => void reads.push({ key, resolve, reject })));
});

/** Lets everything run that waits for nothing outside. */
const settle = () => new Promise((resolve) => setImmediate(resolve));

test('a caller never gets what a read found that began before it asked', async () => {
  const first = read('a');
  const second = read('a');
  reads[0]?.resolve('before');
  expect(await first).toBe('before');
  await settle();
  expect(reads).toHaveLength(2);
  reads[1]?.resolve('after');
  expect(await second).toBe('after');
});

test('callers that wait share one read, and those that come while it runs share another', async () => {
  const first = read('a');
  const waiting = [read('a'), read('a'), read('a')];
  reads[0]?.resolve('1');
  await first;
  await settle();
  const late = [read('a'), read('a')];
  reads[1]?.resolve('2');
  expect(await Promise.all(waiting)).toEqual(['2', '2', '2']);
  await settle();
  reads[2]?.resolve('3');
  expect(await Promise.all(late)).toEqual(['3', '3']);
  expect(reads).toHaveLength(3);
});

test('other keys do not wait', () => {
  read('a');
  read('b');
  expect(reads.map(({ key }) => key)).toEqual(['a', 'b']);
});

test('those that wait read again after a failure', async () => {
  const first = read('a');
  const second = read('a');
  reads[0]?.reject(new Error('gone'));
  await expect(first).rejects.toThrow('gone');
  await settle();
  reads[1]?.resolve('back');
  expect(await second).toBe('back');
  read('a');
  expect(reads).toHaveLength(3);
});
