import { Text } from '@mantine/core';
import { type ReactNode, useId } from 'react';
import { useI18n, useMessages } from '../i18n/i18n';
import classes from './dashboard.module.css';
import type { DashboardStats } from './dashboard-api';
import { MESSAGES } from './messages';

interface CardProps {
  title: string;
  hint?: string;
  aside?: ReactNode;
  isWide?: boolean;
  /** shown instead of the children */
  empty?: string | undefined;
  children?: ReactNode;
}

export function Card({ title, hint, aside, isWide = false, empty, children }: CardProps) {
  const id = useId();
  return (
    <section className={`${classes.card} ${isWide ? classes.wide : ''}`} aria-labelledby={id}>
      <header className={classes.head}>
        <h2 id={id}>{title}</h2>
        {aside}
        {hint && <p>{hint}</p>}
      </header>
      {empty ? (
        <Text size="sm" c="dimmed">
          {empty}
        </Text>
      ) : (
        children
      )}
    </section>
  );
}

export interface Bar {
  key: string;
  label: ReactNode;
  /** the full name, if the label is shortened */
  name: string;
  value: number;
  /** the formatted value */
  text: string;
  /** a theme color such as `cyan.7` */
  color: string;
  /** a part of the value that has another color */
  part?: { value: number; color: string };
}

const toCss = (color: string) => `var(--mantine-color-${color.replace('.', '-')})`;

function backgroundOf({ value, color, part }: Bar): string {
  if (!part) return toCss(color);
  const share = `${(100 * part.value) / value}%`;
  return `linear-gradient(to left, ${toCss(part.color)} ${share}, ${toCss(color)} ${share})`;
}

/** Bar chart with labels and values as text, so the bars themselves are decorative. */
export function Bars({ bars }: { bars: Bar[] }) {
  const max = Math.max(1, ...bars.map(({ value }) => value));
  return (
    <ul className={classes.bars}>
      {bars.map((bar) => (
        <li key={bar.key} className={classes.line}>
          <span className={classes.label} title={bar.name}>
            {bar.label}
          </span>
          <span className={classes.track}>
            {bar.value > 0 && (
              <span
                className={classes.bar}
                style={{
                  display: 'block',
                  width: `${(100 * bar.value) / max}%`,
                  background: backgroundOf(bar),
                }}
              />
            )}
          </span>
          <span className={classes.number}>{bar.text}</span>
        </li>
      ))}
    </ul>
  );
}

/** The data of a chart as a table for screen readers. */
export function DayTable({
  days,
  columns,
  title,
}: {
  days: DashboardStats['days'];
  title: string;
  columns: [keyof DashboardStats['days'][number], string][];
}) {
  const { formatDay } = useI18n();
  const messages = useMessages(MESSAGES);
  return (
    <div className={classes.hidden}>
      <table>
        <caption>{title}</caption>
        <thead>
          <tr>
            <th scope="col">{messages.day}</th>
            {columns.map(([name, label]) => (
              <th key={name} scope="col">
                {label}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {days.map((row) => (
            <tr key={row.day}>
              <th scope="row">{formatDay(row.day)}</th>
              {columns.map(([name]) => (
                <td key={name}>{row[name]}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
