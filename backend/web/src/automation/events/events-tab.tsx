import { Button, Group, NativeSelect, Paper, Stack, Text } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useSearchParams } from 'wouter';
import { useMessages } from '../../i18n/i18n';
import { Empty, NotLoaded } from '../../ui/page';
import { EVENTS_PER_PAGE, type EventName, eventsQuery } from '../automation-api';
import { MESSAGES as CHANNEL_MESSAGES, EVENT_NAMES } from '../channels/messages';
import { EventEntry } from './event-entry';
import { MESSAGES } from './messages';

const isEventName = (text: string | null): text is EventName => EVENT_NAMES.includes(text as EventName);

export function EventsTab() {
  const messages = useMessages(MESSAGES);
  const { events } = useMessages(CHANNEL_MESSAGES);
  const [search, setSearch] = useSearchParams();
  const asked = search.get('event');
  const event = isEventName(asked) ? asked : null;
  const page = Math.max(1, Math.floor(Number(search.get('page'))) || 1);
  const { data, error, refetch } = useQuery({ ...eventsQuery(event, page), placeholderData: keepPreviousData });

  const go = (to: { event?: EventName | null; page?: number }) => {
    const chosen = to.event === undefined ? event : to.event;
    setSearch(
      { ...(chosen === null ? {} : { event: chosen }), ...((to.page ?? 1) > 1 ? { page: String(to.page) } : {}) },
      { replace: true },
    );
  };

  return (
    <Stack>
      <Group justify="space-between" align="flex-end">
        <Text size="sm" c="dimmed" maw={640}>
          {messages.lead}
        </Text>
        <NativeSelect
          label={messages.filter}
          value={event ?? ''}
          onChange={({ currentTarget: { value } }) => go({ event: isEventName(value) ? value : null })}
          data={[
            { value: '', label: messages.all },
            ...EVENT_NAMES.map((name) => ({ value: name, label: `${events[name]} (${name})` })),
          ]}
        />
      </Group>
      {!data ? (
        <NotLoaded error={error} retry={refetch} />
      ) : data.items.length === 0 ? (
        <Empty title={messages.emptyTitle} lead={event === null ? messages.emptyLead : messages.emptyFiltered} />
      ) : (
        <>
          <Paper withBorder component="ul" p={0} m={0} aria-label={messages.list} style={{ listStyle: 'none' }}>
            {data.items.map((entry) => (
              <EventEntry key={entry.id} entry={entry} />
            ))}
          </Paper>
          <Pages page={page} total={data.total} shown={data.items.length} go={(to) => go({ page: to })} />
        </>
      )}
    </Stack>
  );
}

interface Pages {
  page: number;
  total: number;
  shown: number;
  go(page: number): void;
}

function Pages({ page, total, shown, go }: Pages) {
  const messages = useMessages(MESSAGES);
  const before = (page - 1) * EVENTS_PER_PAGE;
  return (
    <Group component="nav" justify="space-between" aria-label={messages.pages}>
      <Button size="xs" variant="default" disabled={page === 1} onClick={() => go(page - 1)}>
        {messages.newer}
      </Button>
      <Text size="sm">{messages.shown(before + 1, before + shown, total)}</Text>
      <Button size="xs" variant="default" disabled={before + shown >= total} onClick={() => go(page + 1)}>
        {messages.older}
      </Button>
    </Group>
  );
}
