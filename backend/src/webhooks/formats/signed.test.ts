import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Webhook } from 'standardwebhooks';
import { type RenderedRequest, render } from '../delivery/render.ts';
import { createSecret } from '../subscriptions/subscription.ts';
import type { Delivery, Subscription } from './format.ts';

const FIXTURE = join(__dirname, '../../../../test/fixtures/signed-deliveries.jsonl');
const EVENT = {
  event_id: '0198c0de-0000-7000-8000-000000000001',
  attempted_at: Date.parse('2026-11-21T11:30:00.999Z'),
};
const DELIVERY = {
  ...EVENT,
  id: '0198c0de-0000-7000-8000-000000000002',
  event: 'webhook.test' as const,
  sequence: 1,
  body: '{"event":"webhook.test","data":"Печать 👩‍🔧"}',
  traceparent: null,
};

const headersOf = (secret: string, previousSecret: string | null = null) =>
  render({ format: 'signed', url: 'https://receiver.example/', secret, previousSecret }, DELIVERY).headers;
const signatureBy = (secret: string) =>
  new Webhook(secret).sign(EVENT.event_id, new Date(EVENT.attempted_at), DELIVERY.body);

interface Recorded {
  subscription: Subscription & { format: 'signed' };
  delivery: Omit<Delivery, keyof typeof EVENT> & { sequence: number };
  request: RenderedRequest;
}

test('100 deliveries are as they were recorded, byte by byte', () => {
  const lines = readFileSync(FIXTURE, 'utf8').trimEnd().split('\n');
  expect(lines).toHaveLength(100);
  for (const { subscription, delivery, request } of lines.map((line) => JSON.parse(line) as Recorded)) {
    const { headers, ...rest } = render(subscription, { ...delivery, ...EVENT });
    // in the same order, too
    expect([Object.entries(headers), rest]).toEqual([
      Object.entries(request.headers),
      { url: request.url, body: request.body },
    ]);
  }
});

test('the headers are those of the standardwebhooks library', () => {
  const secret = createSecret();
  expect(headersOf(secret)).toMatchObject({
    'webhook-id': EVENT.event_id,
    'webhook-timestamp': '1795260600',
    'webhook-signature': signatureBy(secret),
  });
});

test('while two secrets are valid, X-Svc-Signature is by the old one, and webhook-signature lists both', () => {
  const [before, after] = [createSecret(), createSecret()];
  const headers = headersOf(after, before);
  expect(headers['X-Svc-Signature']).toBe(headersOf(before)['X-Svc-Signature']);
  expect(headers['webhook-signature']).toBe(`${signatureBy(before)} ${signatureBy(after)}`);
});
