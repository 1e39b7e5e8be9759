// The program of the thread that render-pdf.ts starts for each document.
import { parentPort, workerData } from 'node:worker_threads';
import type { InvoiceDocument } from './document.ts';
import { toPdf } from './pdf.ts';

parentPort?.postMessage(await toPdf(workerData as InvoiceDocument));
