import { Alert, Button, Code, Group, Stack, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useI18n, useMessages } from '../../i18n/i18n';
import { CopyText } from '../../ui/copy-text';
import { NotLoaded } from '../../ui/page';
import classes from '../automation.module.css';
import { type AttemptError, type Delivery, type EventName, sentQuery } from '../automation-api';
import { AttemptOutcome } from '../channels/attempt-outcome';
import { MESSAGES } from './messages';

/** Deliveries in these states never sent a request. */
const NEVER_SENT: ReadonlySet<AttemptError | null> = new Set<AttemptError>([
  'expired',
  'channel_disabled',
  'secret_lost',
  'unsubscribed',
]);

export function DeliveryLine({ delivery, event }: { delivery: Delivery; event: EventName }) {
  const { formatTimestamp } = useI18n();
  const messages = useMessages(MESSAGES);
  const [isOpen, sent] = useDisclosure(false);
  const { id, subscription_name, status, attempted_at, duration_ms } = delivery;
  const hasEnded = status === 'succeeded' || status === 'failed';
  return (
    <div className={classes.entry} data-delivery={event} style={{ paddingInline: 0 }}>
      <Group gap="xs" justify="space-between" align="flex-start">
        <div className={classes.wrap}>
          <Text size="sm" fw={500}>
            {subscription_name}
          </Text>
          {hasEnded ? (
            <AttemptOutcome attempt={{ ...delivery, status, duration_ms: duration_ms ?? 0 }} withTime />
          ) : (
            <Text size="sm">{messages.statuses[status]}</Text>
          )}
          {attempted_at !== null && (
            <Text size="xs" c="dimmed">
              {formatTimestamp(attempted_at)}
            </Text>
          )}
        </div>
        {id !== null && (
          <Button
            size="compact-xs"
            variant="default"
            aria-expanded={isOpen}
            aria-label={`${isOpen ? messages.hide : messages.asSent}: ${subscription_name}`}
            onClick={sent.toggle}
          >
            {isOpen ? messages.hide : messages.asSent}
          </Button>
        )}
      </Group>
      {isOpen && id !== null && <SentRequest id={id} wasSent={!NEVER_SENT.has(delivery.error)} />}
    </div>
  );
}

function SentRequest({ id, wasSent }: { id: string; wasSent: boolean }) {
  const messages = useMessages(MESSAGES);
  const { data, error, refetch } = useQuery(sentQuery(id));
  if (!data) return <NotLoaded error={error} retry={refetch} lines={2} />;
  const headers = Object.entries(data.headers)
    .map(([name, value]) => `${name}: ${value}`)
    .join('\n');
  return (
    <Stack gap="xs" mt="xs">
      {!wasSent && <Text size="sm">{messages.notSent}</Text>}
      <CopyText wraps label={messages.headers} text={headers} />
      {data.signature === 'unknown' && (
        <Alert color="gray" p="xs" c="inherit">
          <Code>X-Svc-Signature</Code> {messages.signatureUnknown}
        </Alert>
      )}
      <CopyText wraps label={messages.sentBody} text={data.body} />
    </Stack>
  );
}
