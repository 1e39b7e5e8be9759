// The program of the thread that render-pdf.ts starts for each document.
import { parentPort, workerData } from 'node:worker_threads';
import type { PdfInput } from './document.ts';
import { toPdf } from './pdf.ts';

parentPort?.postMessage(await toPdf(workerData as PdfInput));
