/**
 * Webhook addresses and what Farmboard decides about each with WEBHOOK_ALLOWED_HOSTS=external: the data of the suites
 * and of the counts in docs/reference/webhook-addresses.md. Uses none of the server's code.
 */

/** Where an address leads. Of the last two, no setting allows `reserved`, and nothing has the address `nowhere`. */
type Network = 'public' | 'private' | 'loopback' | 'reserved' | 'nowhere';

export type Decision = 'refused at save' | 'refused at connect' | 'allowed';

export interface WebhookAddress {
  group: string;
  url: string;
  /** the address that a connection would end at, or why there is none */
  leadsTo: string;
  network: Network;
  decision: Decision;
  /** the error code of the request that saves it; null if it is saved */
  error: 'blocked_address' | 'validation_error' | null;
  /** for a name: what each lookup returns; the last answer repeats */
  answers?: string[][];
}

interface Target {
  address: string;
  network: Network;
}

const targets = (network: Network, ...addresses: string[]): Target[] =>
  addresses.map((address) => ({ address, network }));

/** Every internal IPv4 range, each with its first, last and a middle address. */
const INTERNAL_V4: Target[] = [
  ...targets('reserved', '0.0.0.0', '0.1.2.3', '0.255.255.255'),
  ...targets('private', '10.0.0.0', '10.11.12.13', '10.255.255.255'),
  ...targets('private', '100.64.0.0', '100.64.0.1', '100.127.255.255'),
  ...targets('loopback', '127.0.0.1', '127.1.2.3', '127.255.255.255'),
  ...targets('reserved', '169.254.0.1', '169.254.169.254', '169.254.170.2', '169.254.255.255'),
  ...targets('reserved', '100.100.100.200', '168.63.129.16'),
  ...targets('private', '172.16.0.0', '172.20.1.1', '172.31.255.255'),
  ...targets('private', '192.168.0.0', '192.168.1.1', '192.168.255.255'),
  ...targets('reserved', '192.0.0.1', '192.0.0.192', '192.0.2.1', '192.31.196.1', '192.52.193.1', '192.88.99.1'),
  ...targets('reserved', '192.175.48.1', '198.18.0.1', '198.19.255.255', '198.51.100.1', '203.0.113.1'),
  ...targets('reserved', '224.0.0.1', '239.255.255.255', '240.0.0.1', '254.1.1.1', '255.255.255.255'),
];

const INTERNAL_V6: Target[] = [
  ...targets('loopback', '::1'),
  ...targets('private', 'fc00::1', 'fd00::1', 'fd12:3456:789a::1', 'fdff:ffff::1'),
  ...targets('reserved', '::', '::2', '100::1', '100:0:0:1::1', '64:ff9b:1::1', '5f00::1', '4000::1', '8000::1'),
  ...targets('reserved', 'e000::1', 'fd00:ec2::254', 'fd00:ec2::23', 'fd20:ce::254', 'fd00:c1::a9fe:a9fe'),
  ...targets('reserved', 'fd00:42::42', 'fe80::1', 'febf::1', 'fec0::1', 'ff02::1', 'ff0e::1', '2001::1', '2001:2::1'),
  ...targets('reserved', '2001:3::1', '2001:4:112::1', '2001:10::1', '2001:20::1', '2001:db8::1', '2002::1'),
  ...targets('reserved', '2620:4f:8000::1', '3fff::1', '2a00:1:2:3:0:5efe:a00:1', '2a00:1:2:3:200:5efe:7f00:1'),
];

const INTERNAL: Target[] = [...INTERNAL_V4, ...INTERNAL_V6, ...targets('loopback', '::ffff:127.0.0.1')];

/** The addresses that are written in every spelling; of each other range, one spelling is enough for the page. */
const SPELLED = ['127.0.0.1', '10.11.12.13', '172.20.1.1', '192.168.1.1', '100.64.0.1', '0.0.0.0'];
const SPELLED_METADATA = ['169.254.169.254', '100.100.100.200', '168.63.129.16'];

type Octets = [number, number, number, number];

const octetsOf = (address: string): Octets => address.split('.').map(Number) as Octets;
const hex = (value: number): string => `0x${value.toString(16)}`;
const octal = (value: number): string => `0${value.toString(8)}`;
const hexPair = (high = 0, low = 0): string => ((high << 8) | low).toString(16);
const percentEncode = (text: string): string =>
  [...Buffer.from(text)].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join('');

/** Writes the digits of an address as other Unicode digits. */
const withDigits = (address: string, digits: string): string => {
  const list = [...digits];
  return address.replace(/\d/g, (digit) => list[Number(digit)] as string);
};
const FULLWIDTH = '０１２３４５６７８９';
const CIRCLED = '⓪①②③④⑤⑥⑦⑧⑨';
const MATHEMATICAL = '𝟎𝟏𝟐𝟑𝟒𝟓𝟔𝟕𝟖𝟗';
const SUPERSCRIPT = '⁰¹²³⁴⁵⁶⁷⁸⁹';
const SUBSCRIPT = '₀₁₂₃₄₅₆₇₈₉';

/** The spellings of an IPv4 address as a number, or as fewer or other numbers than four decimal ones. */
function numberSpellings(address: string): string[] {
  const [a, b, c, d] = octetsOf(address);
  const last3 = (b << 16) | (c << 8) | d;
  const whole = ((a << 24) | last3) >>> 0;
  const all = [a, b, c, d];
  return [
    ...[
      String(whole),
      `${whole}.`,
      hex(whole),
      hex(whole).toUpperCase(),
      octal(whole),
      `0x00000000${hex(whole).slice(2)}`,
    ],
    ...[`${a}.${last3}`, `${hex(a)}.${hex(last3)}`, `${octal(a)}.${last3}`, `${a}.${b}.${(c << 8) | d}`],
    ...[`${hex(a)}.${octal(b)}.${hex((c << 8) | d)}`, all.map(hex).join('.'), all.map(octal).join('.')],
    all.map((part) => `0x0000${part.toString(16)}`).join('.'),
    all.map((part) => `00000${part.toString(8)}`).join('.'),
    `${hex(a)}.${b}.${octal(c)}.${d}`,
  ];
}

/** The spellings of an IPv4 address in other characters that the URL standard maps, decodes or drops. */
function characterSpellings(address: string): string[] {
  const start = address.slice(0, 2);
  const rest = address.slice(2);
  return [
    ...[address.replaceAll('.', '。'), address.replaceAll('.', '．'), address.replaceAll('.', '｡')],
    withDigits(address, FULLWIDTH).replaceAll('.', '。'),
    ...[FULLWIDTH, CIRCLED, MATHEMATICAL, SUPERSCRIPT, SUBSCRIPT].map((digits) => withDigits(address, digits)),
    ...[address.replaceAll('.', '%2e'), address.replaceAll('.', '%2E'), percentEncode(address)],
    ...[percentEncode(start) + rest, percentEncode(withDigits(address, FULLWIDTH))],
    ...[
      `${start}\u00ad${rest}`,
      `${start}\u200b${rest}`,
      `${start}\t${rest}`,
      `${start}\n${rest}`,
      `${start}\r\n${rest}`,
    ],
  ];
}

/** The spellings of an IPv4 address that the URL standard turns into the address. */
export const spellingsOf = (address: string): string[] => [
  ...[address, `${address}.`, `${address}:80`, `${address}:00080`, `${address}:65535`, `${address}:`],
  ...[`@${address}`, `:@${address}`],
  ...numberSpellings(address),
  ...characterSpellings(address),
];

/** An IPv4 address behind user information, which makes the URL unusable. */
const userSpellingsOf = (address: string): string[] =>
  ['user@', 'user:password@', ':password@', 'example.com@', 'example.com:80@', 'a%40b@', 'a@b@'].map(
    (user) => user + address,
  );

/** IPv6 addresses that contain an IPv4 address and lead to it. */
const mappedOf = (address: string): string[] => {
  const [a, b, c, d] = octetsOf(address);
  const [high, low] = [hexPair(a, b), hexPair(c, d)];
  return [
    ...[`::ffff:${address}`, `::FFFF:${high}:${low}`, `0:0:0:0:0:ffff:${high}:${low}`],
    `0000:0000:0000:0000:0000:ffff:${address}`,
  ];
};

/** IPv6 addresses that contain an IPv4 address and reach it through a translator or a tunnel, if at all. */
const tunnelsOf = (address: string): [string, string][] => {
  const [a, b, c, d] = octetsOf(address);
  const [high, low] = [hexPair(a, b), hexPair(c, d)];
  const inverted = `${hexPair(a ^ 255, b ^ 255)}:${hexPair(c ^ 255, d ^ 255)}`;
  return [
    ['IPv4-compatible', `::${address}`],
    ['IPv4-compatible', `::${high}:${low}`],
    ['IPv4-translated', `::ffff:0:${address}`],
    ['IPv4-translated', `::ffff:0:${high}:${low}`],
    ['NAT64', `64:ff9b::${address}`],
    ['NAT64', `64:ff9b::${high}:${low}`],
    ['NAT64, local prefix', `64:ff9b:1::${high}:${low}`],
    ['6to4', `2002:${high}:${low}::`],
    ['6to4', `2002:${high}:${low}::1`],
    ['Teredo, server', `2001:0:${high}:${low}::1`],
    ['Teredo, client', `2001:0:808:808:0:0:${inverted}`],
    ['ISATAP', `fe80::5efe:${high}:${low}`],
    ['ISATAP', `2a00:1:2:3:0:5efe:${high}:${low}`],
    ['ISATAP', `2a00:1:2:3:200:5efe:${high}:${low}`],
  ];
};

export const embeddingsOf = (address: string): string[] => [
  ...mappedOf(address),
  ...tunnelsOf(address).map(([, tunnel]) => tunnel),
];

/** Addresses a name server may return that no subscription may reach with `external`. */
export const INTERNAL_ADDRESSES: readonly string[] = INTERNAL.map(({ address }) => address);
export const INTERNAL_V4_ADDRESSES: readonly string[] = INTERNAL_V4.map(({ address }) => address);

const refused = (group: string, url: string, { address, network }: Target): WebhookAddress => ({
  group,
  url,
  leadsTo: address,
  network,
  decision: 'refused at save',
  error: 'blocked_address',
});

const unusable = (group: string, url: string, why: string): WebhookAddress => ({
  group,
  url,
  leadsTo: why,
  network: 'nowhere',
  decision: 'refused at save',
  error: 'validation_error',
});

function targetOf(address: string): Target {
  const found = INTERNAL.find((one) => one.address === address);
  if (!found) throw new Error(`${address} is not in the list of internal addresses`);
  return found;
}

function internalV4(): WebhookAddress[] {
  const plain = INTERNAL_V4.filter(({ address }) => ![...SPELLED, ...SPELLED_METADATA].includes(address));
  return [
    ...SPELLED.flatMap((address) =>
      spellingsOf(address).map((host) => refused(`Spellings of ${address}`, `http://${host}/hook`, targetOf(address))),
    ),
    ...SPELLED_METADATA.flatMap((address) =>
      spellingsOf(address).map((host) =>
        refused('Cloud metadata', `http://${host}/latest/meta-data/`, targetOf(address)),
      ),
    ),
    ...plain.map((target) => refused('Other internal IPv4 addresses', `http://${target.address}/`, target)),
  ];
}

function internalV6(): WebhookAddress[] {
  const embedded = [...SPELLED, '169.254.169.254'];
  const group = 'IPv4 inside IPv6';
  return [
    ...embedded.flatMap((address) => [
      ...mappedOf(address).map((host) => refused(group, `http://[${host}]/hook`, targetOf(address))),
      ...tunnelsOf(address).map(([how, host]) =>
        refused(group, `http://[${host}]/hook`, { address: `${address} (${how})`, network: 'reserved' }),
      ),
    ]),
    ...INTERNAL_V6.flatMap((target) => [
      refused('Internal IPv6 addresses', `http://[${target.address}]/`, target),
      refused('Internal IPv6 addresses', `https://[${target.address.toUpperCase()}]:8443/`, target),
    ]),
  ];
}

/** URLs that another parser may read as another host. */
function syntax(): WebhookAddress[] {
  const group = 'Slashes, white space and other syntax';
  const loopback = [
    ...['http:127.0.0.1', 'http:/127.0.0.1', 'http:///127.0.0.1', 'http:////127.0.0.1/', 'http:\\\\127.0.0.1\\'],
    ...['http:/\\127.0.0.1', 'http:\\/127.0.0.1', 'HTTP://127.0.0.1', 'hTtPs://127.0.0.1', 'https:127.0.0.1'],
    ...[
      '\thttp://127.0.0.1\n/',
      ' http://127.0.0.1 ',
      '\u0001http://127.0.0.1',
      'ht\ttp://127.0.0.1/',
      'http\n://127.0.0.1/',
    ],
    ...['http:/\t/127.0.0.1/', 'http://\t127.0.0.1/', 'http://127.0.0.1\t:80/', 'http://127.0.0.1:8\n0/'],
    ...['http://127.0.0.1#@example.com/', 'http://127.0.0.1?@example.com/', 'http://127.0.0.1/@example.com/'],
    ...['http://127.0.0.1\\@example.com/', 'http://127.0.0.1:80\\@example.com/', 'http://127.0.0.1:80#.example.com/'],
    ...['http://127.0.0.1/../example.com', 'http://127.0.0.1:443/', 'https://127.0.0.1:80/', 'http://127.0.0.1:1/'],
    ...[
      'http://0x7f.1/',
      'http://127.1:9/',
      'http://127.0.1/',
      'http://①②⑦.1/',
      'http://０ｘ７ｆ.1/',
      'http://0X7F.00.0x0.01/',
    ],
  ];
  const loopbackV6 = [
    ...['http://[0:0:0:0:0:0:0:1]/', 'http://[0000::0001]/', 'http://[::0.0.0.1]/', 'http:\\\\[::1]\\', 'http:[::1]'],
    ...['https://[::1]:443', 'http://[::1]:00080/', 'http://@[::1]/', 'http://[\t::1]/', 'HTTP:[0::1]'],
  ];
  const unspecified = ['http://0/', 'http://0x0/', 'http://00/', 'http://0.0/', 'http://0x/', 'http://0.0.0/'];
  return [
    ...loopback.map((url) => refused(group, url, targetOf('127.0.0.1'))),
    ...loopbackV6.map((url) => refused(group, url, targetOf('::1'))),
    ...unspecified.map((url) => refused(group, url, targetOf('0.0.0.0'))),
  ];
}

function unusableUrls(): WebhookAddress[] {
  const group = 'User information, schemes and invalid URLs';
  const schemes = [
    ...['ftp://127.0.0.1/', 'file:///etc/passwd', 'file://127.0.0.1/etc/passwd', 'gopher://127.0.0.1:6379/_INFO'],
    ...['dict://127.0.0.1:11211/stat', 'ldap://127.0.0.1/', 'ws://127.0.0.1/', 'wss://127.0.0.1/', 'tftp://127.0.0.1/'],
    ...['data:text/plain,x', 'javascript:alert(1)', 'blob:http://127.0.0.1/x', 'about:blank', 'unix:/run/docker.sock'],
    ...['http+unix://%2Frun%2Fdocker.sock/info', 'jar:http://127.0.0.1!/', 'mailto:owner@127.0.0.1', 'localhost:8080'],
    ...[
      '//127.0.0.1/',
      '/hook',
      '127.0.0.1',
      '127.0.0.1:80/hook',
      'nonsense',
      '',
      'hxxp://127.0.0.1/',
      'h\u2028ttp://127.0.0.1/',
    ],
  ];
  const invalid = [
    ...['http://', 'http:', 'https://?', 'http://#', 'http://:80/', 'http://[::1', 'http://::1/', 'http://[::1]x/'],
    ...['http://[]/', 'http://[:::1]/', 'http://[fe80::1%25eth0]/', 'http://[fe80::1%eth0]/', 'http://[::127.1]/'],
    ...[
      'http://[::ffff:0x7f.0.0.1]/',
      'http://［::1］/',
      'http://[127.0.0.1]/',
      'http://127.0.0.1.1/',
      'http://256.0.0.1/',
    ],
    ...[
      'http://127.0.0.256/',
      'http://4294967296/',
      'http://0x100000000/',
      'http://127.0.0.0x100/',
      'http://1.2.3.400/',
    ],
    ...[
      'http://127.0.0.1:65536/',
      'http://127.0.0.1:-1/',
      'http://127.0.0.1:80a/',
      'http://127.0.0.1%00/',
      'http://127.0.0.1%0a/',
    ],
    ...['http://127.0.0.1%20/', 'http://127.0.0.1 .example.com/', 'http://127.0.0.1%09.example.com/', 'http://a b/'],
    ...['http://127.0.0.1%2fexample.com/', 'http://127.0.0.1%5cexample.com/', 'http://127.0.0.1%23.example.com/'],
    ...[
      'http://example.com%40127.0.0.1/',
      'http://%/',
      'http://127.0.0.1|x/',
      'http://127.0.0.1\0/',
      'http://09.0.0.1/',
    ],
  ];
  return [
    ...['127.0.0.1', '10.11.12.13', '169.254.169.254', '[::1]', '8.8.8.8', 'example.com'].flatMap((host) =>
      userSpellingsOf(host).map((text) => unusable(group, `http://${text}/`, 'a URL with user information')),
    ),
    unusable(group, 'http://127.0.0.1%2f@example.com/', 'a URL with user information'),
    ...schemes.map((url) => unusable(group, url, 'not an http or https URL')),
    ...invalid.map((url) => unusable(group, url, 'an invalid URL')),
  ];
}

const PUBLIC_ANSWER = ['93.184.216.34'];

const named = (group: string, name: string, target: Target, ...answers: string[][]): WebhookAddress => ({
  ...refused(group, `http://${name}/hook`, target),
  answers,
});

/** Names that people and software give to internal addresses. */
const KNOWN_NAMES: [string, string][] = [
  ...['localhost', 'LOCALHOST', 'localhost.', 'localhost:8080', 'localhost.localdomain', 'any.localhost'].map(
    (name): [string, string] => [name, '127.0.0.1'],
  ),
  ...['ｌｏｃａｌｈｏｓｔ', 'ⓛⓞⓒⓐⓛⓗⓞⓢⓣ', 'local\u00adhost', 'lo%63alhost', 'loc\talhost', 'ℓocalhost'].map(
    (name): [string, string] => [name, '127.0.0.1'],
  ),
  ...(['ip6-localhost', 'ip6-loopback'] as const).map((name): [string, string] => [name, '::1']),
  ...[
    'localtest.me',
    'lvh.me',
    '127.0.0.1.nip.io',
    '7f000001.nip.io',
    '127-0-0-1.sslip.io',
    'spoofed.burpcollaborator.net',
  ].map((name): [string, string] => [name, '127.0.0.1']),
  ...[
    'metadata.google.internal',
    'metadata',
    'instance-data',
    'instance-data.ec2.internal',
    '169.254.169.254.nip.io',
  ].map((name): [string, string] => [name, '169.254.169.254']),
  ['kubernetes.default.svc', '10.0.0.0'],
  ['host.docker.internal', '192.168.1.1'],
  ['router.lan', '192.168.1.1'],
  ['bücher.example', '10.11.12.13'],
  ['xn--bcher-kva.example', '10.11.12.13'],
];

function internalNames(): WebhookAddress[] {
  const group = 'Names of internal addresses';
  const mixed = ['127.0.0.1', '10.11.12.13', '169.254.169.254', '::1', 'fd00::1', '::ffff:127.0.0.1'];
  return [
    ...KNOWN_NAMES.map(([name, address]) => named(group, name, targetOf(address), [address])),
    ...INTERNAL.map((target, at) => named(group, `internal${at + 1}.example`, target, [target.address])),
    ...mixed.flatMap((address, at) =>
      [
        [address, ...PUBLIC_ANSWER],
        [...PUBLIC_ANSWER, address],
        [...PUBLIC_ANSWER, '2606:4700::1111', address],
      ].map((answer, order) =>
        named(
          group,
          `mixed${at + 1}-${order + 1}.example`,
          { ...targetOf(address), address: answer.join(', ') },
          answer,
        ),
      ),
    ),
    ...['fe80::1%eth0', '64:ff9b::7f00:1', '2002:7f00:1::', '::7f00:1', '127.1', '0x7f.0.0.1', '2130706433'].map(
      (answer, at) => named(group, `odd${at + 1}.example`, { address: answer, network: 'reserved' }, [answer]),
    ),
    ...['unknown.example', '１２７.example', '١٢٧.٠.٠.١'].map((name) =>
      named(group, name, { address: 'a name without an address', network: 'nowhere' }, []),
    ),
  ];
}

/** Names whose address changes after the subscription was saved. */
function changingNames(): WebhookAddress[] {
  const group = 'Names whose address changes';
  const changing = INTERNAL.filter((_, at) => at % 2 === 0);
  return [
    ...changing.map((target, at): WebhookAddress => {
      const found = named(group, `changing${at + 1}.example`, target, PUBLIC_ANSWER, [target.address]);
      return { ...found, decision: 'refused at connect', error: null };
    }),
    ...['127.0.0.1', '10.11.12.13', '169.254.169.254'].flatMap((address, at): WebhookAddress[] => [
      named(group, `opening${at + 1}.example`, targetOf(address), [address], PUBLIC_ANSWER),
      {
        ...named(group, `adding${at + 1}.example`, targetOf(address), PUBLIC_ANSWER, [...PUBLIC_ANSWER, address]),
        decision: 'refused at connect',
        error: null,
      },
    ]),
  ];
}

const allowed = (url: string, address: string, answers?: string[][]): WebhookAddress => ({
  group: 'Public addresses',
  url,
  leadsTo: address,
  network: 'public',
  decision: 'allowed',
  error: null,
  ...(answers && { answers }),
});

function publicAddresses(): WebhookAddress[] {
  const beside = [
    ...['1.0.0.0', '9.255.255.255', '11.0.0.0', '100.63.255.255', '100.128.0.0', '126.255.255.255', '128.0.0.1'],
    ...[
      '169.253.255.255',
      '169.255.0.1',
      '172.15.255.255',
      '172.32.0.1',
      '192.0.1.1',
      '192.167.255.255',
      '192.169.0.1',
    ],
    ...['198.17.255.255', '198.20.0.1', '203.0.114.1', '223.255.255.255', '168.63.129.17'],
  ];
  const names = [
    ...[
      'example.com',
      'EXAMPLE.com',
      'example.com.',
      'example.com:8443',
      'hooks.example.com',
      'münchen.example',
      'ｅｘａｍｐｌｅ.com',
    ],
    ...[
      '127.0.0.1.example.com',
      '10.0.0.1.example',
      'localhost.example.com',
      'metadata.google.internal.example',
      '1.example',
    ],
  ];
  const paths = [
    ...['http://example.com\\@127.0.0.1/', 'http://example.com#@127.0.0.1/', 'http://example.com?@127.0.0.1/'],
    ...[
      'http://example.com/?url=http://127.0.0.1/',
      'https://example.com//127.0.0.1/',
      'http://example.com/%2e%2e/10.0.0.1',
    ],
    ...['http:example.com', 'http:\\\\example.com\\hook', ' http://exam\tple.com/ '],
  ];
  return [
    ...beside.map((address) => allowed(`http://${address}/`, address)),
    ...spellingsOf('8.8.8.8').map((host) => allowed(`http://${host}/hook`, '8.8.8.8')),
    ...mappedOf('8.8.8.8').map((host) => allowed(`http://[${host}]/hook`, '8.8.8.8')),
    ...['64:ff9b::808:808', '2606:4700::1111', '2a00:1450::1', '2400::1', '2800::1', '2c00::1'].flatMap((address) => [
      allowed(`http://[${address}]/`, address),
      allowed(`http://[${address.toUpperCase()}]:8080/`, address),
    ]),
    ...names.map((name) => allowed(`http://${name}/hook`, PUBLIC_ANSWER[0] as string, [PUBLIC_ANSWER])),
    ...paths.map((url) => allowed(url, PUBLIC_ANSWER[0] as string, [PUBLIC_ANSWER])),
    allowed('http://two.example/', '93.184.216.34', [['93.184.216.34', '2606:4700::1111']]),
    allowed('http://moving.example/', '93.184.216.34', [['8.8.8.8'], ['93.184.216.34']]),
  ];
}

function withoutRepetitions(list: WebhookAddress[]): WebhookAddress[] {
  const byUrl = new Map<string, WebhookAddress>();
  for (const one of list) if (!byUrl.has(one.url)) byUrl.set(one.url, one);
  return [...byUrl.values()];
}

export const WEBHOOK_ADDRESSES: readonly WebhookAddress[] = withoutRepetitions([
  ...internalV4(),
  ...internalV6(),
  ...syntax(),
  ...unusableUrls(),
  ...internalNames(),
  ...changingNames(),
  ...publicAddresses(),
]);
