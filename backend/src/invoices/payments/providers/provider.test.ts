import { createHmac } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import Stripe from 'stripe';
import { createInvoices, STRIPE_SIGNING } from '../../../../../test/kit/invoice-service.ts';
import { forSuite } from '../../../../../test/kit/opened.ts';
import { openTestStorage } from '../../../../../test/kit/storage.ts';
import { query } from '../../../storage/dialect.ts';
import { Forged, type ProviderKind } from './provider.ts';

interface Body {
  kind: ProviderKind;
  add(farm: Farm): Promise<{ id: string; secret: string }>;
  /** an authentic notification of a payment */
  payment(invoice: string, id: string): string;
  sign(secret: string, raw: string, at: number): IncomingHttpHeaders;
  header: string;
}

type Farm = Awaited<ReturnType<typeof createInvoices>>;

const BODIES: Body[] = [
  {
    kind: 'stripe',
    add: async (farm) => ({ id: (await farm.addStripe()).id, secret: STRIPE_SIGNING }),
    payment: (invoice, id) =>
      JSON.stringify({
        id,
        object: 'event',
        created: 1_795_000_000,
        type: 'checkout.session.completed',
        data: {
          object: {
            id: `cs_${id}`,
            payment_status: 'paid',
            amount_total: 4990,
            currency: 'eur',
            payment_intent: `pi_${id}`,
            metadata: { invoice_id: invoice },
            customer_details: { name: 'Вера', email: 'v@example.com' },
          },
        },
      }),
    sign: (secret, payload, timestamp) => ({
      'stripe-signature': Stripe.webhooks.generateTestHeaderString({ payload, secret, timestamp }),
    }),
    header: 'stripe-signature',
  },
  {
    kind: 'notification',
    add: async (farm) => {
      const { id, secret } = await farm.addNotificationProvider();
      return { id, secret };
    },
    payment: (invoice, id) =>
      JSON.stringify({
        id,
        type: 'payment',
        invoice,
        amount: 4990,
        currency: 'EUR',
        paid_at: '2026-11-21T10:00:00Z',
        payer: 'Вера',
      }),
    sign: (secret, raw, at) => ({
      'x-notification-signature': `t=${at},v1=${createHmac('sha256', secret).update(`${at}.${raw}`).digest('hex')}`,
    }),
    header: 'x-notification-signature',
  },
];

const storage = forSuite(openTestStorage);

describe.each(BODIES)('$kind', (body) => {
  let farm: Farm;
  let provider: { id: string; secret: string };
  let invoice: { id: string };
  let at: number;
  let count = 0;

  beforeAll(async () => {
    farm = await createInvoices(storage);
    provider = await body.add(farm);
    invoice = await farm.issue();
    at = Math.floor(farm.time.now / 1000);
  });

  const genuine = () => {
    count += 1;
    return body.payment(invoice.id, `evt_${count}`);
  };
  const take = (raw: string | Buffer, headers: IncomingHttpHeaders, id = provider.id) =>
    farm.providers.receiveNotification(body.kind, id, Buffer.from(raw), headers);
  const everything = async () => {
    const rows: unknown[] = [];
    for (const table of ['invoice_payments', 'invoices', 'events', 'payment_providers']) {
      rows.push(await query(storage.read, `SELECT * FROM ${table} ORDER BY 1`));
    }
    return JSON.stringify(rows);
  };

  test('an authentic notification is recorded once, also with a clock 300 s off', async () => {
    for (const offset of [0, -300, 300]) {
      const raw = genuine();
      expect(await take(raw, body.sign(provider.secret, raw, at + offset))).toBe('recorded');
      expect(await take(raw, body.sign(provider.secret, raw, at))).toBe('duplicate');
    }
  });

  test('an authentic notification that cannot be parsed is refused with the reason and changes nothing', async () => {
    const before = await everything();
    for (const raw of [
      '',
      '{',
      '[]',
      '{"id":7}',
      JSON.stringify({ id: 'evt', created: 1, type: 'checkout.session.completed' }),
    ]) {
      await expect(take(raw, body.sign(provider.secret, raw, at))).rejects.toMatchObject({ name: 'DomainError' });
    }
    expect(await everything()).toBe(before);
  });

  test('none of 5,000 mutated notifications is accepted, and the database is unchanged', async () => {
    const before = await everything();
    // a fixed seed: what failed once fails again
    let state = 20_261_122;
    const pick = (below: number) => {
      state = (state * 1_103_515_245 + 12_345) & 0x7fffffff;
      return state % below;
    };
    const other = await body.add(farm);
    const after = await everything();
    const created = new Set<string>();
    let accepted = 0;
    for (let i = 0; i < 5_000; i++) {
      const raw = Buffer.from(genuine());
      const headers = body.sign(provider.secret, raw.toString(), at);
      const signature = String(headers[body.header]);
      const mutations: [string, () => [Buffer, IncomingHttpHeaders, string?]][] = [
        ['a bit', () => [flip(raw, pick(raw.length), pick(8)), headers]],
        ['a byte gone', () => [Buffer.concat([raw.subarray(0, -1 - pick(40))]), headers]],
        ['bytes more', () => [Buffer.concat([raw, Buffer.from([pick(256)])]), headers]],
        ['a mark before it', () => [Buffer.concat([Buffer.from('\ufeff'), raw]), headers]],
        ['bytes before it', () => [Buffer.concat([Buffer.from(' '), raw]), headers]],
        ['a character of the signature', () => [raw, sign(replaceAt(signature, pick(signature.length), pick(16)))]],
        ['a shorter signature', () => [raw, sign(signature.slice(0, -1 - pick(64)))]],
        ['no signature', () => [raw, {}]],
        ['an empty one', () => [raw, sign('')]],
        ['another scheme', () => [raw, sign(signature.replace('v1=', 'v0='))]],
        ['upper case', () => [raw, sign(signature.toUpperCase())]],
        ['two times', () => [raw, sign(`t=${at},${signature}`)]],
        ['a time with something behind it', () => [raw, sign(signature.replace(',', 'x,'))]],
        ['another time than was signed', () => [raw, sign(signature.replace(/t=\d+/, `t=${at + 1 + pick(299)}`))]],
        ['too old', () => [raw, body.sign(provider.secret, raw.toString(), at - 301 - pick(1000))]],
        ['ahead', () => [raw, body.sign(provider.secret, raw.toString(), at + 301 + pick(1000))]],
        ['another secret', () => [raw, body.sign(`${provider.secret}x`, raw.toString(), at)]],
        [
          'the secret of another provider',
          () => [raw, body.sign(other.secret === provider.secret ? 'x' : other.secret, raw.toString(), at)],
        ],
        [
          'an unknown provider',
          () => [
            raw,
            headers,
            replaceAt(provider.id, 35, pick(16)) === provider.id ? 'x' : replaceAt(provider.id, 35, pick(16)),
          ],
        ],
      ];
      const [name, mutate] = mutations[i % mutations.length] as (typeof mutations)[number];
      created.add(name);
      const [mutated, with_, id = provider.id] = mutate();
      // replacing a character with itself, or arriving at the same id, is not a mutation
      if (mutated.equals(raw) && with_[body.header] === headers[body.header] && id === provider.id) continue;
      try {
        await take(mutated, with_, id);
        accepted += 1;
        process.stdout.write(`accepted: ${name} ${mutated} ${JSON.stringify(with_)}\n`);
      } catch (error) {
        if (!(error instanceof Forged)) throw error;
      }
    }
    expect(created.size).toBe(19);
    expect(accepted).toBe(0);
    expect(before).not.toBe(after);
    expect(await everything()).toBe(after);
  });

  function sign(value: string): IncomingHttpHeaders {
    return { [body.header]: value };
  }

  test('a notification of another kind of provider is refused', async () => {
    const raw = genuine();
    const kind = body.kind === 'stripe' ? 'notification' : 'stripe';
    const headers = body.sign(provider.secret, raw, at);
    await expect(
      farm.providers.receiveNotification(kind, provider.id, Buffer.from(raw), headers),
    ).rejects.toBeInstanceOf(Forged);
  });
});

function flip(bytes: Buffer, at: number, bit: number): Buffer {
  const copy = Buffer.from(bytes);
  copy[at] = (copy[at] as number) ^ (1 << bit);
  return copy;
}

const replaceAt = (text: string, at: number, digit: number): string =>
  text.slice(0, at) + digit.toString(16) + text.slice(at + 1);

test('a Stripe provider without a signing secret accepts no notification and is not offered', async () => {
  const farm = await createInvoices(storage);
  const { result } = await farm.providers.create(farm.actor, { kind: 'stripe', secret_key: 'sk_test_1' }, undefined);
  expect(result).toMatchObject({ is_ready: false, is_test: true });
  expect(await farm.providers.findCheckout(farm.actor.accountId)).toBeUndefined();
  await expect(farm.providers.receiveNotification('stripe', result.id, Buffer.from('{}'), {})).rejects.toBeInstanceOf(
    Forged,
  );
  await farm.providers.update(farm.actor, result.id, { webhook_secret: STRIPE_SIGNING });
  expect(await farm.providers.findCheckout(farm.actor.accountId)).toMatchObject({ isTest: true });
});

test('the secret of signed notifications is shown once; a new one invalidates the old one', async () => {
  const farm = await createInvoices(storage);
  const { id, secret } = await farm.addNotificationProvider();
  expect(JSON.stringify(await farm.providers.list(farm.actor.accountId))).not.toContain(secret);
  const key = { key: 'k', hash: 'h' };
  const renewed = await farm.providers.renewSecret(farm.actor, id, key);
  expect(renewed.result.secret).toMatch(/^pnsec_[0-9A-Za-z]{40}$/);
  expect((await farm.providers.renewSecret(farm.actor, id, key)).result).not.toHaveProperty('secret');
  const at = Math.floor(farm.time.now / 1000);
  const [, notification] = BODIES as [Body, Body];
  const raw = notification.payment((await farm.issue()).id, 'n1');
  await expect(
    farm.providers.receiveNotification('notification', id, Buffer.from(raw), notification.sign(secret, raw, at)),
  ).rejects.toBeInstanceOf(Forged);
  const headers = notification.sign(renewed.result.secret as string, raw, at);
  expect(await farm.providers.receiveNotification('notification', id, Buffer.from(raw), headers)).toBe('recorded');
});
