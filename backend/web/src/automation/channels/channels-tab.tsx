import { Button, Group, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useMessages } from '../../i18n/i18n';
import { IconPlus } from '../../ui/icons.tsx';
import { OneTimeSecret } from '../../ui/one-time-secret';
import { Empty, NotLoaded } from '../../ui/page';
import { type Channel, channelsQuery, MAX_CHANNELS } from '../automation-api';
import { ChannelCard } from './channel-card';
import { ChannelForm } from './channel-form';
import { MESSAGES } from './messages';

export function ChannelsTab() {
  const messages = useMessages(MESSAGES);
  /** the channel being edited; `new` while creating one */
  const [edited, setEdited] = useState<Channel | 'new'>();
  // kept only in this component's state, never stored
  const [shown, setShown] = useState<{ name: string; secret: string }>();
  const { data, error, refetch } = useQuery(channelsQuery);
  if (!data) return <NotLoaded error={error} retry={refetch} />;
  const isFull = data.total >= MAX_CHANNELS;
  // as it is now, because the form merges what others change
  const current = data.items.find(({ id }) => edited !== 'new' && id === edited?.id);
  const create = (
    <Button
      leftSection={<IconPlus size={16} aria-hidden />}
      disabled={isFull}
      onClick={() => setEdited('new')}
      w="fit-content"
    >
      {messages.newChannel}
    </Button>
  );
  return (
    <>
      {data.total === 0 ? (
        <Empty title={messages.emptyTitle} lead={messages.lead}>
          {create}
        </Empty>
      ) : (
        <Stack>
          <Group justify="space-between">
            <Text size="sm">{isFull ? messages.full(MAX_CHANNELS) : messages.count(data.total, MAX_CHANNELS)}</Text>
            {create}
          </Group>
          <Stack component="ul" gap="sm" p={0} m={0} aria-label={messages.list} style={{ listStyle: 'none' }}>
            {data.items.map((channel) => (
              <ChannelCard
                key={channel.id}
                channel={channel}
                edit={() => setEdited(channel)}
                showSecret={(secret) => setShown({ name: channel.name, secret })}
              />
            ))}
          </Stack>
        </Stack>
      )}
      <ChannelForm
        channel={current ?? edited}
        close={() => setEdited(undefined)}
        onCreated={({ name, secret }) => secret !== undefined && setShown({ name, secret })}
      />
      <OneTimeSecret
        title={messages.secretTitle(shown?.name ?? '')}
        label={messages.secret}
        secret={shown?.secret}
        done={() => setShown(undefined)}
      />
    </>
  );
}
