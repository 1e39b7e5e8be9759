import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Webhook } from 'standardwebhooks';
import { type RenderedRequest, render } from '../delivery/render.ts';
import { createSecret } from '../subscriptions/subscription.ts';
import type { Delivery, Subscription } from './format.ts';

const FIXTURE = join(__dirname, '../../../../test/fixtures/signed-deliveries.jsonl');
const STANDARD = ['webhook-id', 'webhook-timestamp', 'webhook-signature'];
const OLD_SECRET = 'whsec_tZ-_9q1cXw0aJm7bL2vKxR4yEoNfUgHsDpWkTiAZ8QM';
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
const namesOf = (headers: Record<string, string>) => STANDARD.filter((name) => name in headers);
const signatureBy = (secret: string) =>
  new Webhook(secret).sign(EVENT.event_id, new Date(EVENT.attempted_at), DELIVERY.body);

interface Recorded {
  subscription: Subscription & { format: 'signed' };
  delivery: Omit<Delivery, keyof typeof EVENT> & { sequence: number };
  /** as the release before Standard Webhooks sent it */
  request: RenderedRequest;
}

test('100 deliveries are as they were recorded before there were Standard Webhooks', () => {
  const lines = readFileSync(FIXTURE, 'utf8').trimEnd().split('\n');
  expect(lines).toHaveLength(100);
  let withStandard = 0;
  for (const { subscription, delivery, request } of lines.map((line) => JSON.parse(line) as Recorded)) {
    const { headers, ...rest } = render(subscription, { ...delivery, ...EVENT });
    const isStandard = subscription.secret?.endsWith('=') ?? false;
    expect(namesOf(headers)).toEqual(isStandard ? STANDARD : []);
    const others = Object.entries(headers).filter(([name]) => !STANDARD.includes(name));
    // in the same order, too
    expect([others, rest]).toEqual([Object.entries(request.headers), { url: request.url, body: request.body }]);
    if (isStandard) withStandard += 1;
  }
  expect(withStandard).toBeGreaterThan(30);
  expect(withStandard).toBeLessThan(70);
});

test('the headers are those of the standardwebhooks library', () => {
  const secret = createSecret();
  expect(headersOf(secret)).toMatchObject({
    'webhook-id': EVENT.event_id,
    'webhook-timestamp': '1795260600',
    'webhook-signature': signatureBy(secret),
  });
});

test.each([
  ['of an older release', OLD_SECRET],
  ['of an older release, without - and _', `whsec_${'A'.repeat(43)}`],
  ['with a key of 23 bytes', `whsec_${Buffer.alloc(23, 1).toString('base64')}`],
  ['without its prefix', createSecret().slice(6)],
  ['with a space', `${createSecret()} `],
  ['with bits that base64 does not use', `whsec_${'A'.repeat(42)}B=`],
])('a secret %s has none of the headers', (_, secret) => {
  expect(namesOf(headersOf(secret))).toEqual([]);
});

test('while two secrets are valid, X-Svc-Signature is by the old one, and webhook-signature lists both', () => {
  const [before, after] = [createSecret(), createSecret()];
  const headers = headersOf(after, before);
  expect(headers['X-Svc-Signature']).toBe(headersOf(before)['X-Svc-Signature']);
  expect(headers['webhook-signature']).toBe(`${signatureBy(before)} ${signatureBy(after)}`);
  // an old secret of an older release has no such signature
  const fromOld = headersOf(after, OLD_SECRET);
  expect(fromOld['X-Svc-Signature']).toBe(headersOf(OLD_SECRET)['X-Svc-Signature']);
  expect(fromOld['webhook-signature']).toBe(signatureBy(after));
});
