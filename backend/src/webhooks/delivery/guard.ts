import { lookup as systemLookup } from 'node:dns/promises';
import { isIP, type LookupFunction } from 'node:net';
import { networkInterfaces } from 'node:os';
import { domainToASCII } from 'node:url';
import ipaddr from 'ipaddr.js';
import { SettingError } from '../../config/config.ts';
import { DomainError, invalid } from '../../shared/errors.ts';
import { parseUrl } from '../../shared/url.ts';

const SETTING = 'WEBHOOK_ALLOWED_HOSTS';
const MAX_URL_LENGTH = 2048;
/** A name server that does not respond must not block saving a channel; the checks at send time still apply. */
const CHECK_RESOLVE_MS = 3_000;

/** Webhooks may not be sent to this address. The message contains no address, so it may be logged. */
export class BlockedAddressError extends Error {
  readonly code = 'ERR_BLOCKED_ADDRESS';
  constructor() {
    super(`Webhooks may not be sent to this address (${SETTING})`);
    this.name = 'BlockedAddressError';
  }
}

/** The host name has no address. */
export class UnresolvedHostError extends Error {
  readonly code = 'ENOTFOUND';
  constructor(cause?: unknown) {
    super('The host name could not be resolved', { cause });
    this.name = 'UnresolvedHostError';
  }
}

/** The checks for one target: its URL, every resolved address, and the address of the connected socket. */
export interface TargetGuard {
  /** @throws BlockedAddressError if the URL contains a forbidden address; names pass and are checked by `lookup` */
  checkLiteral(): void;
  /** for `net.connect`: returns only allowed addresses; one forbidden address fails the lookup */
  lookup: LookupFunction;
  /** @throws BlockedAddressError if the connected socket's address is forbidden */
  checkAddress(address: string): void;
}

export interface Guard {
  /** @throws DomainError `validation_error` for an unusable URL, `blocked_address` for a forbidden address */
  checkUrl(url: string): Promise<void>;
  forTarget(url: URL): TargetGuard;
  /** the policy in one line, for the startup log */
  describe(): string;
}

export interface GuardOptions {
  /** value of WEBHOOK_ALLOWED_HOSTS; undefined: the default for `signUp` */
  allowedHosts: string | undefined;
  signUp: 'open' | 'closed';
  /** the service's own database and Redis, which are always refused */
  ownServices: { host: string; port: number }[];
  /** resolves a name to all its addresses; replaced in tests */
  resolve?: (host: string) => Promise<string[]>;
}

/** Classifies addresses. No setting allows `never`. */
type Tier = 'never' | 'loopback' | 'private' | 'external';
const KEYWORDS = ['external', 'private', 'loopback'] as const;

type Address = ipaddr.IPv4 | ipaddr.IPv6;
type Range = [Address, number];

const ranges = (...texts: string[]): Range[] => texts.map((text) => ipaddr.parseCIDR(text));

const isInRange = (address: Address, range: Range): boolean =>
  address.kind() === range[0].kind() && address.match(range as [ipaddr.IPv4 & ipaddr.IPv6, number]);

/** Cloud metadata endpoints outside the link-local range, which is refused entirely. */
const METADATA = ranges(
  '168.63.129.16/32', // Azure
  '100.100.100.200/32', // Alibaba
  'fd00:ec2::/32', // AWS: instance metadata, pod identity
  'fd20:ce::/32', // Google
  'fd00:c1::/32', // Oracle
  'fd00:42::42/128', // Scaleway
);
const [GLOBAL_V6] = ranges('2000::/3') as [Range];
const [NAT64] = ranges('64:ff9b::/96') as [Range];

const embeddedV4 = (address: ipaddr.IPv6): ipaddr.IPv4 => new ipaddr.IPv4(address.toByteArray().slice(12));

/**
 * Parses an address to the one a connection ends at. Only IPv4-mapped addresses are unwrapped here; 6to4, Teredo,
 * IPv4-compatible and other embeddings are kept and refused.
 */
function parse(text: string): Address | null {
  // ipaddr.js also accepts octal, hexadecimal and short forms, which resolvers and sockets never return
  if (isIP(text) === 0 || text.includes('%')) return null;
  const address = ipaddr.parse(text);
  if (address instanceof ipaddr.IPv6 && address.isIPv4MappedAddress()) return address.toIPv4Address();
  return address;
}

function tierOf(address: Address): Tier {
  if (METADATA.some((range) => isInRange(address, range))) return 'never';
  const range = address.range();
  if (address instanceof ipaddr.IPv4) {
    if (range === 'loopback') return 'loopback';
    if (range === 'private' || range === 'carrierGradeNat') return 'private';
    return range === 'unicast' ? 'external' : 'never';
  }
  // NAT64 leads from an IPv6-only network to the public Internet only
  if (isInRange(address, NAT64)) return tierOf(embeddedV4(address)) === 'external' ? 'external' : 'never';
  if (range === 'loopback') return 'loopback';
  // ISATAP embeds an IPv4 address behind any prefix
  const { parts } = address;
  if (parts[5] === 0x5efe && (parts[4] === 0 || parts[4] === 0x200)) return 'never';
  if (range === 'uniqueLocal') return 'private';
  // ipaddr.js reports every unknown range as `unicast`, including `::7f00:1` and 4000::/3
  return range === 'unicast' && isInRange(address, GLOBAL_V6) ? 'external' : 'never';
}

interface Entry {
  /** exact name, `.suffix` for `*.suffix`, or null */
  name: string | null;
  range: Range | null;
  port: number | null;
}

const NAME = /^(?=.{1,253}$)[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?(\.[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?)*$/;

const malformed = (text: string): SettingError =>
  new SettingError(
    SETTING,
    `${JSON.stringify(text)} is not external, private, loopback, a CIDR such as 192.168.1.0/24, a host name or host:port`,
  );

const hostRange = (host: string): Range | null => {
  const address = parse(host);
  return address && [address, address.kind() === 'ipv4' ? 32 : 128];
};

function parseEntry(text: string): Entry {
  const entry = text.toLowerCase();
  if (entry.includes('/')) {
    const [base = '', bits = '', ...rest] = entry.split('/');
    const version = isIP(base);
    const fits = /^\d{1,3}$/.test(bits) && Number(bits) <= (version === 4 ? 32 : 128);
    if (version === 0 || base.includes('%') || !fits || rest.length > 0) throw malformed(text);
    return { name: null, range: [ipaddr.parse(base), Number(bits)], port: null };
  }
  const [, bracketed, named, digits] = /^(?:\[([^\]]*)\]|([^:[\]]*))(?::(\d{1,5}))?$/.exec(entry) ?? [];
  const bare = isIP(entry) === 6 ? entry : undefined;
  const host = bare ?? bracketed ?? named ?? '';
  const port = digits === undefined || bare !== undefined ? null : Number(digits);
  if (port !== null && (port < 1 || port > 65_535)) throw malformed(text);
  const range = hostRange(host);
  if (range) return { name: null, range, port };
  const wildcard = host.startsWith('*.');
  const name = asUrlName(withoutDot(wildcard ? host.slice(2) : host));
  // a name that ends in a number is a mistyped address; no URL can contain it
  if (bracketed !== undefined || !NAME.test(name) || /(^|\.)(\d+|0x[0-9a-f]*)$/.test(name)) throw malformed(text);
  return { name: wildcard ? `.${name}` : name, range: null, port };
}

/**
 * Converts non-ASCII names to punycode as in URLs. ASCII stays unchanged: normalizing would turn `127.1` into an
 * address.
 */
const asUrlName = (name: string): string => (/[^\x20-\x7e]/.test(name) ? domainToASCII(name) : name);

const withoutDot = (host: string): string => (host.endsWith('.') ? host.slice(0, -1) : host);

/** The host of a URL as `net.connect` and the entries use it: without brackets and trailing dot. */
const hostOf = (url: URL): string => withoutDot(url.hostname.replace(/^\[|\]$/g, '').toLowerCase());

const portOf = (url: URL): number => (url.port === '' ? (url.protocol === 'https:' ? 443 : 80) : Number(url.port));

const isUsable = (url: URL): boolean =>
  (url.protocol === 'http:' || url.protocol === 'https:') && url.username === '' && url.password === '';

/**
 * Decides where webhooks may go: one policy for creation, update, test and delivery. Checking lookups alone is not
 * enough, because Node performs none for an address in the URL. Hence three checks: the URL, every resolved address,
 * and the address of the connected socket.
 * @throws SettingError if an entry cannot be parsed
 */
export function createGuard(options: GuardOptions): Guard {
  const resolve =
    options.resolve ??
    (async (host: string) => (await systemLookup(host, { all: true })).map((found) => found.address));

  const written =
    options.allowedHosts?.trim() || (options.signUp === 'open' ? 'external' : 'external,private,loopback');
  const texts = written.split(',').map((text) => text.trim());
  const isKeyword = (text: string): boolean => (KEYWORDS as readonly string[]).includes(text.toLowerCase());
  const openTiers = new Set(texts.filter(isKeyword).map((text) => text.toLowerCase()));
  const entries = texts.filter((text) => !isKeyword(text)).map(parseEntry);

  const own = createOwnServices(options.ownServices, resolve);

  function isAllowed(text: string, host: string, port: number): boolean {
    const address = parse(text);
    if (!address) return false;
    const tier = tierOf(address);
    if (tier === 'never' || own.isAt(address, tier, port)) return false;
    if (openTiers.has(tier)) return true;
    return entries.some((entry) => {
      if (entry.port !== null && entry.port !== port) return false;
      if (entry.range) return isInRange(address, entry.range);
      return entry.name?.startsWith('.') ? host.endsWith(entry.name) : host === entry.name;
    });
  }

  /** @throws UnresolvedHostError, BlockedAddressError */
  async function addressesOf(host: string, port: number): Promise<string[]> {
    // the name of our own database is refused whatever it resolves to
    if (own.isNamed(host, port)) throw new BlockedAddressError();
    const [found] = await Promise.all([
      resolve(host).catch((cause: unknown) => {
        throw new UnresolvedHostError(cause);
      }),
      own.refresh(port),
    ]);
    if (found.length === 0) throw new UnresolvedHostError();
    // one forbidden address among allowed ones is a rebinding attempt or a misconfigured zone; refuse both
    if (!found.every((address) => isAllowed(address, host, port))) throw new BlockedAddressError();
    return found;
  }

  function blocked(): DomainError {
    const detail =
      `Webhooks can't be sent to this address. The operator decides which addresses are allowed with the setting ${SETTING}: ` +
      'to allow a host on your own network, add its name, host:port or CIDR. Link-local, cloud metadata, multicast and ' +
      "reserved addresses and the service's own database are never allowed.";
    return new DomainError('blocked_address', detail, {
      faults: [{ pointer: '/url', detail }],
      facts: { setting: SETTING },
    });
  }

  const guard: Guard = {
    async checkUrl(text) {
      if (text.length > MAX_URL_LENGTH) throw invalid('/url', `The URL is longer than ${MAX_URL_LENGTH} characters.`);
      const url = parseUrl(text);
      if (!url || (url.protocol !== 'http:' && url.protocol !== 'https:')) {
        throw invalid('/url', 'The URL must start with http:// or https://.');
      }
      if (!isUsable(url)) throw invalid('/url', 'The URL must not contain a user name or password.');
      const host = hostOf(url);
      try {
        if (isIP(host) !== 0) {
          await own.refresh(portOf(url));
          guard.forTarget(url).checkLiteral();
        } else await withTimeout(CHECK_RESOLVE_MS, addressesOf(host, portOf(url)));
      } catch (error) {
        if (error instanceof BlockedAddressError) throw blocked();
        // a receiver that is not running yet may have no name yet; the checks at send time apply
        if (!(error instanceof UnresolvedHostError)) throw error;
      }
    },

    forTarget(url) {
      const host = hostOf(url);
      const port = portOf(url);
      const isLiteral = isIP(host) !== 0;
      const checkAddress = (address: string): void => {
        if (!isAllowed(address, host, port)) throw new BlockedAddressError();
      };
      return {
        checkLiteral() {
          if (!isUsable(url) || own.isNamed(host, port)) throw new BlockedAddressError();
          if (isLiteral) checkAddress(host);
        },
        lookup(hostname, { all, family }, callback) {
          addressesOf(withoutDot(hostname.toLowerCase()), port).then(
            (addresses) => {
              const wanted = family === 4 || family === 'IPv4' ? 4 : family === 6 || family === 'IPv6' ? 6 : 0;
              const list = addresses
                .map((address) => ({ address, family: isIP(address) }))
                .filter((found) => wanted === 0 || found.family === wanted);
              const [first] = list;
              if (!first) callback(new UnresolvedHostError(), []);
              else if (all) callback(null, list);
              else callback(null, first.address, first.family);
            },
            (error: Error) => callback(error, []),
          );
        },
        checkAddress,
      };
    },

    describe: () => texts.join(', '),
  };
  return guard;
}

/** Rejects with UnresolvedHostError if the work takes longer than `ms`. */
async function withTimeout<T>(ms: number, work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new UnresolvedHostError()), ms);
  });
  try {
    return await Promise.race([work, timeout]);
  } finally {
    clearTimeout(timer);
  }
}

/**
 * The service's own database and Redis, by name and by every address that leads to them: a service on this host is
 * reachable at each of the host's addresses.
 */
function createOwnServices(services: { host: string; port: number }[], resolve: (host: string) => Promise<string[]>) {
  const all = services.map(({ host, port }) => {
    const name = withoutDot(host.toLowerCase().replace(/^\[|\]$/g, ''));
    const fixed = name === 'localhost' ? ['127.0.0.1', '::1'] : isIP(name) !== 0 ? [name] : null;
    // null: a name that is not resolved yet
    return { name, port, fixed: fixed !== null, addresses: fixed };
  });

  async function refresh(port: number): Promise<void> {
    await Promise.all(
      all
        .filter((service) => service.port === port && !service.fixed)
        .map(async (service) => {
          const found = await resolve(service.name).catch(() => []);
          if (found.length > 0) service.addresses = found;
        }),
    );
  }
  // `checkLiteral` is synchronous and cannot wait for a lookup, so resolve beforehand
  for (const port of new Set(all.map((service) => service.port))) void refresh(port);

  const onThisMachine = (address: Address, interfaces: Set<string>): boolean =>
    tierOf(address) === 'loopback' || address.range() === 'unspecified' || interfaces.has(address.toString());

  return {
    refresh,
    isNamed: (host: string, port: number): boolean =>
      all.some((service) => service.port === port && service.name === host),
    isAt(address: Address, tier: Tier, port: number): boolean {
      const candidates = all.filter((service) => service.port === port);
      if (candidates.length === 0) return false;
      const interfaces = new Set(
        Object.values(networkInterfaces()).flatMap((list) =>
          (list ?? []).map((one) => ipaddr.parse(one.address).toString()),
        ),
      );
      return candidates.some((service) => {
        if (service.addresses === null) return tier !== 'external';
        const known = service.addresses.flatMap((text) => parse(text) ?? []);
        if (known.some((one) => one.toString() === address.toString())) return true;
        return onThisMachine(address, interfaces) && known.some((one) => onThisMachine(one, interfaces));
      });
    },
  };
}
