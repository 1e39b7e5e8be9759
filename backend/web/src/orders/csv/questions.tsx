import { Alert, Radio, Stack } from '@mantine/core';
import { useI18n } from '../../i18n/i18n';
import { readDay } from '../../i18n/read-day';
import { readNumber } from '../../i18n/read-number';
import type { Target } from './fields';
import { type Format, formatValue } from './shown-values';
import type { Answers, Question } from './step';

const MAX_ROWS_NAMED = 10;

interface Option {
  label: string;
  answers: Answers;
}

interface QuestionsProps {
  questions: Question[];
  open: Question['about'][];
  answers: Answers;
  answer(answers: Answers): void;
  labels: Record<Target, string>;
  format: Format;
}

/** What the file leaves open. An answer can be changed until the import starts. */
export function Questions({ questions, open, answers, answer, labels, format }: QuestionsProps) {
  const { csv } = format;
  const { formatDateTime } = useI18n();
  if (questions.length === 0) return null;
  return (
    <Alert
      color={open.length > 0 ? 'yellow' : 'gray'}
      variant="light"
      title={open.length > 0 ? csv.questions : undefined}
      styles={{ title: { color: 'var(--mantine-color-text)' } }}
    >
      <Stack gap="md">
        {questions.map((question) => {
          const { label, lead, options } = describe(question, labels, format, formatDateTime);
          const given =
            question.about === 'continues'
              ? (answers.continues ?? (question.isProven || undefined))
              : answers[question.about];
          const chosen = options.findIndex((option) => option.answers[question.about] === given);
          return (
            <Radio.Group
              key={question.about}
              label={label}
              description={`${lead}${nameRows(question.rows)}`}
              value={String(chosen)}
              onChange={(value) => answer({ ...answers, ...options[Number(value)]?.answers })}
            >
              <Stack gap={6} mt={6}>
                {options.map((option, index) => (
                  <Radio key={option.label} value={String(index)} label={option.label} />
                ))}
              </Stack>
            </Radio.Group>
          );
        })}
      </Stack>
    </Alert>
  );

  function nameRows(rows: number[]) {
    const list = rows.slice(0, MAX_ROWS_NAMED).join(', ');
    const more = rows.length - MAX_ROWS_NAMED;
    return csv.inRows(more > 0 ? csv.moreRows(list, more) : list, rows.length);
  }
}

interface Described {
  label: string;
  lead: string;
  options: Option[];
}

function describe(
  question: Question,
  labels: Record<Target, string>,
  format: Format,
  formatDateTime: (iso: string) => string,
): Described {
  const { csv, locale } = format;
  const [first] = 'examples' in question ? question.examples : [];
  switch (question.about) {
    case 'mark': {
      const plain = { useGrouping: false, maximumFractionDigits: 3 };
      const written = (mark: '.' | ',') =>
        list(question.examples, ({ cell }) => Number(readNumber(cell, mark)).toLocaleString(locale, plain));
      return {
        label: csv.mark(first?.cell ?? '', labels[first?.target ?? 'price']),
        lead: '',
        options: [
          { label: csv.markPoint(written('.')), answers: { mark: '.' } },
          { label: csv.markComma(written(',')), answers: { mark: ',' } },
        ],
      };
    }
    case 'dayOrder': {
      const written = (order: 'dayFirst' | 'monthFirst') =>
        list(question.examples, ({ cell }) =>
          new Date(`${readDay(cell, order)}T00:00:00Z`).toLocaleDateString(locale, {
            dateStyle: 'long',
            timeZone: 'UTC',
          }),
        );
      return {
        label: csv.dayOrder(first?.cell ?? '', labels[first?.target ?? 'due_date']),
        lead: '',
        options: (['dayFirst', 'monthFirst'] as const).map((dayOrder) => ({
          label: written(dayOrder),
          answers: { dayOrder },
        })),
      };
    }
    case 'continues': {
      const { rows, targets, isProven } = question;
      const names = targets.map((target) => labels[target]).join(', ');
      return {
        label: isProven ? csv.continuesProven(rows.length) : csv.continues(rows.length),
        lead: `${csv.continuesLead} `,
        options: [
          { label: csv.continuesYes(names), answers: { continues: true } },
          { label: csv.continuesNo, answers: { continues: false } },
        ],
      };
    }
    case 'repeats': {
      const { rows, order } = question;
      const example = [order.model_name, order.customer_name, formatValue('price', order, format)];
      return {
        label: csv.repeats(rows.length),
        lead: `${csv.repeatsLead(example.filter(Boolean).join(', '), formatDateTime(order.created_at))} `,
        options: [
          { label: csv.repeatsSkip, answers: { repeats: false } },
          { label: csv.repeatsAgain, answers: { repeats: true } },
        ],
      };
    }
  }

  /** The reading of each example, with the name of its column if there are several. */
  function list<Example extends { target: Target }>(examples: Example[], read: (example: Example) => string): string {
    if (examples.length === 1) return examples.map(read).join();
    return examples.map((example) => `${labels[example.target]} ${read(example)}`).join(', ');
  }
}
