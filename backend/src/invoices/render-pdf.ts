import { Worker } from 'node:worker_threads';
import type { InvoiceDocument } from './document.ts';

/** Renders a document in a thread of its own, because a long one takes longer than other requests may wait. */
export function renderPdf(document: InvoiceDocument): Promise<Buffer> {
  // beside the bundle, see build.mjs
  const worker = new Worker(new URL('./pdf-worker.js', import.meta.url), { workerData: document });
  return new Promise((resolve, reject) => {
    worker.once('message', (pdf: Uint8Array) => resolve(Buffer.from(pdf)));
    worker.once('error', reject);
    worker.once('exit', (code) => reject(new Error(`The PDF worker ended without a result, with code ${code}.`)));
  });
}
