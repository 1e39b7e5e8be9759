import { useSpeech } from '../language';
import { Page } from '../page';

export function PrintersPage() {
  const { words } = useSpeech();
  return <Page title={words.nav.printers} />;
}
