import { useSpeech } from '../language';
import { Page } from '../page';

export function StockPage() {
  const { words } = useSpeech();
  return <Page title={words.nav.stock} />;
}
