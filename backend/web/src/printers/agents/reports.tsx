import { Pagination, Stack, Text } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Link } from 'wouter';
import { useI18n, useMessages } from '../../i18n/i18n';
import { Empty, NotLoaded } from '../../ui/page';
import classes from './agents.module.css';
import { REPORTS_PER_PAGE, type Report, reportsQuery } from './agents-api';
import { MESSAGES } from './messages';
import { PrintOutcome } from './print-outcome';

/** Print reports of a printer and their effects, newest first. */
export function Reports({ printerId }: { printerId: string }) {
  const { reports: messages } = useMessages(MESSAGES);
  const [page, setPage] = useState(1);
  const { data, error, refetch } = useQuery({ ...reportsQuery(printerId, page), placeholderData: keepPreviousData });
  if (!data) return <NotLoaded error={error} retry={refetch} lines={3} />;
  if (data.total === 0) return <Empty title={messages.none} lead={messages.noneLead} />;
  const pages = Math.ceil(data.total / REPORTS_PER_PAGE);
  return (
    <Stack gap="xs">
      <ul className={classes.reports}>
        {data.items.map((report) => (
          <Line key={report.id} report={report} />
        ))}
      </ul>
      {pages > 1 && (
        <nav aria-label={messages.pages}>
          <Pagination size="sm" total={pages} value={page} onChange={setPage} withControls={false} />
        </nav>
      )}
    </Stack>
  );
}

function Line({ report }: { report: Report }) {
  const { messages: commonMessages, formatDateTime, formatNumber } = useI18n();
  const { reports: messages, notes } = useMessages(MESSAGES);
  const { id, outcome, filename, at, grams, reason, order_id, order_name, deducted_grams, filament_name, moved_to } =
    report;
  return (
    <li className={classes.report} data-report={id}>
      <PrintOutcome outcome={outcome} />
      <span className={classes.file}>{filename}</span>
      <time className={classes.when} dateTime={at}>
        {formatDateTime(at)}
      </time>
      <span className={classes.rest}>
        {grams !== null && <span>{messages.g(formatNumber(grams))}</span>}
        {order_id !== null && (
          <span>
            {messages.order}: <Link href={`/?order=${order_id}`}>{order_name}</Link>
          </span>
        )}
        {deducted_grams !== null && <span>{messages.deducted(formatNumber(deducted_grams), filament_name)}</span>}
        {moved_to !== null && <span>{messages.moved(commonMessages.status[moved_to])}</span>}
        {reason !== null && (
          <Text span inherit className={classes.note}>
            {reason}
          </Text>
        )}
        {report.held_until !== null && (
          <span className={classes.note}>{filename === '' ? messages.heldForFile : messages.held}</span>
        )}
        {report.notes.map((note) => (
          <span key={note} className={classes.note}>
            {notes[note]}
          </span>
        ))}
        {report.grams_text !== null && <span className={classes.note}>{messages.received(report.grams_text)}</span>}
      </span>
    </li>
  );
}
