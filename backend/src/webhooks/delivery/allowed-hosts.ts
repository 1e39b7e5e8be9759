import { isIP } from 'node:net';
import { domainToASCII } from 'node:url';
import ipaddr from 'ipaddr.js';
import { quoteValue, SettingError } from '../../shared/setting-error.ts';
import { type Address, isInRange, parseAddress, type Range, rangeOf, type Tier } from './address.ts';

export const SETTING = 'WEBHOOK_ALLOWED_HOSTS';

const KEYWORDS = ['external', 'private', 'loopback'] as const;

interface Entry {
  /** exact name, `.suffix` for `*.suffix`, or null */
  name: string | null;
  range: Range | null;
  port: number | null;
}

/** The setting, parsed. */
export interface AllowedHosts {
  /** its entries as written */
  texts: string[];
  tiers: ReadonlySet<string>;
  entries: Entry[];
}

/** @throws SettingError if an entry cannot be parsed */
export function parseAllowedHosts(setting: string): AllowedHosts {
  const texts = setting.split(',').map((text) => text.trim());
  const isKeyword = (text: string): boolean => (KEYWORDS as readonly string[]).includes(text.toLowerCase());
  return {
    texts,
    tiers: new Set(texts.filter(isKeyword).map((text) => text.toLowerCase())),
    entries: texts.filter((text) => !isKeyword(text)).map(parseEntry),
  };
}

/** Whether the setting allows the address, reached by this name and port. */
export function isHostAllowed(
  { tiers, entries }: AllowedHosts,
  address: Address,
  tier: Tier,
  host: string,
  port: number,
): boolean {
  if (tiers.has(tier)) return true;
  return entries.some((entry) => {
    if (!entry.range) return matchesName(entry, host, port);
    return (entry.port === null || entry.port === port) && isInRange(address, entry.range);
  });
}

/**
 * Whether a name without an address is accepted. Where addresses of the own network are refused, an unknown name must
 * get the answer of a name that leads there: otherwise callers could find out which internal names exist.
 */
export const isUnresolvedAllowed = ({ tiers, entries }: AllowedHosts, host: string, port: number): boolean =>
  (tiers.has('private') && tiers.has('loopback')) ||
  entries.some((entry) => entry.name && matchesName(entry, host, port));

const matchesName = ({ name, port: only }: Entry, host: string, port: number): boolean =>
  (only === null || only === port) && (name?.startsWith('.') ? host.endsWith(name) : host === name);

const NAME = /^(?=.{1,253}$)[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?(\.[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?)*$/;

const malformed = (text: string): SettingError =>
  new SettingError(
    SETTING,
    `${quoteValue(text)} is not external, private, loopback, a CIDR such as 192.168.1.0/24, a host name or host:port`,
  );

function parseEntry(text: string): Entry {
  const entry = text.toLowerCase();
  const parsed = entry.includes('/') ? parseCidr(entry) : parseHostAndPort(entry);
  if (!parsed) throw malformed(text);
  return parsed;
}

function parseCidr(entry: string): Entry | null {
  const [base = '', bits = '', ...rest] = entry.split('/');
  const version = isIP(base);
  const fits = /^\d{1,3}$/.test(bits) && Number(bits) <= (version === 4 ? 32 : 128);
  if (version === 0 || base.includes('%') || !fits || rest.length > 0) return null;
  return { name: null, range: [ipaddr.parse(base), Number(bits)], port: null };
}

function parseHostAndPort(entry: string): Entry | null {
  if (isIP(entry) === 6) return parseHost(entry, null);
  const [, bracketed, named, digits] = /^(?:\[([^\]]*)\]|([^:[\]]*))(?::(\d{1,5}))?$/.exec(entry) ?? [];
  const port = digits === undefined ? null : Number(digits);
  if (port !== null && (port < 1 || port > 65_535)) return null;
  const parsed = parseHost(bracketed ?? named ?? '', port);
  return bracketed !== undefined && parsed?.name ? null : parsed;
}

function parseHost(host: string, port: number | null): Entry | null {
  const address = parseAddress(host);
  if (address) return { name: null, range: rangeOf(address), port };
  const wildcard = host.startsWith('*.');
  const name = asUrlName(withoutDot(wildcard ? host.slice(2) : host));
  // a name that ends in a number is a mistyped address; no URL can contain it
  if (!NAME.test(name) || /(^|\.)(\d+|0x[0-9a-f]*)$/.test(name)) return null;
  return { name: wildcard ? `.${name}` : name, range: null, port };
}

/**
 * Converts non-ASCII names to punycode as in URLs. ASCII stays unchanged: normalizing would turn `127.1` into an
 * address.
 */
const asUrlName = (name: string): string => (/[^\x20-\x7e]/.test(name) ? domainToASCII(name) : name);

export const withoutDot = (host: string): string => (host.endsWith('.') ? host.slice(0, -1) : host);
