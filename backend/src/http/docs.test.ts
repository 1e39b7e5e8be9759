import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliCompressSync } from 'node:zlib';
import express from 'express';
import { createDocs } from './docs.ts';

const HASH = 'sha256-DQUgNM9X0iH2019NkUxeBvnBoEoRKkHBc/I0iLqPNPA=';

let folder: string;
let server: Server;
let origin: string;

async function serve(files: string): Promise<void> {
  server = express().use('/docs', createDocs(files)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'farmboard-docs-'));
});

afterEach(() => {
  server.close();
  server.closeAllConnections();
  rmSync(folder, { recursive: true });
});

async function get(path: string, headers: Record<string, string> = {}) {
  const response = await fetch(origin + path, { redirect: 'manual', headers });
  return { status: response.status, headers: response.headers, text: await response.text() };
}

describe('with the built site', () => {
  beforeEach(async () => {
    mkdirSync(join(folder, 'assets/chunks'), { recursive: true });
    mkdirSync(join(folder, 'guide'));
    writeFileSync(join(folder, 'inline-scripts.json'), JSON.stringify([HASH]));
    writeFileSync(join(folder, 'index.html'), 'home');
    writeFileSync(join(folder, '404.html'), 'not here');
    writeFileSync(join(folder, 'guide/printers.html'), 'printers');
    writeFileSync(join(folder, 'assets/chunks/search.123.js'), 'plain');
    writeFileSync(join(folder, 'assets/chunks/search.123.js.br'), brotliCompressSync('plain'));
    await serve(folder);
  });

  test('serves pages with and without their ending, always revalidated', async () => {
    for (const [path, text] of [
      ['/docs/', 'home'],
      ['/docs/guide/printers', 'printers'],
      ['/docs/guide/printers.html', 'printers'],
    ] as const) {
      const answer = await get(path);
      expect([answer.status, answer.text]).toEqual([200, text]);
      expect(answer.headers.get('cache-control')).toBe('no-cache');
      const again = await get(path, {
        'If-None-Match': String(answer.headers.get('etag')),
        'Cache-Control': 'max-age=0',
      });
      expect(again.status).toBe(304);
    }
  });

  test('serves assets compressed, to be kept for a year', async () => {
    const { headers, text } = await get('/docs/assets/chunks/search.123.js', { 'Accept-Encoding': 'br' });
    expect(text).toBe('plain');
    expect(headers.get('content-encoding')).toBe('br');
    expect(headers.get('content-type')).toContain('javascript');
    expect(headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
  });

  test('has the catalog of events at a short path', async () => {
    const { status, headers } = await get('/docs/events');
    expect([status, headers.get('location')]).toEqual([301, '/docs/reference/events#catalog']);
  });

  test('allows only the inline scripts of the build', async () => {
    const policy = String((await get('/docs/')).headers.get('content-security-policy')).split('; ');
    expect(policy).toContain(`script-src 'self' '${HASH}'`);
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("frame-ancestors 'none'");
  });

  test('shows browsers its own page for what it doesn’t have, and leaves other clients to the service', async () => {
    const page = await get('/docs/nothing', { Accept: 'text/html,*/*;q=0.8' });
    expect([page.status, page.text]).toEqual([404, 'not here']);
    const other = await get('/docs/nothing.js');
    expect(other.status).toBe(404);
    expect(other.text).not.toBe('not here');
  });
});

describe('without the site', () => {
  beforeEach(() => serve(join(folder, 'nothing')));

  test('says where the documentation is, and how to have it', async () => {
    const { status, text, headers } = await get('/docs/');
    expect(status).toBe(200);
    expect(text).toContain('href="./api/"');
    expect(text).toContain('npm run docs');
    expect(headers.get('content-security-policy')).toContain("script-src 'self';");
    expect((await get('/docs/plain.css')).headers.get('content-type')).toContain('text/css');
  });

  test('leads there from the catalog of events and from every page, for now', async () => {
    const asBrowser = { Accept: 'text/html,*/*;q=0.8' };
    for (const answer of [await get('/docs/events'), await get('/docs/guide/printers', asBrowser)])
      expect([answer.status, answer.headers.get('location')]).toEqual([302, '/docs/']);
    expect((await get('/docs/guide/printers.json')).status).toBe(404);
  });

  test('has the API reference below it', async () => {
    expect((await get('/docs/api/')).text).toContain('swagger-ui-bundle.js');
    expect((await get('/docs/api/swagger-ui.css')).status).toBe(200);
    for (const [path, target] of [
      ['/docs', '/docs/'],
      ['/docs/api', '/docs/api/'],
    ] as const) {
      const answer = await get(path);
      expect([answer.status, answer.headers.get('location')]).toEqual([301, target]);
    }
  });
});
