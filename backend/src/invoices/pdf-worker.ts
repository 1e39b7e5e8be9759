// The program of the thread that render-pdf.ts starts for each document.
import { parentPort, workerData } from 'node:worker_threads';
import type { PdfInput } from './document.ts';
import { toPdf } from './pdf.ts';

// the bundle is a CommonJS module, which can't await here
void toPdf(workerData as PdfInput).then((pdf) => parentPort?.postMessage(pdf));
