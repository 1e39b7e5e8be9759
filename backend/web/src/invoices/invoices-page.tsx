import { useRoute } from 'wouter';
import { InvoiceList } from './invoice-list';
import { InvoicePage } from './invoice-page';
import { InvoiceSettings } from './settings';

export function InvoicesPage() {
  const [, params] = useRoute('/invoices/:id');
  if (!params) return <InvoiceList />;
  return params.id === 'settings' ? <InvoiceSettings /> : <InvoicePage key={params.id} id={params.id} />;
}
