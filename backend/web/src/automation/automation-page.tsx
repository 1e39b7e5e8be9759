import { type ComponentType, lazy, Suspense } from 'react';
import { Link, Redirect, Route, Switch, useRoute } from 'wouter';
import { useSpeech, useWordsOf } from '../language';
import { Loading, Page } from '../page';
import classes from './automation.module.css';
import { ChannelsTab } from './channels/channels-tab';
import { WORDS } from './words';

const tab = <Name extends string>(load: () => Promise<Record<Name, ComponentType>>, name: Name) =>
  lazy(async () => ({ default: (await load())[name] }));

const TABS = [
  { name: 'channels', Tab: ChannelsTab },
  { name: 'tokens', Tab: tab(() => import('./tokens/tokens-tab'), 'TokensTab') },
  { name: 'connect', Tab: tab(() => import('./connect/connect-tab'), 'ConnectTab') },
  { name: 'events', Tab: tab(() => import('./events/events-tab'), 'EventsTab') },
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
      <Suspense fallback={<Loading />}>
        <Switch>
          {TABS.map(({ name, Tab }) => (
            <Route key={name} path={`/automation/${name}`} component={Tab} />
          ))}
          <Route>
            <Redirect to="/automation/channels" replace />
          </Route>
        </Switch>
      </Suspense>
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
