import { Button, Group, Text, Title } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useQuery } from '@tanstack/react-query';
import { useI18n, useMessages } from '../../i18n/i18n';
import { ConfirmButton } from '../../ui/confirm-button';
import { useApiMutation } from '../../ui/use-api-mutation';
import classes from './agents.module.css';
import { agentsApi, type RefusedReport, refusedQuery } from './agents-api';
import { MESSAGES } from './messages';

/** Reports of a printer that the server refused. Shown only if there are any. */
export function RefusedReports({ printerId }: { printerId: string }) {
  const { refused: messages } = useMessages(MESSAGES);
  const { data } = useQuery(refusedQuery(printerId));
  if (!data || data.items.length === 0) return null;
  return (
    <section>
      <Title order={2} size="h5">
        {messages.title}
      </Title>
      <Text size="sm" c="dimmed" mb="sm">
        {messages.lead}
      </Text>
      <ul className={classes.reports}>
        {data.items.map((refused) => (
          <Line key={refused.id} printerId={printerId} refused={refused} />
        ))}
      </ul>
    </section>
  );
}

/** A reason that only the owner of the sending program can change. */
const explain = (
  { code, can_retry, printer_id }: RefusedReport,
  messages: { ofGroup: string; conflict: string; unreadable: string },
): string | undefined => {
  if (code === 'idempotency_conflict') return messages.conflict;
  if (!can_retry) return messages.unreadable;
  return printer_id === null ? messages.ofGroup : undefined;
};

function Line({ printerId, refused }: { printerId: string; refused: RefusedReport }) {
  const { formatDateTime } = useI18n();
  const { refused: messages } = useMessages(MESSAGES);
  const { id, filename, agent_name, reason, received_count, last_received_at, can_retry, printer_id } = refused;
  const name = filename || messages.noFile;
  const retry = useApiMutation(
    [['reports']],
    () => agentsApi.retry(printerId, id),
    () => notifications.show({ message: messages.accepted(name) }),
  );
  const dismiss = useApiMutation([['reports']], () => agentsApi.dismiss(printerId, id));
  const hint = explain(refused, messages);
  return (
    <li className={`${classes.report} ${classes.refused}`} data-refused={id}>
      <span className={classes.file}>{name}</span>
      <time className={classes.when} dateTime={last_received_at}>
        {formatDateTime(last_received_at)}
      </time>
      <span className={classes.rest}>
        <span className={classes.reason}>{reason}</span>
        {hint !== undefined && <span className={classes.note}>{hint}</span>}
        <span className={classes.note}>
          {messages.from(agent_name)}
          {received_count > 1 && ` · ${messages.times(received_count)}`}
        </span>
      </span>
      <Group gap="xs" className={classes.actions}>
        {can_retry && (
          <Button
            size="compact-sm"
            variant="default"
            loading={retry.isPending}
            aria-label={`${printer_id === null ? messages.claim : messages.retry}: ${name}`}
            onClick={() => retry.mutate()}
          >
            {printer_id === null ? messages.claim : messages.retry}
          </Button>
        )}
        <ConfirmButton
          size="compact-sm"
          variant="subtle"
          color="gray"
          subject={name}
          question={messages.dismissAsk}
          loading={dismiss.isPending}
          onConfirm={() => dismiss.mutate()}
        >
          {messages.dismiss}
        </ConfirmButton>
      </Group>
    </li>
  );
}
