import { useRoute } from 'wouter';
import { FilamentPage } from './filament-page';
import { StockList } from './stock-list';

export function StockPage() {
  const [, params] = useRoute('/stock/:id');
  return params ? <FilamentPage key={params.id} id={params.id} /> : <StockList />;
}
