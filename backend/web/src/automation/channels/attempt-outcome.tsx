import { Group, Text } from '@mantine/core';
import { useI18n, useMessages } from '../../i18n/i18n';
import { IconAlertTriangle, IconCheck } from '../../ui/icons.tsx';
import classes from '../automation.module.css';
import type { Attempt } from '../automation-api';
import { MESSAGES } from './messages';

/** Result of an attempt: status and duration, and how to fix a failure. */
export function AttemptOutcome({
  attempt,
  withTime,
}: {
  attempt: Pick<Attempt, 'status' | 'response_status' | 'error' | 'duration_ms'>;
  withTime?: boolean;
}) {
  const { formatNumber } = useI18n();
  const messages = useMessages(MESSAGES);
  const { status, response_status, error, duration_ms } = attempt;
  const hasSucceeded = status === 'succeeded';
  const facts = [
    hasSucceeded ? messages.arrived : messages.failed,
    response_status !== null && messages.status(response_status),
    withTime && messages.ms(formatNumber(duration_ms)),
  ];
  return (
    <Group gap={6} align="flex-start" wrap="nowrap">
      {hasSucceeded ? (
        <IconCheck size={16} aria-hidden style={{ flex: 'none', marginTop: 3 }} />
      ) : (
        <IconAlertTriangle size={16} aria-hidden style={{ flex: 'none', marginTop: 3 }} />
      )}
      <div className={classes.wrap}>
        <Text size="sm" fw={500} component="span">
          {facts.filter(Boolean).join(' · ')}
        </Text>
        {error !== null && (
          // the code is for looking it up
          <Text size="sm" title={error}>
            {messages.errors[error]}
          </Text>
        )}
      </div>
    </Group>
  );
}
