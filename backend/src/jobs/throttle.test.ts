import type { Change } from '../shared/change.ts';
import { throttle } from './throttle.ts';

const INTERVAL_MS = 250;

let told: string[];
let publishChange: ReturnType<typeof throttle>;

beforeEach(() => {
  jest.useFakeTimers();
  told = [];
  publishChange = throttle(
    (accountId, { kind, id }: Change) => told.push(`${accountId} ${kind} ${id}`),
    INTERVAL_MS,
    ({ kind, id }) => (kind === 'event' ? kind : `${kind} ${id}`),
  );
});

afterEach(() => {
  jest.useRealTimers();
});

test('publishes the first change immediately, at most one per interval afterwards, and always the last', () => {
  for (let n = 0; n < 1_000; n++) publishChange('a', { kind: 'event', id: String(n) });
  expect(told).toEqual(['a event 0']);
  jest.advanceTimersByTime(INTERVAL_MS);
  expect(told).toEqual(['a event 0', 'a event 999']);
  publishChange('a', { kind: 'event', id: 'last' });
  jest.advanceTimersByTime(10 * INTERVAL_MS);
  expect(told).toEqual(['a event 0', 'a event 999', 'a event last']);
  expect(jest.getTimerCount()).toBe(0);
});

test('throttles each account and subscription separately', () => {
  publishChange('a', { kind: 'delivery', id: '1' });
  publishChange('a', { kind: 'delivery', id: '2' });
  publishChange('b', { kind: 'delivery', id: '1' });
  expect(told).toEqual(['a delivery 1', 'a delivery 2', 'b delivery 1']);
  jest.advanceTimersByTime(INTERVAL_MS);
  publishChange('a', { kind: 'delivery', id: '1' });
  expect(told.slice(3)).toEqual(['a delivery 1']);
});
