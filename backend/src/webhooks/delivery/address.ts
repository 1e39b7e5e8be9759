import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/** Classifies addresses. No setting allows `never`. */
export type Tier = 'never' | 'loopback' | 'private' | 'external';

export type Address = ipaddr.IPv4 | ipaddr.IPv6;
export type Range = [Address, number];

const ranges = (...texts: string[]): Range[] => texts.map((text) => ipaddr.parseCIDR(text));

export const isInRange = (address: Address, range: Range): boolean =>
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

/**
 * Parses an address to the one a connection ends at. Only IPv4-mapped addresses are unwrapped here; 6to4, Teredo,
 * IPv4-compatible and other embeddings are kept and refused.
 */
export function parseAddress(text: string): Address | null {
  // ipaddr.js also accepts octal, hexadecimal and short forms, which resolvers and sockets never return
  if (isIP(text) === 0 || text.includes('%')) return null;
  const address = ipaddr.parse(text);
  if (address instanceof ipaddr.IPv6 && address.isIPv4MappedAddress()) return address.toIPv4Address();
  return address;
}

/** The range that contains only this address. */
export const rangeOf = (address: Address): Range => [address, address.kind() === 'ipv4' ? 32 : 128];

export function tierOf(address: Address): Tier {
  if (METADATA.some((range) => isInRange(address, range))) return 'never';
  return address instanceof ipaddr.IPv4 ? tierOfV4(address) : tierOfV6(address);
}

function tierOfV4(address: ipaddr.IPv4): Tier {
  const range = address.range();
  if (range === 'loopback') return 'loopback';
  if (range === 'private' || range === 'carrierGradeNat') return 'private';
  return range === 'unicast' ? 'external' : 'never';
}

function tierOfV6(address: ipaddr.IPv6): Tier {
  // NAT64 leads from an IPv6-only network to the public Internet only
  if (isInRange(address, NAT64)) return tierOf(embeddedV4(address)) === 'external' ? 'external' : 'never';
  const range = address.range();
  if (range === 'loopback') return 'loopback';
  if (isIsatap(address)) return 'never';
  if (range === 'uniqueLocal') return 'private';
  // ipaddr.js reports every unknown range as `unicast`, including `::7f00:1` and 4000::/3
  return range === 'unicast' && isInRange(address, GLOBAL_V6) ? 'external' : 'never';
}

const embeddedV4 = (address: ipaddr.IPv6): ipaddr.IPv4 => new ipaddr.IPv4(address.toByteArray().slice(12));

/** ISATAP embeds an IPv4 address behind any prefix. */
const isIsatap = ({ parts }: ipaddr.IPv6): boolean => parts[5] === 0x5efe && (parts[4] === 0 || parts[4] === 0x200);
