import { Badge, Box, SegmentedControl, Stack, Text, UnstyledButton } from '@mantine/core';
import { memo, useState } from 'react';
import { useI18n, useMessages } from '../../i18n/i18n';
import { CopyText } from '../../ui/copy-text';
import facts from '../../ui/facts.module.css';
import { IconChevronDown, IconChevronRight } from '../../ui/icons.tsx';
import classes from '../automation.module.css';
import type { Delivery, EventEntry as Entry } from '../automation-api';
import { DeliveryLine } from './delivery-line';
import { MESSAGES } from './messages';

/** One event as a collapsible line. Expanded, it shows the body and each delivery. */
export const EventEntry = memo(function EventEntry({ entry }: { entry: Entry }) {
  const { formatTimestamp } = useI18n();
  const [isOpen, setOpen] = useState(false);
  const time = formatTimestamp(entry.occurred_at);
  return (
    <li className={classes.entry} data-event={entry.id}>
      <UnstyledButton className={classes.entryHead} aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        {isOpen ? <IconChevronDown size={16} aria-hidden /> : <IconChevronRight size={16} aria-hidden />}
        <Text size="sm" c="dimmed" style={{ fontVariantNumeric: 'tabular-nums' }}>
          {time}
        </Text>
        <code>{entry.event}</code>
        <Text size="sm" className={classes.wrap} flex="1 1 12rem">
          {summarize(entry.body)}
        </Text>
        <Receivers deliveries={entry.deliveries} />
      </UnstyledButton>
      {isOpen && <Details entry={entry} time={time} />}
    </li>
  );
});

/** A short description of the event's subject, from its data. */
function summarize(body: string): string {
  const { data } = JSON.parse(body) as { data: Record<string, unknown> };
  const { model_name, printer_name, name, number, contact, workflow_status } = data;
  const known = [model_name ?? name ?? number ?? contact ?? printer_name, workflow_status];
  return known.filter((part) => typeof part === 'string' && part !== '').join(' · ');
}

function Receivers({ deliveries }: { deliveries: Delivery[] }) {
  const messages = useMessages(MESSAGES);
  if (deliveries.length === 0) {
    return (
      <Text size="xs" c="dimmed">
        {messages.nobody}
      </Text>
    );
  }
  const failed = deliveries.filter(({ status }) => status === 'failed').length;
  const underWay = deliveries.filter(({ status }) => status === 'pending' || status === 'sending').length;
  return (
    <>
      <Badge variant="default" tt="none">
        {messages.receivers(deliveries.length)}
      </Badge>
      {failed > 0 && (
        <Badge color="red" autoContrast tt="none">
          {messages.failures(failed)}
        </Badge>
      )}
      {underWay > 0 && (
        <Badge color="yellow" autoContrast tt="none">
          {messages.underWay(underWay)}
        </Badge>
      )}
    </>
  );
}

function Details({ entry, time }: { entry: Entry; time: string }) {
  const messages = useMessages(MESSAGES);
  const [form, setForm] = useState('pretty');
  const pretty = JSON.stringify(JSON.parse(entry.body), null, 2);
  return (
    <Stack gap="sm" mt="xs" pl={{ base: 0, sm: 'lg' }}>
      <dl className={facts.facts}>
        <dt>{messages.when}</dt>
        <dd>
          {time} (<code>{entry.occurred_at}</code>)
        </dd>
        <dt>{messages.subject}</dt>
        <dd>
          <code>{entry.subject}</code>
        </dd>
        <dt>{messages.id}</dt>
        <dd>
          <code>{entry.id}</code>
        </dd>
      </dl>
      <Box>
        <SegmentedControl
          size="xs"
          mb="xs"
          aria-label={messages.form}
          value={form}
          onChange={setForm}
          data={[
            { value: 'pretty', label: messages.pretty },
            { value: 'exact', label: messages.exact },
          ]}
        />
        <CopyText wraps label={messages.body} text={form === 'pretty' ? pretty : entry.body} />
      </Box>
      <section aria-label={messages.receivedBy}>
        <Text size="sm" fw={600}>
          {messages.receivedBy}
        </Text>
        {entry.deliveries.length === 0 ? (
          <Text size="sm">
            {messages.nobody}. {messages.gone}
          </Text>
        ) : (
          entry.deliveries.map((delivery, index) => (
            // a pending delivery has no ID yet and keeps its position when it gets one
            // biome-ignore lint/suspicious/noArrayIndexKey: the order never changes
            <DeliveryLine key={index} delivery={delivery} event={entry.event} />
          ))
        )}
      </section>
    </Stack>
  );
}
