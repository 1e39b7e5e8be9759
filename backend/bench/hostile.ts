// Runs the hostile receivers of the tests in a separate process. Its first line names their URLs.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeCertificate } from '../../test/kit/certificate.ts';
import { HOSTILE, startHostile } from '../../test/kit/hostile-receivers.ts';

const folder = mkdtempSync(join(tmpdir(), 'farmboard-hostile-'));
const certificate = makeCertificate(folder, 'localhost');
const receivers = await Promise.all(HOSTILE.map((hostile) => startHostile(hostile, certificate)));
rmSync(folder, { recursive: true });
process.stdout.write(`${JSON.stringify({ port: 0, urls: receivers.map(({ url }) => url) })}\n`);
