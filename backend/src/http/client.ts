import type { Request } from 'express';
import ipaddr from 'ipaddr.js';

/** @param address of IPv6 */
const toNetwork = (address: string, bits: number): string =>
  `${ipaddr.IPv6.networkAddressFromCIDR(`${address}/${bits}`).toString()}/${bits}`;

/**
 * The client's address; for IPv6 its /64 network, which providers assign to one customer. X-Forwarded-For counts only
 * behind a trusted proxy.
 */
export function clientOf(req: Request): string {
  const text = req.ip ?? '';
  if (!ipaddr.isValid(text)) return text;
  const address = ipaddr.process(text);
  return address.kind() === 'ipv4' ? address.toString() : toNetwork(address.toNormalizedString(), 64);
}

/**
 * The /48 network of a client that `clientOf` has named; undefined for IPv4. Some providers assign all of it to one
 * customer, others share it between many, so it may do more than one address.
 */
export const networkOf = (client: string): string | undefined =>
  client.endsWith('/64') ? toNetwork(client.slice(0, -'/64'.length), 48) : undefined;
