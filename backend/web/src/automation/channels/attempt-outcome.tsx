import { Group, Text } from '@mantine/core';
import { IconAlertTriangle, IconCheck } from '@tabler/icons-react';
import { useSpeech, useWordsOf } from '../../i18n/i18n';
import classes from '../automation.module.css';
import type { Attempt } from '../automation-api';
import { WORDS } from './messages';

/** How an attempt ended, for a person: status and time, and of a failure what to do. */
export function Outcome({
  attempt,
  withTime,
}: {
  attempt: Pick<Attempt, 'status' | 'response_status' | 'error' | 'duration_ms'>;
  withTime?: boolean;
}) {
  const { number } = useSpeech();
  const words = useWordsOf(WORDS);
  const { status, response_status, error, duration_ms } = attempt;
  const hasSucceeded = status === 'succeeded';
  const facts = [
    hasSucceeded ? words.arrived : words.failed,
    response_status !== null && words.status(response_status),
    withTime && words.ms(number(duration_ms)),
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
          <Text size="sm">
            {words.errors[error]} <code>{error}</code>
          </Text>
        )}
      </div>
    </Group>
  );
}
