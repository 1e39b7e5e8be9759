import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Problem } from '../../api/client';
import { newKey } from '../../api/ids';
import { changesOf } from '../../drafts/changes';
import type { FieldNames } from '../../drafts/draft-banner';
import { saveMerged } from '../../drafts/save-merged';
import { useDraftForm } from '../../drafts/use-draft-form';
import { useMessages } from '../../i18n/i18n';
import { showFaults } from '../../ui/show-faults';
import { automation, type Channel, type ChoosableEvent, type CreatedChannel, channelsQuery } from '../automation-api';
import { MESSAGES } from './messages';

interface Values {
  format: Channel['format'];
  url: string;
  name: string;
  events: ChoosableEvent[];
}

// the default selection, and the only events before channels had a choice
const USUAL: ChoosableEvent[] = ['order.created', 'order.status_changed'];

const NEW: Values = { format: 'signed', url: '', name: '', events: USUAL };

/** Adds what people leave out of an address: `http://`, and `https://` for chat services. */
export function withScheme(typed: string, format: Channel['format']): string {
  const url = typed.trim();
  if (url === '' || url.includes('://')) return url;
  return `${format === 'signed' ? 'http' : 'https'}://${url}`;
}

const toValues = ({ format, url, name, events }: Channel): Values => ({ format, url, name, events });

const toNewChannel = ({ name, format, url, events }: Values) => ({
  format,
  url,
  events,
  enabled: true,
  ...(name && { name }),
});

/** Only the edited fields. The URL is displayed masked, so it must not be sent back unchanged. */
function toPatch(values: Values, before: Values) {
  const { url, name, events } = changesOf(values, before);
  return {
    ...(url !== undefined && { url }),
    ...(name && { name }),
    ...(events && { events }),
  };
}

/**
 * The form of a channel: what it contains, what is wrong with it, and saving it.
 * @param channel undefined for a new one
 * @param saved called with the channel if it is new
 */
export function useChannelForm(channel: Channel | undefined, saved: (created: CreatedChannel | undefined) => void) {
  const messages = useMessages(MESSAGES);
  const client = useQueryClient();
  const [key, setKey] = useState(newKey);
  // not kept: the address of a chat is a secret
  const draft = useDraftForm<Values>(`channel:${channel?.id}`, channel ? toValues(channel) : NEW, {
    isNew: channel === undefined,
    isKept: false,
    validate: {
      url: (url, { format }) => (/^https?:\/\/./.test(withScheme(url, format)) ? null : messages.urlRule),
      events: (events) => (events.length > 0 ? null : messages.eventsRule),
    },
  });
  const { form, initial } = draft;

  const update = (channel: Channel, values: Values) =>
    saveMerged({
      record: channel,
      initial,
      values,
      toValues,
      send: (expected) => automation.updateChannel(channel.id, toPatch(values, initial), expected),
      async readAgain() {
        const { items } = await client.fetchQuery({ ...channelsQuery, staleTime: 0 });
        return items.find(({ id }) => id === channel.id) ?? channel;
      },
    });

  const save = useMutation({
    async mutationFn(typed: Values) {
      const values = { ...typed, url: withScheme(typed.url, typed.format), name: typed.name.trim() };
      if (!channel) return automation.createChannel(toNewChannel(values), key);
      await update(channel, values);
      return undefined;
    },
    // the response contains the secret, so it must not stay in the mutation cache
    gcTime: 0,
    onSuccess: saved,
    onError(error) {
      if (!(error instanceof Problem)) return;
      if (error.status > 0) setKey(newKey());
      if (error.code === 'blocked_address') form.setFieldError('url', messages.blocked);
      else showFaults(form, error);
    },
    onSettled: () => client.invalidateQueries({ queryKey: channelsQuery.queryKey }),
  });

  /** The fields as a conflict shows them. */
  const fields: FieldNames<Values> = {
    url: { label: messages.url },
    name: { label: messages.name },
    events: { label: messages.chosen, show: ({ events }) => events.map((event) => messages.events[event]).join('\n') },
  };

  return { draft, fields, save };
}
