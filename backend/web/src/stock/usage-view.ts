import { DAY_MS } from '../time';
import type { Usage } from './stock-api';

interface UsageLine {
  key: string;
  /** null for all others combined */
  name: string | null;
  grams: number;
}

export interface UsageView {
  /** most used first, "others" last */
  lines: UsageLine[];
  /** one per bar: its first day and the grams by line key */
  bars: { day: string; total: number; [key: string]: string | number }[];
  /** whether each bar is a week */
  byWeek: boolean;
  total: number;
}

/** Number of distinguishable colors. */
const MAX_LINES = 6;
const OTHERS = 'others';
const WEEK = 7;

const round = (grams: number) => Math.round(grams * 1000) / 1000;

/** One bar per day including days without use; per week for more than a year. */
export function toView({ from, to, items }: Usage): UsageView {
  const first = Date.parse(from);
  const days = (Date.parse(to) - first) / DAY_MS + 1;
  const byWeek = days > 100;
  const step = byWeek ? WEEK : 1;
  const bars: UsageView['bars'] = Array.from({ length: Math.ceil(days / step) }, (_, place) => ({
    day: new Date(first + place * step * DAY_MS).toISOString().slice(0, 10),
    total: 0,
  }));
  const lines = new Map<string, UsageLine>();
  for (const [place, item] of items.entries()) {
    const isOther = item.filament_id === null || place >= MAX_LINES;
    const key = isOther ? OTHERS : `f${place}`;
    const line = lines.get(key) ?? { key, name: isOther ? null : item.name, grams: 0 };
    line.grams = round(line.grams + item.grams);
    lines.set(key, line);
    for (const { day, grams } of item.days) {
      const bar = bars[Math.floor((Date.parse(day) - first) / DAY_MS / step)];
      if (!bar) continue;
      bar[key] = round(Number(bar[key] ?? 0) + grams);
      bar.total = round(bar.total + grams);
    }
  }
  return { lines: [...lines.values()], bars, byWeek, total: round(items.reduce((sum, { grams }) => sum + grams, 0)) };
}
