import type { LookupAddress } from 'node:dns';
import { isIP } from 'node:net';
import { networkInterfaces } from 'node:os';
import { parseUrl } from '../../../../common/src/url.ts';
import {
  embeddingsOf,
  INTERNAL_ADDRESSES,
  INTERNAL_V4_ADDRESSES,
  spellingsOf,
  WEBHOOK_ADDRESSES,
} from '../../../../test/kit/webhook-addresses.ts';
import { DomainError } from '../../shared/errors.ts';
import { SettingError } from '../../shared/setting-error.ts';
import { BlockedAddressError, createGuard, type Guard, type GuardOptions, UnresolvedHostError } from './guard.ts';

const guardOf = (allowedHosts: string | undefined, more: Partial<GuardOptions> = {}): Guard =>
  createGuard({ allowedHosts, signUp: 'closed', ownServices: [], resolve: async () => [], ...more });

/** The result of checking a URL at creation: `ok` or the error code. */
async function verdict(guard: Guard, url: string): Promise<string> {
  try {
    await guard.checkUrl(url);
    return 'ok';
  } catch (error) {
    if (error instanceof DomainError) return error.code;
    throw error;
  }
}

/** The result of the checks at send time, as `net.connect` would run them. */
async function sendVerdict(guard: Guard, text: string): Promise<'ok' | 'blocked' | 'unresolved'> {
  const url = new URL(text);
  const target = guard.forTarget(url);
  const host = url.hostname.replace(/^\[|\]$/g, '');
  try {
    target.checkLiteral();
    if (isIP(host) !== 0) return 'ok';
    await new Promise<LookupAddress[]>((resolve, reject) => {
      target.lookup(host, { all: true }, (error, found) => (error ? reject(error) : resolve(found as LookupAddress[])));
    });
    return 'ok';
  } catch (error) {
    if (error instanceof BlockedAddressError) return 'blocked';
    if (error instanceof UnresolvedHostError) return 'unresolved';
    throw error;
  }
}

const lookupOnce = (guard: Guard, url: string, options: { all?: boolean; family?: number }) =>
  new Promise<unknown>((resolve, reject) => {
    guard
      .forTarget(new URL(url))
      .lookup(new URL(url).hostname, options, (error, address, family) =>
        error ? reject(error) : resolve(options.all ? address : { address, family }),
      );
  });

const SPELLINGS = [
  ...INTERNAL_V4_ADDRESSES.flatMap(spellingsOf).map((host) => `http://${host}/hook`),
  ...INTERNAL_V4_ADDRESSES.flatMap(embeddingsOf).map((host) => `http://[${host}]/hook`),
  ...WEBHOOK_ADDRESSES.filter((one) => one.decision === 'refused at save' && !one.answers).map(({ url }) => url),
];

const CORPUS = [...new Set(SPELLINGS)];

describe('forbidden URL spellings', () => {
  const guard = guardOf('external');

  test(`include at least 400 URLs: ${CORPUS.length}`, () => {
    expect(CORPUS.filter((url) => parseUrl(url)).length).toBeGreaterThanOrEqual(400);
  });

  test('are all refused at creation', async () => {
    const passed: string[] = [];
    for (const url of CORPUS) if ((await verdict(guard, url)) === 'ok') passed.push(url);
    expect(passed).toEqual([]);
  });

  test('are all refused at send time as a forbidden address', async () => {
    const passed: string[] = [];
    for (const url of CORPUS) if (parseUrl(url) && (await sendVerdict(guard, url)) !== 'blocked') passed.push(url);
    expect(passed).toEqual([]);
  });

  test('report blocked_address when they contain no user info, so that the operator learns about the setting', async () => {
    for (const address of INTERNAL_V4_ADDRESSES) {
      expect([address, await verdict(guard, `http://${address}/`)]).toEqual([address, 'blocked_address']);
    }
  });

  test('are all refused as resolved addresses and as addresses of connected sockets', async () => {
    const addresses = [
      ...INTERNAL_ADDRESSES,
      ...INTERNAL_V4_ADDRESSES.flatMap(embeddingsOf),
      'fe80::1%eth0',
      '',
      '0x7f.1',
      '127.1',
    ];
    const passed: string[] = [];
    for (const address of addresses) {
      const named = guardOf('external', { resolve: async () => [address] });
      if ((await sendVerdict(named, 'http://name.example/')) !== 'blocked') passed.push(address);
      if ((await verdict(named, 'http://name.example/')) !== 'blocked_address') passed.push(address);
      expect(() => guard.forTarget(new URL('http://name.example/')).checkAddress(address)).toThrow(BlockedAddressError);
    }
    expect(passed).toEqual([]);
  });
});

describe('addresses allowed by each keyword', () => {
  const PLACES = {
    external: [
      '8.8.8.8',
      '1.1.1.1',
      '99.255.255.255',
      '100.128.0.1',
      '172.32.0.1',
      '2606:4700::1111',
      '2a00:1450::1',
      '64:ff9b::808:808',
    ],
    private: ['10.0.0.1', '172.16.0.1', '192.168.1.10', '100.64.0.1', 'fc00::1', 'fd12:3456::1', '::ffff:10.0.0.1'],
    loopback: ['127.0.0.1', '127.9.9.9', '::1', '::ffff:127.0.0.1'],
  };
  const urlOf = (address: string) => `http://${address.includes(':') ? `[${address}]` : address}/`;
  const subsets = [
    ['external'],
    ['private'],
    ['loopback'],
    ['external', 'private'],
    ['external', 'private', 'loopback'],
  ];

  test.each(subsets.map((names) => [names.join(',')]))('%s', async (setting) => {
    const guard = guardOf(setting);
    for (const [place, addresses] of Object.entries(PLACES)) {
      const expected = setting.split(',').includes(place);
      for (const address of addresses) {
        expect([address, await verdict(guard, urlOf(address))]).toEqual([address, expected ? 'ok' : 'blocked_address']);
        expect([address, await sendVerdict(guard, urlOf(address))]).toEqual([address, expected ? 'ok' : 'blocked']);
      }
    }
  });

  test('by default: all but NEVER where only the operator creates accounts, external where sign-up is open', async () => {
    const closed = guardOf(undefined);
    const open = guardOf(undefined, { signUp: 'open' });
    expect([closed.describe(), open.describe()]).toEqual(['external, private, loopback', 'external']);
    expect(await verdict(closed, 'http://127.0.0.1:5678/')).toBe('ok');
    expect(await verdict(open, 'http://127.0.0.1:5678/')).toBe('blocked_address');
  });

  test('nothing allows NEVER', async () => {
    const never = [
      ...[
        '0.0.0.0',
        '169.254.169.254',
        '168.63.129.16',
        '100.100.100.200',
        '192.0.2.1',
        '198.18.0.1',
        '224.0.0.1',
        '255.255.255.255',
      ],
      ...[
        'fe80::1',
        'ff02::1',
        '4000::1',
        'fd00:ec2::254',
        '::7f00:1',
        '2002:7f00:1::',
        '64:ff9b::7f00:1',
        '64:ff9b::a00:1',
      ],
    ];
    for (const address of never) {
      const range = `${address}/${address.includes(':') ? 128 : 32}`;
      const guard = guardOf(
        `external,private,loopback,0.0.0.0/0,::/0,${range},${address},evil.example,evil.example:80`,
        {
          resolve: async () => [address],
        },
      );
      expect([address, await verdict(guard, urlOf(address))]).toEqual([address, 'blocked_address']);
      expect([address, await verdict(guard, 'http://evil.example/')]).toEqual([address, 'blocked_address']);
    }
  });
});

describe('entries', () => {
  test('a CIDR allows its range only', async () => {
    const guard = guardOf('external,192.168.1.0/24,fd12::/16');
    expect(await verdict(guard, 'http://192.168.1.77/')).toBe('ok');
    expect(await verdict(guard, 'http://[::ffff:192.168.1.77]/')).toBe('ok');
    expect(await verdict(guard, 'http://192.168.2.1/')).toBe('blocked_address');
    expect(await verdict(guard, 'http://[fd12::1]/')).toBe('ok');
    expect(await verdict(guard, 'http://[fd13::1]/')).toBe('blocked_address');
  });

  test('a name allows the addresses it resolves to, but no other name or address', async () => {
    const guard = guardOf('external,n8n.lan', { resolve: async () => ['192.168.1.5'] });
    expect(await verdict(guard, 'http://N8N.lan.:5678/')).toBe('ok');
    expect(await sendVerdict(guard, 'http://n8n.lan:5678/')).toBe('ok');
    for (const other of ['http://xn8n.lan/', 'http://a.n8n.lan/', 'http://n8n.lan.example/', 'http://192.168.1.5/']) {
      expect([other, await verdict(guard, other)]).toEqual([other, 'blocked_address']);
    }
  });

  test('host:port allows that port only, for names, addresses and IPv6', async () => {
    const guard = guardOf('n8n:5678,10.0.0.9:8080,[::1]:9000,localhost', { resolve: async () => ['127.0.0.1', '::1'] });
    expect(await verdict(guard, 'http://n8n:5678/')).toBe('ok');
    expect(await verdict(guard, 'http://n8n/')).toBe('blocked_address');
    expect(await verdict(guard, 'http://10.0.0.9:8080/')).toBe('ok');
    expect(await verdict(guard, 'http://10.0.0.9/')).toBe('blocked_address');
    expect(await verdict(guard, 'http://[::1]:9000/')).toBe('ok');
    expect(await verdict(guard, 'http://[::1]:9001/')).toBe('blocked_address');
    expect(await verdict(guard, 'https://localhost/')).toBe('ok');
    expect(await verdict(guard, 'http://8.8.8.8/')).toBe('blocked_address');
  });

  test('*.name allows subdomains, not the name itself', async () => {
    const guard = guardOf('*.lan,bücher.example', { resolve: async () => ['10.0.0.1'] });
    expect(await verdict(guard, 'http://n8n.lan/')).toBe('ok');
    expect(await verdict(guard, 'http://a.b.lan/')).toBe('ok');
    expect(await verdict(guard, 'http://lan/')).toBe('blocked_address');
    expect(await verdict(guard, 'http://evillan/')).toBe('blocked_address');
    expect(await verdict(guard, 'http://bücher.example/')).toBe('ok');
  });

  test.each([
    ...[
      '*',
      'external,',
      ',',
      'intern al',
      '10.0.0.0/33',
      '10.0.0.0/',
      '10.0.0.0/8/8',
      'fd00::/129',
      '127.1',
      '2130706433',
      '10.0.0.300',
    ],
    ...[
      'host:0',
      'host:65536',
      'host:abc',
      'http://host',
      '[fd00::1',
      '[name]:80',
      'a..b',
      '-a',
      '10.0.0/8',
      'user@host',
      'https://user:hunter2@host',
      'fe80::1%eth0/64',
      'host:',
    ],
  ])('%j fails at startup with one line that names the setting', (setting) => {
    expect(() => guardOf(setting)).toThrow(SettingError);
    expect(() => guardOf(setting)).toThrow(/^WEBHOOK_ALLOWED_HOSTS: (?!.*hunter2)/);
  });
});

describe('unusable URLs', () => {
  test.each([
    ...[
      '',
      'nonsense',
      '/hook',
      '//host/x',
      'ftp://host/',
      'file:///etc/passwd',
      'javascript:alert(1)',
      'http://',
      'http://[::1',
      'ws://h/',
    ],
    ...[
      'http://user:password@example.com/',
      'http://user@example.com/',
      'http://:p@example.com/',
      'http://1.2.3.400/',
      'http://a b/',
    ],
    `http://example.com/${'x'.repeat(2048)}`,
  ])('%j', async (url) => {
    const error = await guardOf(undefined)
      .checkUrl(url)
      .catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(DomainError);
    expect(error).toMatchObject({ code: 'validation_error', faults: [{ pointer: '/url' }] });
  });

  test('accepts 2048 characters', async () => {
    const start = 'http://8.8.8.8/';
    expect(await verdict(guardOf('external'), start + 'x'.repeat(2048 - start.length))).toBe('ok');
  });

  test('names the setting and the field for a forbidden address, but no address', async () => {
    const guard = guardOf('external', { resolve: async () => ['10.1.2.3'] });
    const error = (await guard.checkUrl('http://intranet/').catch((thrown: unknown) => thrown)) as DomainError;
    expect(error).toMatchObject({ code: 'blocked_address', facts: { setting: 'WEBHOOK_ALLOWED_HOSTS' } });
    expect(error.faults).toEqual([{ pointer: '/url', detail: error.message }]);
    expect(error.message).toContain('WEBHOOK_ALLOWED_HOSTS');
    expect(error.message).not.toContain('10.1.2.3');
  });
});

describe('names', () => {
  const UNRESOLVED = [async () => [], async () => Promise.reject(new Error('SERVFAIL'))];

  test.each([undefined, 'external,private,loopback', 'external,later.example', 'external,*.example:80'])(
    'accepts an unresolvable name at creation and refuses it at send time, with %s',
    async (setting) => {
      for (const resolve of UNRESOLVED) {
        const guard = guardOf(setting, { resolve });
        expect(await verdict(guard, 'http://later.example/')).toBe('ok');
        expect(await sendVerdict(guard, 'http://later.example/')).toBe('unresolved');
      }
    },
  );

  test.each(['external', 'external,private', 'external,loopback', 'external,n8n:5678', 'external,*.example:81'])(
    'an unresolvable name gets the answer of an internal one, with %s',
    async (setting) => {
      const answer = async (resolve: NonNullable<GuardOptions['resolve']>) => {
        const checked = guardOf(setting, { resolve }).checkUrl('http://name.example/');
        const { code, message, faults, facts } = (await checked.catch((error: unknown) => error)) as DomainError;
        return { code, message, faults, facts };
      };
      const internal = await answer(async () => ['169.254.1.1']);
      expect(internal.code).toBe('blocked_address');
      for (const resolve of UNRESOLVED) expect(await answer(resolve)).toEqual(internal);
    },
  );

  test('refuses a name with one forbidden address among allowed ones, in any position', async () => {
    for (const bad of ['127.0.0.1', '10.0.0.1', '169.254.169.254', '::1', '::ffff:127.0.0.1']) {
      for (const answer of [
        [bad, '8.8.8.8', '1.1.1.1'],
        ['8.8.8.8', bad, '1.1.1.1'],
        ['8.8.8.8', '2606:4700::1111', bad],
      ]) {
        const guard = guardOf('external', { resolve: async () => answer });
        expect([answer, await verdict(guard, 'http://mixed.example/')]).toEqual([answer, 'blocked_address']);
        expect([answer, await sendVerdict(guard, 'http://mixed.example/')]).toEqual([answer, 'blocked']);
      }
    }
  });

  test('lookup returns what net.connect requests: all addresses or one, and by family', async () => {
    const guard = guardOf('external', { resolve: async () => ['2606:4700::1111', '8.8.8.8'] });
    expect(await lookupOnce(guard, 'http://two.example/', {})).toEqual({ address: '2606:4700::1111', family: 6 });
    expect(await lookupOnce(guard, 'http://two.example/', { family: 4 })).toEqual({ address: '8.8.8.8', family: 4 });
    expect(await lookupOnce(guard, 'http://two.example/', { all: true, family: 6 })).toEqual([
      { address: '2606:4700::1111', family: 6 },
    ]);
  });

  test('connects to none but the first 32 addresses of a name, and so checks no others', async () => {
    const many = Array.from({ length: 4_000 }, (_, n) => `93.184.${n >> 8}.${n & 255}`);
    const found = await lookupOnce(guardOf('external', { resolve: async () => many }), 'http://many.example/', {
      all: true,
    });
    expect(found).toEqual(many.slice(0, 32).map((address) => ({ address, family: 4 })));
    const resolve = async () => [...many.slice(0, 31), '10.0.0.1', ...many];
    expect(await sendVerdict(guardOf('external', { resolve }), 'http://many.example/')).toBe('blocked');
  });

  test('treats localhost like any other name', async () => {
    const system = createGuard({ allowedHosts: 'external', signUp: 'closed', ownServices: [] });
    expect(await verdict(system, 'http://localhost:1/')).toBe('blocked_address');
    expect(await verdict(system, 'http://LOCALHOST.:1/')).toBe('blocked_address');
    expect(await sendVerdict(system, 'http://localhost:1/')).toBe('blocked');
  });
});

describe('the service itself, its database and Redis', () => {
  const everything = 'external,private,loopback,0.0.0.0/0,postgres,postgres:5432,127.0.0.1:5432';

  test('on this host: refused at every address of the host, at that port only', async () => {
    const interfaces = Object.values(networkInterfaces()).flatMap((list) => list ?? []);
    const usable: string[] = [];
    for (const { address } of interfaces) {
      // a test host may have an address in a reserved range, which is refused anyway
      if ((await verdict(guardOf(everything), `http://${address.includes(':') ? `[${address}]` : address}/`)) === 'ok')
        usable.push(address);
    }
    expect(usable).toContain('127.0.0.1');
    for (const host of ['localhost', '127.0.0.1', '::1', '[::1]', '0.0.0.0']) {
      const guard = guardOf(everything, { ownServices: [{ host, port: 5432 }], resolve: async () => ['127.0.0.1'] });
      for (const address of [...usable, '127.0.0.1', '127.0.0.2', '::1', '::ffff:127.0.0.1']) {
        const shown = address.includes(':') ? `[${address}]` : address;
        expect([host, address, await verdict(guard, `http://${shown}:5432/`)]).toEqual([
          host,
          address,
          'blocked_address',
        ]);
        expect([host, address, await verdict(guard, `http://${shown}:5433/`)]).toEqual([host, address, 'ok']);
      }
      expect(await verdict(guard, 'http://some.name:5432/')).toBe('blocked_address');
    }
  });

  test.each(['127.0.0.1', '0.0.0.0', '::', 'localhost'])('the server at %s: refused once it listens', async (host) => {
    const guard = guardOf(undefined, { resolve: async () => ['127.0.0.1'] });
    const own = Object.values(networkInterfaces()).flatMap((list) => list ?? []);
    const hosts = [
      '127.0.0.1',
      'localhost',
      'n8n.lan',
      ...own.filter((one) => one.family === 'IPv4').map((one) => one.address),
    ];
    const urls = [...new Set(hosts)].map((one) => `http://${one}:3000/`);
    guard.refuse({ host, port: 3000 });
    for (const url of urls) {
      expect([url, await verdict(guard, url)]).toEqual([url, 'blocked_address']);
      expect([url, await sendVerdict(guard, url)]).toEqual([url, 'blocked']);
    }
    // n8n on the same machine
    expect(await verdict(guard, 'http://127.0.0.1:5678/')).toBe('ok');
    expect(await verdict(guard, 'http://localhost:5678/')).toBe('ok');
  });

  test('on another host: refused by name and by its addresses, also when the URL contains the address', async () => {
    const resolve = async (host: string) => (host === 'postgres' || host === 'alias' ? ['172.18.0.2'] : ['172.18.0.3']);
    const guard = guardOf(everything, { ownServices: [{ host: 'postgres', port: 5432 }], resolve });
    for (const url of [
      'http://postgres:5432/',
      'http://POSTGRES.:5432/',
      'http://alias:5432/',
      'http://172.18.0.2:5432/',
    ]) {
      expect([url, await verdict(guard, url)]).toEqual([url, 'blocked_address']);
      expect([url, await sendVerdict(guard, url)]).toEqual([url, 'blocked']);
    }
    for (const url of ['http://postgres:80/', 'http://other:5432/', 'http://172.18.0.3:5432/']) {
      expect([url, await verdict(guard, url)]).toEqual([url, 'ok']);
    }
  });

  test('refuses every private address at its port until its address is resolved', async () => {
    const guard = guardOf(everything, { ownServices: [{ host: 'postgres', port: 5432 }] });
    expect(await verdict(guard, 'http://172.18.0.2:5432/')).toBe('blocked_address');
    expect(await verdict(guard, 'http://172.18.0.2:5433/')).toBe('ok');
    expect(await verdict(guard, 'http://8.8.8.8:5432/')).toBe('ok');
  });
});
