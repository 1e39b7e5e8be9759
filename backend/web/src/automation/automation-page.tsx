import { Link, Redirect, Route, Switch, useRoute } from 'wouter';
import { useSpeech, useWordsOf } from '../i18n/i18n';
import { Loading, Page } from '../ui/page';
import { part } from '../ui/lazy-part';
import classes from './automation.module.css';
import { ChannelsTab } from './channels/channels-tab';
import { WORDS } from './messages';

const waiting = <Loading />;

const TABS = [
  { name: 'channels', Tab: ChannelsTab },
  { name: 'tokens', Tab: part('tokens', async () => (await import('./tokens/tokens-tab')).TokensTab, { waiting }) },
  {
    name: 'connect',
    Tab: part('connect', async () => (await import('./connect/connect-tab')).ConnectTab, { waiting }),
  },
  { name: 'events', Tab: part('events', async () => (await import('./events/events-tab')).EventsTab, { waiting }) },
] as const;

export function AutomationPage() {
  const { words } = useSpeech();
  const own = useWordsOf(WORDS);
  return (
    <Page title={words.nav.automation}>
      <nav aria-label={own.tabs} className={classes.tabs}>
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
  const words = useWordsOf(WORDS);
  const path = `/automation/${name}`;
  const [isHere] = useRoute(path);
  return (
    <Link href={path} className={classes.tab} aria-current={isHere ? 'page' : undefined}>
      {words[name]}
    </Link>
  );
}
