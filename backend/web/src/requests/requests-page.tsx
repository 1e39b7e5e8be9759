import { Badge, Button, Group, SegmentedControl, Text } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Link, Route, Switch } from 'wouter';
import { useI18n, useMessages } from '../i18n/i18n';
import { IconId, IconPaperclip } from '../ui/icons.tsx';
import { Empty, NotLoaded, Page } from '../ui/page';
import { SearchBox } from '../ui/search-box';
import { MESSAGES } from './messages';
import { RequestPage } from './request-page';
import classes from './requests.module.css';
import { countsQuery, type Lead, type LeadState, leadsQuery, PER_PAGE, STATES } from './requests-api';
import { StateBadge } from './state-badge';

/** Requests from the public profile: the inbox and the page of one request. */
export function RequestsPage() {
  return (
    <Switch>
      <Route path="/requests/:id">{({ id }) => <RequestPage key={id} id={id} />}</Route>
      <Route>
        <Inbox />
      </Route>
    </Switch>
  );
}

function Inbox() {
  const { messages } = useI18n();
  const pageMessages = useMessages(MESSAGES);
  const [state, setState] = useState<LeadState | 'all'>('all');
  const [find, setFind] = useState('');
  const [page, setPage] = useState(1);
  const [q] = useDebouncedValue(find.trim().slice(0, 200), 200);
  const { data, error, refetch } = useQuery({ ...leadsQuery(state, q, page), placeholderData: keepPreviousData });
  const counts = useQuery(countsQuery).data;
  const all = counts && counts.new + counts.answered + counts.archived;
  const labelOf = (one: LeadState | 'all') => {
    const number = one === 'all' ? all : counts?.[one];
    return number ? `${pageMessages.states[one]} ${number}` : pageMessages.states[one];
  };
  return (
    <Page
      title={messages.nav.requests}
      actions={
        <Button
          component={Link}
          href="/profile"
          size="xs"
          variant="default"
          leftSection={<IconId size={16} aria-hidden />}
        >
          {pageMessages.profile}
        </Button>
      }
    >
      {all === 0 ? (
        <Empty title={pageMessages.empty} lead={pageMessages.emptyLead}>
          <Button component={Link} href="/profile" size="xs">
            {pageMessages.emptyAction}
          </Button>
        </Empty>
      ) : (
        <>
          <Group mb="sm" gap="sm">
            <SegmentedControl
              size="xs"
              aria-label={pageMessages.filter}
              value={state}
              onChange={(value) => {
                setState(value as LeadState | 'all');
                setPage(1);
              }}
              data={(['all', ...STATES] as const).map((value) => ({ value, label: labelOf(value) }))}
            />
            <SearchBox
              label={pageMessages.find}
              value={find}
              maxLength={200}
              onChange={(text) => {
                setFind(text);
                setPage(1);
              }}
            />
          </Group>
          {data ? (
            <>
              {data.items.length === 0 ? (
                <Text role="status">{pageMessages.nothing}</Text>
              ) : (
                <ul className={classes.list}>
                  {data.items.map((lead) => (
                    <Row key={lead.id} lead={lead} />
                  ))}
                </ul>
              )}
              {data.total > PER_PAGE && (
                <Group mt="sm" justify="center">
                  <Button size="xs" variant="default" disabled={page === 1} onClick={() => setPage(page - 1)}>
                    {pageMessages.previous}
                  </Button>
                  <Button
                    size="xs"
                    variant="default"
                    disabled={page * PER_PAGE >= data.total}
                    onClick={() => setPage(page + 1)}
                  >
                    {pageMessages.next}
                  </Button>
                </Group>
              )}
            </>
          ) : (
            <NotLoaded error={error} retry={refetch} />
          )}
        </>
      )}
    </Page>
  );
}

function Row({ lead }: { lead: Lead }) {
  const { formatDateTime } = useI18n();
  const messages = useMessages(MESSAGES);
  const [first = ''] = lead.description.split('\n');
  return (
    <li>
      <Link href={`/requests/${lead.id}`} className={`${classes.row} ${lead.state === 'new' ? classes.unread : ''}`}>
        <span className={classes.what}>{first}</span>
        <span className={classes.soft}>{formatDateTime(lead.created_at)}</span>
        <span className={`${classes.who} ${classes.soft}`}>{lead.contact || lead.client_email}</span>
        <Group gap={6} justify="flex-end" wrap="nowrap">
          {lead.file && <IconPaperclip size={16} role="img" aria-label={messages.hasFile} />}
          {lead.order_id && (
            <Badge size="sm" variant="outline" color="teal" c="inherit">
              {messages.order}
            </Badge>
          )}
          <StateBadge state={lead.state} />
        </Group>
      </Link>
    </li>
  );
}
