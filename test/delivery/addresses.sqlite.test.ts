import { createGuard, type Guard } from '../../backend/src/webhooks/delivery/guard.ts';
import { type ConnectionPool, createSender } from '../../backend/src/webhooks/delivery/sender.ts';
import type { Client } from '../kit/client.ts';
import { settle } from '../kit/eventually.ts';
import { type Attempt, DEFAULT_EVENTS, type Farm, type Problem, type Subscription, startFarm } from '../kit/farm.ts';
import { times } from '../kit/length.ts';
import { INTERNET, type Network, startNetwork } from '../kit/network.ts';
import { createRandom, seedFrom } from '../kit/random.ts';
import { INTERNAL_ADDRESSES, WEBHOOK_ADDRESSES, type WebhookAddress } from '../kit/webhook-addresses.ts';

const FLIPS = times(500, 5_000);
const SEED = seedFrom('FLIPS_SEED');

const parse = (url: string): URL | null => {
  try {
    return new URL(url);
  } catch {
    return null;
  }
};
/** The host as `net.connect` gets it. */
const hostOf = (url: string): string => (parse(url)?.hostname ?? '').replace(/^\[|[.\]]$/g, '');
const canonical = (address: string): string => hostOf(`http://${address.includes(':') ? `[${address}]` : address}/`);

/** What a name server returns: the answers of a name in turn, the last one again and again. */
function resolverOf({ answers = [] }: WebhookAddress) {
  const left = [...answers];
  return async () => (left.length > 1 ? left.shift() : left[0]) ?? [];
}

const guardOf = (allowedHosts: string, resolve: (host: string) => Promise<string[]>): Guard =>
  createGuard({ allowedHosts, signUp: 'closed', ownServices: [], resolve });

const post = (pool: ConnectionPool, url: string) => pool.send({ url, headers: {}, body: '{}' });

/** Saves a subscription with the address and sends one request to it, whatever was decided when it was saved. */
async function decide(address: WebhookAddress, allowedHosts: string, network: Network) {
  const guard = guardOf(allowedHosts, resolverOf(address));
  const saved = await guard.checkUrl(address.url).then(
    () => true,
    () => false,
  );
  const before = { ...network.seen };
  const pool = createSender({ guard }).openPool();
  const { error } = await post(pool, address.url);
  await pool.close();
  const connections = {
    canary: network.seen.canary - before.canary,
    internet: network.seen.internet - before.internet,
  };
  return { saved, error, ...connections };
}

const PUBLIC = new Set(
  WEBHOOK_ADDRESSES.filter(({ decision }) => decision === 'allowed').flatMap(({ url, answers = [[hostOf(url)]] }) =>
    answers.flat(),
  ),
);

describe(`the list of ${WEBHOOK_ADDRESSES.length} webhook addresses`, () => {
  test('has at least 400 that try to reach something internal', () => {
    const internal = WEBHOOK_ADDRESSES.filter(
      ({ decision, network }) => decision !== 'allowed' && network !== 'nowhere',
    );
    expect(internal.length).toBeGreaterThanOrEqual(400);
  });

  test('has only spellings that lead where it says', () => {
    const literals = WEBHOOK_ADDRESSES.filter((one) => one.error !== 'validation_error' && !one.answers);
    const wrong = literals.filter(({ url, leadsTo }) => {
      const address = leadsTo.replace(/ \(.*$/, '');
      const host = hostOf(url);
      return leadsTo === address && host !== canonical(address) && host !== canonical(`::ffff:${address}`);
    });
    expect(wrong).toEqual([]);
  });
});

describe('saving a subscription in the built service', () => {
  let farm: Farm;
  let client: Client;

  beforeAll(async () => {
    const names = WEBHOOK_ADDRESSES.flatMap(({ url, answers }) => (answers ? [[hostOf(url), answers]] : []));
    farm = await startFarm({
      WEBHOOK_ALLOWED_HOSTS: 'external',
      NODE_OPTIONS: `--require ${require.resolve('../kit/fake-dns.cjs')}`,
      FAKE_DNS: JSON.stringify(Object.fromEntries(names)),
      REDIS_URL: undefined,
    });
    client = farm.client;
  });
  afterAll(() => farm.close());

  test('decides about each address as the list says, and the sender refuses what changed since', async () => {
    const bypasses: unknown[] = [];
    for (const { url, decision, error } of WEBHOOK_ADDRESSES) {
      const answer = await client.post<Subscription | Problem>('/webhook-subscriptions', {
        url,
        events: DEFAULT_EVENTS,
      });
      const seen: unknown[] = [answer.status, 'code' in answer.body ? answer.body.code : null];
      const expected: unknown[] = error ? [422, error] : [201, null];
      if ('id' in answer.body) {
        const path = `/webhook-subscriptions/${answer.body.id}`;
        // after a bypass, nothing is sent anywhere
        if (decision === 'refused at connect' && bypasses.length === 0) {
          seen.push((await client.post<Attempt>(`${path}/test`)).body.error);
          expected.push('blocked_address');
        }
        await client.delete(path);
      }
      if (seen.join() !== expected.join()) bypasses.push({ url, decision, seen });
    }
    expect(bypasses).toEqual([]);
  });
});

describe('connecting', () => {
  let network: Network;
  beforeAll(async () => {
    network = await startNetwork(PUBLIC);
  });
  afterAll(() => network.stop());

  test('never reaches an internal address, and reaches every public one', async () => {
    const bypasses: unknown[] = [];
    for (const address of WEBHOOK_ADDRESSES) {
      const { saved, error, canary, internet } = await decide(address, `external,${INTERNET}`, network);
      const isSaved = address.decision !== 'refused at save';
      const isReached = address.decision === 'allowed' || address.answers?.[1]?.join() === '93.184.216.34';
      const isRefused = error === 'blocked_address' || address.network === 'nowhere';
      const asListed = saved === isSaved && canary === 0 && internet > 0 === isReached && isRefused === !isReached;
      if (!asListed) bypasses.push({ url: address.url, saved, error, canary, internet });
    }
    expect(bypasses).toEqual([]);
    await settle();
    expect(network.seen.canary).toBe(0);
  });

  test('reaches no reserved address with any setting, and the canary where the setting allows its network', async () => {
    const everything = 'external,private,loopback,0.0.0.0/0,::/0';
    const bypasses: unknown[] = [];
    let reached = 0;
    for (const address of WEBHOOK_ADDRESSES) {
      const { error, canary } = await decide(address, everything, network);
      const isOpen = address.network === 'private' || address.network === 'loopback';
      if (!isOpen && canary > 0) bypasses.push({ url: address.url, error, canary });
      if (isOpen && canary > 0) reached += 1;
    }
    expect(bypasses).toEqual([]);
    // otherwise the canary would prove nothing
    expect(reached).toBeGreaterThanOrEqual(300);
  });
});

describe(`${FLIPS} changing answers of a name server (FLIPS_SEED=${SEED})`, () => {
  const PUBLIC_ANSWERS = [...PUBLIC].filter((address) => address !== INTERNET);
  let network: Network;
  beforeAll(async () => {
    network = await startNetwork(PUBLIC);
  });
  afterAll(() => network.stop());

  /** Saves and sends in turn while each lookup returns something else. @returns what happened, by outcome */
  async function flip(allowedHosts: string): Promise<Record<string, number>> {
    const { between, pick } = createRandom(SEED);
    let lookups = 0;
    const resolve = async (): Promise<string[]> => {
      lookups += 1;
      const answer = [pick(lookups % 2 === 0 ? INTERNAL_ADDRESSES : PUBLIC_ANSWERS)];
      if (between(1, 4) === 1) answer.splice(between(0, 1), 0, pick(PUBLIC_ANSWERS));
      return answer;
    };
    const guard = guardOf(allowedHosts, resolve);
    const sender = createSender({ guard });
    const outcomes: Record<string, number> = {};
    while (lookups < FLIPS) {
      const url = `http://rebind${between(1, 5)}.example:${between(1, 65_535)}/`;
      if (between(0, 1) === 1) await guard.checkUrl(url).catch(() => undefined);
      const pool = sender.openPool();
      for (const { error } of await Promise.all([post(pool, url), post(pool, url)])) {
        outcomes[error ?? 'succeeded'] = (outcomes[error ?? 'succeeded'] ?? 0) + 1;
      }
      await pool.close();
    }
    return outcomes;
  }

  test('lead to no connection to an internal address', async () => {
    const outcomes = await flip(`external,${INTERNET}`);
    expect(Object.keys(outcomes).sort()).toEqual(['blocked_address', 'succeeded']);
    await settle();
    expect(network.seen).toEqual({ canary: 0, internet: outcomes.succeeded });
  });

  test('would lead to the canary if the setting allowed it', async () => {
    await flip('external,private,loopback');
    expect(network.seen.canary).toBeGreaterThan(FLIPS / 20);
  });
});
