import type { Request } from 'express';
import ipaddr from 'ipaddr.js';

/**
 * The client's address; for IPv6 its /64 network, which providers assign to one customer. X-Forwarded-For counts only
 * behind a trusted proxy.
 */
export function clientOf(req: Request): string {
  const text = req.ip ?? '';
  if (!ipaddr.isValid(text)) return text;
  const address = ipaddr.process(text);
  if (address.kind() === 'ipv4') return address.toString();
  return `${ipaddr.IPv6.networkAddressFromCIDR(`${address.toNormalizedString()}/64`).toString()}/64`;
}
