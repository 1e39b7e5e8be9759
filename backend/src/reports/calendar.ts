import { DAY_MS, toDay } from '../../../common/src/clock.ts';

/** A calendar day in a time zone: from `since` (inclusive) to `until` (exclusive), in milliseconds. */
export interface Day {
  /** `YYYY-MM-DD` */
  day: string;
  since: number;
  until: number;
}

/** Whether this is an IANA time zone name, such as `Europe/Berlin`. */
export function isTimeZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return true;
  } catch {
    return false;
  }
}

/** The local time of a time zone, as if it were UTC. */
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
 * The last calendar days in a time zone including today, oldest first. Days with a daylight saving change are shorter
 * or longer, so a fixed UTC offset would be wrong.
 */
export function lastDays(timeZone: string, count: number, now: number): Day[] {
  const clock = clockOf(timeZone);
  /** The first moment of a day: midnight, or the moment that daylight saving time skips midnight. */
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
