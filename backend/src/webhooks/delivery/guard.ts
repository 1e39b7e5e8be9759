import { lookup as systemLookup } from 'node:dns/promises';
import { isIP, type LookupFunction } from 'node:net';
import { lookupTable } from '../../../../common/src/lookup-table.ts';
import { parseUrl } from '../../../../common/src/url.ts';
import { DomainError, invalid } from '../../shared/errors.ts';
import { parseAddress, tierOf } from './address.ts';
import {
  type AllowedHosts,
  isHostAllowed,
  isUnresolvedAllowed,
  parseAllowedHosts,
  SETTING,
  withoutDot,
} from './allowed-hosts.ts';
import { createOwnServices, type OwnService, type OwnServices, type Resolve } from './own-services.ts';

const MAX_URL_LENGTH = 2048;
/** A name server that does not respond must not block saving a subscription; the checks at send time still apply. */
const CHECK_RESOLVE_MS = 3_000;

/** Of a name, in the order of the name server. Checking thousands would hold up this process at each connection. */
const MAX_ADDRESSES = 32;

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
  /** Refuses another service of our own: the server, whose port is known once it listens. */
  refuse(service: OwnService): void;
  /** the policy in one line, for the startup log */
  describe(): string;
}

export interface GuardOptions {
  /** value of WEBHOOK_ALLOWED_HOSTS; undefined: the default for `signUp` */
  allowedHosts: string | undefined;
  signUp: 'open' | 'closed';
  /** the service's own database and Redis, which are always refused */
  ownServices: OwnService[];
  /** replaced in tests */
  resolve?: Resolve;
}

interface Policy {
  allowed: AllowedHosts;
  own: OwnServices;
  resolve: Resolve;
}

const resolveBySystem: Resolve = async (host) =>
  (await systemLookup(host, { all: true })).map((found) => found.address);

/**
 * Decides where webhooks may go: one policy for creation, update, test and delivery. Checking lookups alone is not
 * enough, because Node performs none for an address in the URL. Hence three checks: the URL, every resolved address,
 * and the address of the connected socket.
 * @throws SettingError if an entry cannot be parsed
 */
export function createGuard({ allowedHosts, signUp, ownServices, resolve = resolveBySystem }: GuardOptions): Guard {
  const allowed = parseAllowedHosts(
    allowedHosts?.trim() || (signUp === 'open' ? 'external' : 'external,private,loopback'),
  );
  const policy: Policy = { allowed, own: createOwnServices(ownServices, resolve), resolve };
  return {
    checkUrl: (url) => checkUrl(policy, url),
    forTarget: (url) => createTargetGuard(policy, url),
    refuse: policy.own.add,
    describe: () => allowed.texts.join(', '),
  };
}

/** The host of a URL as `net.connect` and the entries use it: without brackets and trailing dot. */
const hostOf = (url: URL): string => withoutDot(url.hostname.replace(/^\[|\]$/g, '').toLowerCase());

const portOf = (url: URL): number => (url.port === '' ? (url.protocol === 'https:' ? 443 : 80) : Number(url.port));

const isUsable = (url: URL): boolean =>
  (url.protocol === 'http:' || url.protocol === 'https:') && url.username === '' && url.password === '';

async function checkUrl(policy: Policy, text: string): Promise<void> {
  const { allowed } = policy;
  if (text.length > MAX_URL_LENGTH) throw invalid('/url', `The URL is longer than ${MAX_URL_LENGTH} characters.`);
  const url = parseUrl(text);
  if (!url || (url.protocol !== 'http:' && url.protocol !== 'https:')) {
    throw invalid('/url', 'The URL must start with http:// or https://.');
  }
  if (!isUsable(url)) throw invalid('/url', 'The URL must not contain a user name or password.');
  try {
    await checkHost(policy, url);
  } catch (error) {
    if (error instanceof BlockedAddressError) throw blocked();
    if (!(error instanceof UnresolvedHostError)) throw error;
    // a receiver that is not running yet may have no name yet; the checks at send time apply
    if (!isUnresolvedAllowed(allowed, hostOf(url), portOf(url))) throw blocked();
  }
}

/** @throws UnresolvedHostError, BlockedAddressError */
async function checkHost(policy: Policy, url: URL): Promise<void> {
  const [host, port] = [hostOf(url), portOf(url)];
  if (isIP(host) === 0) {
    await withTimeout(CHECK_RESOLVE_MS, addressesOf(policy, host, port));
    return;
  }
  await policy.own.refresh(port);
  createTargetGuard(policy, url).checkLiteral();
}

function createTargetGuard(policy: Policy, url: URL): TargetGuard {
  const host = hostOf(url);
  const port = portOf(url);
  const checkAddress = (address: string): void => {
    if (!isAllowed(policy, address, host, port)) throw new BlockedAddressError();
  };
  return {
    checkLiteral() {
      if (!isUsable(url) || policy.own.isNamed(host, port)) throw new BlockedAddressError();
      if (isIP(host) !== 0) checkAddress(host);
    },
    lookup(hostname, options, callback) {
      addressesOf(policy, withoutDot(hostname.toLowerCase()), port).then(
        (addresses) => respondToLookup(addresses, options, callback),
        (error: Error) => callback(error, []),
      );
    },
    checkAddress,
  };
}

const FAMILIES = lookupTable<number>({ 4: 4, IPv4: 4, 6: 6, IPv6: 6 });

/** Returns the addresses of the requested family as `net.connect` expects them. */
function respondToLookup(
  addresses: string[],
  { all, family = 0 }: Parameters<LookupFunction>[1],
  callback: Parameters<LookupFunction>[2],
): void {
  const wanted = FAMILIES.get(String(family));
  const list = addresses
    .map((address) => ({ address, family: isIP(address) }))
    .filter((found) => wanted === undefined || found.family === wanted);
  const [first] = list;
  if (!first) callback(new UnresolvedHostError(), []);
  else if (all) callback(null, list);
  else callback(null, first.address, first.family);
}

function isAllowed({ allowed, own }: Policy, text: string, host: string, port: number): boolean {
  const address = parseAddress(text);
  if (!address) return false;
  const tier = tierOf(address);
  if (tier === 'never' || own.isAt(address, tier, port)) return false;
  return isHostAllowed(allowed, address, tier, host, port);
}

/** @throws UnresolvedHostError, BlockedAddressError */
async function addressesOf(policy: Policy, host: string, port: number): Promise<string[]> {
  const { own, resolve } = policy;
  // the name of our own database is refused whatever it resolves to
  if (own.isNamed(host, port)) throw new BlockedAddressError();
  const [found] = await Promise.all([
    resolve(host).catch((cause: unknown) => {
      throw new UnresolvedHostError(cause);
    }),
    own.refresh(port),
  ]);
  if (found.length === 0) throw new UnresolvedHostError();
  const used = found.slice(0, MAX_ADDRESSES);
  // one forbidden address among allowed ones is a rebinding attempt or a misconfigured zone; refuse both
  if (!used.every((address) => isAllowed(policy, address, host, port))) throw new BlockedAddressError();
  return used;
}

function blocked(): DomainError {
  const detail =
    `Webhooks can't be sent to this address, or its name is unknown. The operator decides which addresses are allowed with the setting ${SETTING}: ` +
    'to allow a host on your own network, add its name, host:port or CIDR. Link-local, cloud metadata, multicast and ' +
    'reserved addresses, the service itself and its database are never allowed.';
  return new DomainError('blocked_address', detail, {
    faults: [{ pointer: '/url', detail }],
    facts: { setting: SETTING },
  });
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
