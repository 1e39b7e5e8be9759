import { Worker } from 'node:worker_threads';
import type { PdfInput } from './document.ts';

/** Much longer than the longest document takes. */
const WITHIN_MS = 30_000;

/** Renders a document in a thread of its own, because a long one takes longer than other requests may wait. */
export function renderPdf(input: PdfInput): Promise<Buffer> {
  // beside the bundle, see build.mjs
  const worker = new Worker(new URL('./pdf-worker.cjs', import.meta.url), { workerData: input });
  // otherwise one that never ends would keep all others waiting
  const timer = setTimeout(() => worker.terminate(), WITHIN_MS);
  return new Promise<Buffer>((resolve, reject) => {
    worker.once('message', (pdf: Uint8Array) => resolve(Buffer.from(pdf)));
    worker.once('error', reject);
    worker.once('exit', (code) => reject(new Error(`The PDF worker ended without a result, with code ${code}.`)));
  }).finally(() => clearTimeout(timer));
}
