import { Anchor, Button, Group, Paper, Stack, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { IconDownload, IconMail } from '@tabler/icons-react';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Link, useLocation } from 'wouter';
import { AskFirst } from '../ui/confirm-button';
import { useSpeech, useWordsOf } from '../i18n/i18n';
import { RecordPage } from '../ui/page';
import { sayProblem } from '../api/format-error';
import classes from './requests.module.css';
import { fileAddress, type Lead, type LeadState, leadQuery, leadsApi } from './requests-api';
import { StateBadge } from './state-badge';
import { WORDS } from './messages';

/** `/requests/<id>`: one request with everything that was sent, and what its owner can do with it. */
export function RequestPage({ id }: { id: string }) {
  const { words } = useSpeech();
  const own = useWordsOf(WORDS);
  return (
    <RecordPage
      id={id}
      query={leadQuery(id)}
      title={() => words.nav.requests}
      back={{ href: '/requests', label: own.back }}
      gone={own.gone}
    >
      {(lead) => <Detail lead={lead} />}
    </RecordPage>
  );
}

/** Opens the owner's own mail program with the address filled in. */
const mailTo = (email: string, subject: string) =>
  `mailto:${encodeURIComponent(email).replaceAll('%40', '@')}?subject=${encodeURIComponent(subject)}`;

function Detail({ lead }: { lead: Lead }) {
  const own = useWordsOf(WORDS);
  const { moment } = useSpeech();
  const given = (text: string) => text || <span className={classes.soft}>{own.notGiven}</span>;
  return (
    <Paper withBorder radius="md" p="md">
      <Stack gap="md">
        <Group gap="xs">
          <StateBadge state={lead.state} />
          <Text size="sm" className={classes.soft}>
            {own.received}: {moment(lead.created_at)}
          </Text>
        </Group>
        <Text className={classes.text}>{lead.description}</Text>
        <Stack gap={6}>
          <Fact name={own.email}>
            <Anchor href={mailTo(lead.client_email, own.subject)} underline="always">
              {lead.client_email}
            </Anchor>
          </Fact>
          <Fact name={own.contact}>{given(lead.contact)}</Fact>
          <Fact name={own.budget}>{given(lead.budget)}</Fact>
          <Fact name={own.deadline}>{given(lead.deadline)}</Fact>
          {lead.file && (
            <Fact name={own.file}>
              <Attachment id={lead.id} file={lead.file} />
            </Fact>
          )}
          {lead.order_id && (
            <Fact name={own.order}>
              <Anchor component={Link} href={`/?order=${lead.order_id}`} underline="always">
                {own.openOrder}
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
  const own = useWordsOf(WORDS);
  const { number } = useSpeech();
  const size =
    file.bytes < 1_000_000
      ? own.kb(number(Math.max(1, Math.round(file.bytes / 1000))))
      : own.mb(number(file.bytes / 1_000_000));
  return (
    <Anchor href={fileAddress(id)} download={file.name} underline="always">
      <IconDownload size={16} role="img" aria-label={own.download} style={{ verticalAlign: '-0.15em' }} /> {file.name} (
      {size})
    </Anchor>
  );
}

function Actions({ lead }: { lead: Lead }) {
  const own = useWordsOf(WORDS);
  const { words, language } = useSpeech();
  const client = useQueryClient();
  const [, go] = useLocation();
  const fail = (error: Error) => notifications.show({ color: 'red', message: sayProblem(error, words) });
  // also where live updates do not reach this page
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
      notifications.show({ message: own.deleted });
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
          {own.toOrder}
        </Button>
      )}
      <Button
        component="a"
        href={mailTo(lead.client_email, own.subject)}
        size="xs"
        variant="default"
        leftSection={<IconMail size={16} aria-hidden />}
      >
        {own.reply}
      </Button>
      {lead.state !== 'answered' && !isArchived && (
        <Button size="xs" variant="default" onClick={() => setState.mutate('answered')}>
          {own.markAnswered}
        </Button>
      )}
      {lead.state === 'answered' && (
        <Button size="xs" variant="default" onClick={() => setState.mutate('new')}>
          {own.markNew}
        </Button>
      )}
      <Button size="xs" variant="default" onClick={() => setState.mutate(isArchived ? 'answered' : 'archived')}>
        {isArchived ? own.unarchive : own.archive}
      </Button>
      <AskFirst question={own.deleteAsk} loading={remove.isPending} act={() => remove.mutate()}>
        {own.delete}
      </AskFirst>
    </Group>
  );
}
