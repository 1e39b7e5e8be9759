import { Anchor, Radio, Stack, Text } from '@mantine/core';
import { useI18n, useMessages } from '../../i18n/i18n';
import classes from '../automation.module.css';
import type { Channel } from '../automation-api';
import { usePrinterNames } from './channel-options';
import { MESSAGES } from './messages';

/** What is wrong with a channel: how many attempts failed, why, and whether that paused it. */
export function ChannelHealth({ channel }: { channel: Channel }) {
  const { formatTimestamp } = useI18n();
  const messages = useMessages(MESSAGES);
  const { consecutive_failures, last_success_at, last_error, paused_at } = channel;
  if (last_error === 'secret_lost') return <Line>{messages.errors.secret_lost}</Line>;
  const succeeded = last_success_at !== null && messages.lastSuccess(formatTimestamp(last_success_at));
  const failed = consecutive_failures > 0 && messages.failedInARow(consecutive_failures);
  return (
    <>
      <Line>{[failed, succeeded].filter(Boolean).join(' · ')}</Line>
      {paused_at !== null && (
        <Line>
          {messages.pausedSince(formatTimestamp(paused_at))} {last_error !== null && messages.errors[last_error]}
        </Line>
      )}
    </>
  );
}

const Line = ({ children }: { children: React.ReactNode }) => (
  <Text size="sm" className={classes.wrap}>
    {children}
  </Text>
);

/** Which events a channel is limited to, and its extra header. */
export function ChannelLimits({ channel: { filter, header } }: { channel: Channel }) {
  const { messages: appMessages } = useI18n();
  const messages = useMessages(MESSAGES);
  const nameOf = usePrinterNames();
  const lists = [
    filter?.workflow_status?.map((status) => appMessages.status[status]),
    filter?.printer_id?.map(nameOf),
    filter?.material_name,
  ];
  const only = lists.flatMap((list) => (list ? [list.join(', ')] : []));
  return (
    <>
      {only.length > 0 && <Line>{messages.only(only.join(' · '))}</Line>}
      {header && <Line>{messages.withHeader(header.name)}</Line>}
    </>
  );
}

/** Names the first event that a channel missed while it was off. */
export function FirstMissed({ event, time }: { event: string; time: string }) {
  const messages = useMessages(MESSAGES);
  return (
    <>
      {messages.firstMissed(event, time)} <Anchor href="/console/automation/events">{messages.toEvents}</Anchor>
    </>
  );
}

const OVERLAP_HOURS = ['0', '1', '24', '168'] as const;

/** Asked before a new secret is made: how long the old one stays valid. */
export function OverlapChoice({ hours, setHours }: { hours: string; setHours(hours: string): void }) {
  const messages = useMessages(MESSAGES);
  return (
    <Stack gap="xs">
      <Radio.Group label={messages.overlap} value={hours} onChange={setHours}>
        <Stack gap={6} mt={6}>
          {OVERLAP_HOURS.map((value) => (
            <Radio key={value} value={value} label={messages.overlaps[value]} />
          ))}
        </Stack>
      </Radio.Group>
      {hours === '0' ? messages.recreateAsk : messages.recreateLaterAsk}
    </Stack>
  );
}
