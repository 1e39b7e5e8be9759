export interface Timetable {
  /** minutes since midnight */
  now(): number;
  /** Plans work for a time of the day. */
  at(minute: number, work: () => void | Promise<void>): void;
}

/** In minutes since midnight. */
export interface DayTimes {
  opensAt: number;
  /** what would be done later isn't */
  closesAt: number;
  /** how long a minute of the day takes */
  minuteMs: number;
}

interface Entry {
  minute: number;
  order: number;
  work: () => void | Promise<void>;
}

/**
 * Does the work of a day in the order of its times, one after another: what takes longer delays the rest and never
 * changes the order. So the same day leaves the same history however fast it runs.
 * @param prepare plans the first work
 */
export async function runTimetable(
  { opensAt, closesAt, minuteMs, signal }: DayTimes & { signal: AbortSignal },
  prepare: (timetable: Timetable) => void,
): Promise<void> {
  const entries: Entry[] = [];
  let now = opensAt;
  let count = 0;
  prepare({
    now: () => now,
    at(minute, work) {
      count += 1;
      entries.push({ minute: Math.max(minute, now), order: count, work });
    },
  });
  const startedAt = performance.now();
  while (entries.length > 0 && !signal.aborted) {
    entries.sort((a, b) => a.minute - b.minute || a.order - b.order);
    const next = entries.shift() as Entry;
    if (next.minute > closesAt) return;
    await waitUntil(startedAt + (next.minute - opensAt) * minuteMs, signal);
    if (signal.aborted) return;
    now = next.minute;
    await next.work();
  }
}

/** @param time as `performance.now()` */
async function waitUntil(time: number, signal: AbortSignal): Promise<void> {
  const ms = time - performance.now();
  if (ms <= 0 || signal.aborted) return;
  await new Promise<void>((resolve) => {
    const done = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    signal.addEventListener('abort', done);
  });
}
