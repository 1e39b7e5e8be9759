import { Anchor, Button, Group, Paper, Stack, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Link, useLocation } from 'wouter';
import { formatError } from '../i18n/format-error';
import { useI18n, useMessages } from '../i18n/i18n';
import { ConfirmButton } from '../ui/confirm-button';
import { IconDownload, IconMail } from '../ui/icons.tsx';
import { RecordPage } from '../ui/page';
import { MESSAGES } from './messages';
import classes from './requests.module.css';
import { fileAddress, type Lead, type LeadState, leadQuery, leadsApi } from './requests-api';
import { StateBadge } from './state-badge';

/** `/requests/<id>`: a request and its actions. */
export function RequestPage({ id }: { id: string }) {
  const { messages } = useI18n();
  const pageMessages = useMessages(MESSAGES);
  return (
    <RecordPage
      id={id}
      query={leadQuery(id)}
      title={() => messages.nav.requests}
      part={({ client_email }) => pageMessages.from(client_email)}
      back={{ href: '/requests', label: pageMessages.back }}
      isMissing={pageMessages.gone}
    >
      {(lead) => <Detail lead={lead} />}
    </RecordPage>
  );
}

/** A mailto link with address and subject filled in. */
const mailTo = (email: string, subject: string) =>
  `mailto:${encodeURIComponent(email).replaceAll('%40', '@')}?subject=${encodeURIComponent(subject)}`;

function Detail({ lead }: { lead: Lead }) {
  const pageMessages = useMessages(MESSAGES);
  const { formatDateTime } = useI18n();
  const given = (text: string) => text || <span className={classes.soft}>{pageMessages.notGiven}</span>;
  return (
    <Paper withBorder radius="md" p="md">
      <Stack gap="md">
        <Group gap="xs">
          <StateBadge state={lead.state} />
          <Text size="sm" className={classes.soft}>
            {pageMessages.received}: {formatDateTime(lead.created_at)}
          </Text>
        </Group>
        <Text className={classes.text}>{lead.description}</Text>
        <Stack gap={6}>
          <Fact name={pageMessages.email}>
            <Anchor href={mailTo(lead.client_email, pageMessages.subject)} underline="always">
              {lead.client_email}
            </Anchor>
          </Fact>
          <Fact name={pageMessages.contact}>{given(lead.contact)}</Fact>
          <Fact name={pageMessages.budget}>{given(lead.budget)}</Fact>
          <Fact name={pageMessages.deadline}>{given(lead.deadline)}</Fact>
          {lead.file && (
            <Fact name={pageMessages.file}>
              <Attachment id={lead.id} file={lead.file} />
            </Fact>
          )}
          {lead.order_id && (
            <Fact name={pageMessages.order}>
              <Anchor component={Link} href={`/?order=${lead.order_id}`} underline="always">
                {pageMessages.openOrder}
              </Anchor>
            </Fact>
          )}
        </Stack>
        <Actions lead={lead} />
      </Stack>
    </Paper>
  );
}

const Fact = ({ name, children }: { name: string; children: ReactNode }) => (
  <Group gap="xs" align="baseline" wrap="nowrap">
    <Text size="sm" w={92} className={classes.soft} style={{ flexShrink: 0 }}>
      {name}
    </Text>
    <Text component="div" className={classes.text} miw={0}>
      {children}
    </Text>
  </Group>
);

function Attachment({ id, file }: { id: string; file: NonNullable<Lead['file']> }) {
  const pageMessages = useMessages(MESSAGES);
  const { formatNumber } = useI18n();
  const size =
    file.bytes < 1_000_000
      ? pageMessages.kb(formatNumber(Math.max(1, Math.round(file.bytes / 1000))))
      : pageMessages.mb(formatNumber(file.bytes / 1_000_000));
  return (
    <Anchor href={fileAddress(id)} download={file.name} underline="always">
      <IconDownload size={16} role="img" aria-label={pageMessages.download} style={{ verticalAlign: '-0.15em' }} />{' '}
      {file.name} ({size})
    </Anchor>
  );
}

function Actions({ lead }: { lead: Lead }) {
  const pageMessages = useMessages(MESSAGES);
  const { messages, language } = useI18n();
  const client = useQueryClient();
  const [, go] = useLocation();
  const fail = (error: Error) => notifications.show({ color: 'red', message: formatError(error, messages) });
  // also refetched here in case live updates are disconnected
  const refresh = () => client.invalidateQueries({ queryKey: ['leads'] });
  const setState = useMutation({
    mutationFn: (state: LeadState) => leadsApi.setState(lead.id, state),
    onSuccess: refresh,
    onError: fail,
  });
  const toOrder = useMutation({
    mutationFn: () => leadsApi.toOrder(lead.id, language),
    async onSuccess({ order_id }) {
      await refresh();
      go(`/?order=${order_id}`);
    },
    onError: fail,
  });
  const remove = useMutation({
    mutationFn: () => leadsApi.remove(lead.id),
    async onSuccess() {
      notifications.show({ message: pageMessages.deleted });
      client.removeQueries({ queryKey: ['leads', 'one', lead.id] });
      go('/requests');
      await refresh();
    },
    onError: fail,
  });
  const isArchived = lead.state === 'archived';
  return (
    <Group gap="xs">
      {!lead.order_id && (
        <Button size="xs" loading={toOrder.isPending} onClick={() => toOrder.mutate()}>
          {pageMessages.toOrder}
        </Button>
      )}
      <Button
        component="a"
        href={mailTo(lead.client_email, pageMessages.subject)}
        size="xs"
        variant="default"
        leftSection={<IconMail size={16} aria-hidden />}
      >
        {pageMessages.reply}
      </Button>
      {lead.state !== 'answered' && !isArchived && (
        <Button size="xs" variant="default" onClick={() => setState.mutate('answered')}>
          {pageMessages.markAnswered}
        </Button>
      )}
      {lead.state === 'answered' && (
        <Button size="xs" variant="default" onClick={() => setState.mutate('new')}>
          {pageMessages.markNew}
        </Button>
      )}
      <Button size="xs" variant="default" onClick={() => setState.mutate(isArchived ? 'answered' : 'archived')}>
        {isArchived ? pageMessages.unarchive : pageMessages.archive}
      </Button>
      <ConfirmButton question={pageMessages.deleteAsk} loading={remove.isPending} onConfirm={() => remove.mutate()}>
        {pageMessages.delete}
      </ConfirmButton>
    </Group>
  );
}
