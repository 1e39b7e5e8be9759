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
  /** a theme color such as */
  color: string;
}

/** Bar chart with labels and values as text, so the bars themselves are decorative. */
export function Bars({ bars }: { bars: Bar[] }) {
  const max = Math.max(1, ...bars.map(({ value }) => value));
  return (
    <ul className={classes.bars}>
      {bars.map(({ key, label, name, value, text, color }) => (
        <li key={key} className={classes.line}>
          <span className={classes.label} title={name}>
            {label}
          </span>
          <span className={classes.track}>
            {value > 0 && (
              <span
                className={classes.bar}
                style={{
                  display: 'block',
                  width: `${(100 * value) / max}%`,
                  background: `var(--mantine-color-${color.replace('.', '-')})`,
                }}
              />
            )}
          </span>
          <span className={classes.number}>{text}</span>
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
