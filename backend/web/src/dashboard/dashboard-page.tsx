import { useSpeech } from '../language';
import { Page } from '../page';

export function DashboardPage() {
  const { words } = useSpeech();
  return <Page title={words.nav.dashboard} />;
}
