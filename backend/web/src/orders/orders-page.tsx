import { useSpeech } from '../language';
import { Page } from '../page';

export function OrdersPage() {
  const { words } = useSpeech();
  return <Page title={words.nav.orders} />;
}
