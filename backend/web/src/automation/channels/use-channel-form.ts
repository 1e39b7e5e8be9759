import { notifications } from '@mantine/notifications';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Problem } from '../../api/client';
import { newKey } from '../../api/ids';
import { changesOf } from '../../drafts/changes';
import type { FieldNames } from '../../drafts/draft-banner';
import { saveMerged } from '../../drafts/save-merged';
import { useDraftForm } from '../../drafts/use-draft-form';
import { useMessages } from '../../i18n/i18n';
import type { WorkflowStatus } from '../../order-data/orders-api';
import { showFaults } from '../../ui/show-faults';
import { automation, type Channel, type ChoosableEvent, type CreatedChannel, channelsQuery } from '../automation-api';
import { MESSAGES } from './messages';

/** What the API answers instead of the value of a header; sent back, it leaves the value as it is. */
export const MASKED_VALUE = '••••••••';

export interface Values {
  format: Channel['format'];
  url: string;
  name: string;
  events: ChoosableEvent[];
  filter: { workflow_status: WorkflowStatus[]; printer_id: string[]; material_name: string[] };
  /** empty: never */
  pause_after_failures: string;
  /** an empty name: none */
  header: { name: string; value: string };
}

// the default selection, and the only events before channels had a choice
const USUAL: ChoosableEvent[] = ['order.created', 'order.status_changed'];

const NO_FILTER = { workflow_status: [], printer_id: [], material_name: [] };
const NO_HEADER = { name: '', value: '' };

const NEW: Values = {
  format: 'signed',
  url: '',
  name: '',
  events: USUAL,
  filter: NO_FILTER,
  pause_after_failures: '',
  header: NO_HEADER,
};

/** Adds what people leave out of an address: `http://`, and `https://` for chat services. */
export function withScheme(typed: string, format: Channel['format']): string {
  const url = typed.trim();
  if (url === '' || url.includes('://')) return url;
  return `${format === 'signed' ? 'http' : 'https'}://${url}`;
}

const toValues = ({ format, url, name, events, filter, pause_after_failures: limit, header }: Channel): Values => ({
  format,
  url,
  name,
  events,
  filter: { ...NO_FILTER, ...filter },
  pause_after_failures: limit === null ? '' : String(limit),
  header: header ?? NO_HEADER,
});

/** Only the lists that have something; null if none has. */
function toFilter(filter: Values['filter']) {
  const lists = Object.entries(filter).filter(([, list]) => list.length > 0);
  return lists.length > 0 ? (Object.fromEntries(lists) as Partial<Values['filter']>) : null;
}

const toLimit = (typed: string): number | null => (typed === '' ? null : Number(typed));

const toHeader = ({ name, value }: Values['header']) => (name.trim() === '' ? null : { name: name.trim(), value });

const toNewChannel = ({ name, format, url, events, filter, pause_after_failures, header }: Values) => ({
  format,
  url,
  events,
  enabled: true,
  filter: toFilter(filter),
  pause_after_failures: toLimit(pause_after_failures),
  header: toHeader(header),
  ...(name && { name }),
});

/** Only the edited fields. The URL is displayed masked, so it must not be sent back unchanged. */
function toPatch(values: Values, before: Values) {
  const { url, name, events, filter, pause_after_failures, header } = changesOf(values, before);
  return {
    ...(url !== undefined && { url }),
    ...(name && { name }),
    ...(events && { events }),
    ...(filter && { filter: toFilter(filter) }),
    ...(pause_after_failures !== undefined && { pause_after_failures: toLimit(pause_after_failures) }),
    ...(header && { header: toHeader(header) }),
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

  /** Says which materials of the filter nothing has. */
  function warn({ warnings = [] }: Pick<CreatedChannel, 'warnings'>, { filter }: Values) {
    const unknown = warnings.map(({ pointer }) => filter.material_name[Number(pointer.split('/').at(-1))] ?? pointer);
    if (unknown.length > 0)
      notifications.show({ color: 'yellow', message: messages.unknownMaterials(unknown.join(', ')), autoClose: false });
  }

  const update = (channel: Channel, values: Values) =>
    saveMerged({
      record: channel,
      initial,
      values,
      toValues,
      async send(expected) {
        const updated = await automation.updateChannel(channel.id, toPatch(values, initial), expected);
        warn(updated, values);
        return updated;
      },
      async readAgain() {
        const { items } = await client.fetchQuery({ ...channelsQuery, staleTime: 0 });
        return items.find(({ id }) => id === channel.id) ?? channel;
      },
    });

  const save = useMutation({
    async mutationFn(typed: Values) {
      const values = { ...typed, url: withScheme(typed.url, typed.format), name: typed.name.trim() };
      if (!channel) {
        const created = await automation.createChannel(toNewChannel(values), key);
        warn(created, values);
        return created;
      }
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
    filter: { label: messages.filter, show: ({ filter }) => Object.values(filter).flat().join(', ') },
    pause_after_failures: { label: messages.pauseAfter },
    header: { label: messages.header, show: ({ header }) => header.name },
  };

  return { draft, fields, save };
}
