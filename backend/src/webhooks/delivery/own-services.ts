import { isIP } from 'node:net';
import { networkInterfaces } from 'node:os';
import ipaddr from 'ipaddr.js';
import { type Address, parseAddress, type Tier, tierOf } from './address.ts';
import { withoutDot } from './allowed-hosts.ts';

export interface OwnService {
  host: string;
  port: number;
}

/** Resolves a name to all its addresses. */
export type Resolve = (host: string) => Promise<string[]>;

export type OwnServices = ReturnType<typeof createOwnServices>;

/**
 * The service itself, its database and Redis, by name and by every address that leads to them: a service on this host
 * is reachable at each of the host's addresses.
 */
export function createOwnServices(services: OwnService[], resolve: Resolve) {
  const all = services.map(toKnown);

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

  return {
    add(service: OwnService): void {
      all.push(toKnown(service));
      void refresh(service.port);
    },
    refresh,
    isNamed: (host: string, port: number): boolean =>
      all.some((service) => service.port === port && service.name === host),
    isAt(address: Address, tier: Tier, port: number): boolean {
      const candidates = all.filter((service) => service.port === port);
      if (candidates.length === 0) return false;
      const interfaces = addressesOfThisMachine();
      return candidates.some((service) => {
        if (service.addresses === null) return tier !== 'external';
        const known = service.addresses.flatMap((text) => parseAddress(text) ?? []);
        if (known.some((one) => one.toString() === address.toString())) return true;
        return onThisMachine(address, interfaces) && known.some((one) => onThisMachine(one, interfaces));
      });
    },
  };
}

function toKnown({ host, port }: OwnService) {
  const name = withoutDot(host.toLowerCase().replace(/^\[|\]$/g, ''));
  const fixed = name === 'localhost' ? ['127.0.0.1', '::1'] : isIP(name) !== 0 ? [name] : null;
  // null: a name that is not resolved yet
  return { name, port, fixed: fixed !== null, addresses: fixed };
}

const addressesOfThisMachine = (): Set<string> =>
  new Set(
    Object.values(networkInterfaces()).flatMap((list) =>
      (list ?? []).map((one) => ipaddr.parse(one.address).toString()),
    ),
  );

const onThisMachine = (address: Address, interfaces: Set<string>): boolean =>
  tierOf(address) === 'loopback' || address.range() === 'unspecified' || interfaces.has(address.toString());
