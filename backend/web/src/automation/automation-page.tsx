import { Link, Redirect, Route, Switch, useRoute } from 'wouter';
import { useI18n, useMessages } from '../i18n/i18n';
import { lazyPart } from '../ui/lazy-part';
import { Loading, Page } from '../ui/page';
import classes from './automation.module.css';
import { ChannelsTab } from './channels/channels-tab';
import { MESSAGES } from './messages';

const waiting = <Loading />;

const TABS = [
  { name: 'channels', Tab: ChannelsTab },
  { name: 'tokens', Tab: lazyPart('tokens', async () => (await import('./tokens/tokens-tab')).TokensTab, { waiting }) },
  {
    name: 'connect',
    Tab: lazyPart('connect', async () => (await import('./connect/connect-tab')).ConnectTab, { waiting }),
  },
  { name: 'events', Tab: lazyPart('events', async () => (await import('./events/events-tab')).EventsTab, { waiting }) },
] as const;

export function AutomationPage() {
  const { messages } = useI18n();
  const pageMessages = useMessages(MESSAGES);
  const [, params] = useRoute('/automation/:tab');
  const here = TABS.find(({ name }) => name === params?.tab);
  return (
    <Page title={messages.nav.automation} part={here && pageMessages[here.name]}>
      <nav aria-label={pageMessages.tabs} className={classes.tabs}>
        {TABS.map(({ name }) => (
          <TabLink key={name} name={name} />
        ))}
      </nav>
      <Switch>
        {TABS.map(({ name, Tab }) => (
          <Route key={name} path={`/automation/${name}`} component={Tab} />
        ))}
        <Route>
          <Redirect to="/automation/channels" replace />
        </Route>
      </Switch>
    </Page>
  );
}

function TabLink({ name }: { name: (typeof TABS)[number]['name'] }) {
  const messages = useMessages(MESSAGES);
  const path = `/automation/${name}`;
  const [isHere] = useRoute(path);
  return (
    <Link href={path} className={classes.tab} aria-current={isHere ? 'page' : undefined}>
      {messages[name]}
    </Link>
  );
}
