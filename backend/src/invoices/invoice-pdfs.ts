import type { Storage } from '../storage/open.ts';
import type { InvoiceDocument } from './document.ts';
import * as store from './invoice-store.ts';

/**
 * The PDFs of issued invoices. As a document is frozen, its PDF is rendered once, when it is first requested, and stored.
 * Renderings of this process run one after the other.
 */
export function createInvoicePdfs({
  storage,
  renderPdf,
}: {
  storage: Storage;
  renderPdf(document: InvoiceDocument): Promise<Buffer>;
}) {
  /** by invoice; concurrent requests of one share it */
  const running = new Map<string, Promise<Buffer>>();
  let last: Promise<unknown> = Promise.resolve();

  async function renderAndStore(id: string): Promise<Buffer> {
    const document = JSON.parse((await store.findDocument(storage.read, id)) as string) as InvoiceDocument;
    const pdf = await renderPdf(document);
    await storage.inTransaction(({ db }) => store.insertPdf(db, id, pdf));
    return pdf;
  }

  async function findOrRender(id: string): Promise<Buffer> {
    const stored = await store.findPdf(storage.read, id);
    if (stored) return stored;
    const rendered = last.then(() => renderAndStore(id));
    last = rendered.catch(() => undefined);
    return rendered;
  }

  /** @param id an issued invoice */
  return function pdfOf(id: string): Promise<Buffer> {
    const pdf = running.get(id) ?? findOrRender(id).finally(() => running.delete(id));
    running.set(id, pdf);
    return pdf;
  };
}
