import { Alert, Button, Code, Group, Stack, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { CopyText } from '../../ui/copy-text';
import { useSpeech, useWordsOf } from '../../i18n/i18n';
import { Failed, Loading } from '../../ui/page';
import classes from '../automation.module.css';
import { type AttemptError, type Delivery, type EventName, sentQuery } from '../automation-api';
import { Outcome } from '../channels/attempt-outcome';
import { WORDS } from './messages';

/** Of these no byte ever left. */
const NEVER_SENT: ReadonlySet<AttemptError | null> = new Set<AttemptError>(['expired', 'channel_disabled']);

export function DeliveryLine({ delivery, event }: { delivery: Delivery; event: EventName }) {
  const { second } = useSpeech();
  const words = useWordsOf(WORDS);
  const [isOpen, sent] = useDisclosure(false);
  const { id, channel_name, status, attempted_at, duration_ms } = delivery;
  const hasEnded = status === 'succeeded' || status === 'failed';
  return (
    <div className={classes.entry} data-delivery={event} style={{ paddingInline: 0 }}>
      <Group gap="xs" justify="space-between" align="flex-start">
        <div className={classes.wrap}>
          <Text size="sm" fw={500}>
            {channel_name}
          </Text>
          {hasEnded ? (
            <Outcome attempt={{ ...delivery, status, duration_ms: duration_ms ?? 0 }} withTime />
          ) : (
            <Text size="sm">{words.statuses[status]}</Text>
          )}
          {attempted_at !== null && (
            <Text size="xs" c="dimmed">
              {second(attempted_at)}
            </Text>
          )}
        </div>
        {id !== null && (
          <Button
            size="compact-xs"
            variant="default"
            aria-expanded={isOpen}
            aria-label={`${isOpen ? words.hide : words.asSent}: ${channel_name}`}
            onClick={sent.toggle}
          >
            {isOpen ? words.hide : words.asSent}
          </Button>
        )}
      </Group>
      {isOpen && id !== null && <Sent id={id} wasSent={!NEVER_SENT.has(delivery.error)} />}
    </div>
  );
}

function Sent({ id, wasSent }: { id: string; wasSent: boolean }) {
  const words = useWordsOf(WORDS);
  const { data, error, refetch } = useQuery(sentQuery(id));
  if (!data) return error ? <Failed error={error} retry={refetch} /> : <Loading lines={2} />;
  const headers = Object.entries(data.headers)
    .map(([name, value]) => `${name}: ${value}`)
    .join('\n');
  return (
    <Stack gap="xs" mt="xs">
      {!wasSent && <Text size="sm">{words.notSent}</Text>}
      <CopyText wraps label={words.headers} text={headers} />
      {data.signature === 'unknown' && (
        <Alert color="gray" p="xs" c="inherit">
          <Code>X-Svc-Signature</Code> {words.signatureUnknown}
        </Alert>
      )}
      <CopyText wraps label={words.sentBody} text={data.body} />
    </Stack>
  );
}
