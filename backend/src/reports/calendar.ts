import { toDay } from '../shared/clock.ts';

const DAY_MS = 24 * 60 * 60 * 1000;

/** One calendar day of some place: it lasts from `since` until just before `until`, in milliseconds. */
export interface Day {
  /** `YYYY-MM-DD` */
  day: string;
  since: number;
  until: number;
}

/** Whether it is a time zone as IANA names them, such as `Europe/Berlin`. */
export function isTimeZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return true;
  } catch {
    return false;
  }
}

/** What the clocks of a place show, as if it were UTC. */
function clockOf(timeZone: string): (at: number) => number {
  const format = new Intl.DateTimeFormat('en', {
    timeZone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  });
  return (at) => {
    const parts = Object.fromEntries(format.formatToParts(at).map(({ type, value }) => [type, Number(value)]));
    const { year = 0, month = 1, day, hour, minute, second } = parts;
    return Date.UTC(year, month - 1, day, hour, minute, second);
  };
}

/**
 * The last calendar days of a place, today's with them, oldest first. A day on which its clocks are changed is shorter or
 * longer than others, which is why an offset from UTC would not do.
 */
export function lastDays(timeZone: string, count: number, now: number): Day[] {
  const clock = clockOf(timeZone);
  /** The first moment of a day: midnight, or where the clocks skip midnight the moment they do. */
  function startOf(midnight: number): number {
    const offsets = [midnight - DAY_MS, midnight + DAY_MS].map((at) => clock(at) - at);
    const moments = offsets.map((offset) => midnight - offset).sort((a, b) => a - b);
    return moments.find((at) => clock(at) >= midnight) ?? midnight;
  }
  const today = Date.parse(toDay(clock(now)));
  const starts = Array.from({ length: count + 1 }, (_, index) => startOf(today + (index + 1 - count) * DAY_MS));
  return starts.slice(0, count).map((since, index) => ({
    day: toDay(today + (index + 1 - count) * DAY_MS),
    since,
    until: starts[index + 1] as number,
  }));
}
