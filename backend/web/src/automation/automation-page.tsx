import { useSpeech } from '../language';
import { Page } from '../page';

export function AutomationPage() {
  const { words } = useSpeech();
  return <Page title={words.nav.automation} />;
}
