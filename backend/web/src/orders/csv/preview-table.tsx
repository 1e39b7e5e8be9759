import { ColorSwatch, Text } from '@mantine/core';
import { isNumber } from '../order-columns';
import type { Target } from './fields';
import classes from './preview.module.css';
import { type Format, type Shown, type ShownColumn, shownValue } from './shown-values';
import type { Step } from './step';

const MAX_SHOWN = 50;

interface PreviewTableProps {
  steps: Step[];
  columns: ShownColumn[];
  labels: Record<Target, string>;
  format: Format;
}

/** The first rows with their values as they will be written. On a phone, each row is a card. */
export function PreviewTable({ steps, columns, labels, format }: PreviewTableProps) {
  const { csv } = format;
  return (
    <>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable by keyboard */}
      <section className={classes.scroller} aria-label={csv.values} tabIndex={0}>
        <table className={classes.table}>
          <thead>
            <tr>
              {[csv.row, csv.what, ...columns.map((column) => labels[column])].map((label) => (
                <th key={label}>{label}</th>
              ))}
            </tr>
          </thead>
          <tbody>
            {steps.slice(0, MAX_SHOWN).map((step) => (
              <tr key={step.row.number} data-row={step.row.number}>
                <Cell label={csv.row}>{step.row.number}</Cell>
                <Cell label={csv.what}>
                  <span className={classes.text}>
                    {csv.action[step.action]}
                    {step.head !== undefined && (
                      <Text size="xs" c="dimmed" component="span" display="block">
                        {csv.furtherItem(step.head)}
                      </Text>
                    )}
                  </span>
                </Cell>
                {columns.map((column) => (
                  <ValueCell
                    key={column}
                    column={column}
                    label={labels[column]}
                    shown={shownValue(column, step, format)}
                  />
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </section>
      {steps.length > MAX_SHOWN && (
        <Text size="xs" c="dimmed">
          {csv.shown(MAX_SHOWN, steps.length)}
        </Text>
      )}
    </>
  );
}

function Cell({ label, children }: { label: string; children: React.ReactNode }) {
  return <td data-label={label}>{children}</td>;
}

const CLASSES: Record<Shown['from'], string> = {
  given: classes.text ?? '',
  kept: `${classes.text} ${classes.kept}`,
  fault: `${classes.text} ${classes.fault}`,
};

function ValueCell({ column, label, shown }: { column: ShownColumn; label: string; shown: Shown }) {
  const isColor = column === 'color_hex' && shown.from !== 'fault' && shown.text !== '';
  return (
    <td
      data-label={label}
      data-field={column}
      data-number={isNumber(column) || undefined}
      data-empty={shown.text === '' || undefined}
    >
      <span className={CLASSES[shown.from]}>
        {isColor && <ColorSwatch size={10} color={shown.text} component="span" display="inline-block" mr={4} />}
        {shown.before !== undefined && shown.before !== '' && <s className={classes.kept}>{shown.before}</s>}
        {shown.before !== undefined && shown.before !== '' && ' '}
        {shown.text}
      </span>
    </td>
  );
}
