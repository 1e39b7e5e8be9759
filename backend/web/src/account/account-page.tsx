import { useSpeech } from '../language';
import { Page } from '../page';

export function AccountPage() {
  const { words } = useSpeech();
  return <Page title={words.nav.account} />;
}
