import { type AddressInfo, createServer, isIP, type LookupFunction, Socket } from 'node:net';

const CANARY = '127.0.0.2';
/** Allow this address beside the public ones: it stands for them. */
export const INTERNET = '127.0.0.3';

/**
 * Whether this process runs in a network namespace in which every address is local, so that connections keep theirs:
 * `unshare -n`, then `ip route add local 0.0.0.0/0 dev lo` and the same with `-6` and `::/0`.
 */
const IS_EVERY_ADDRESS_LOCAL = process.env.FARMBOARD_TEST_LOCAL_NETWORK === '1';

interface Options {
  host?: string;
  port?: number;
  lookup?: LookupFunction;
}

export type Network = Awaited<ReturnType<typeof startNetwork>>;

/**
 * Routes every new TCP connection of this process to real sockets on this machine, whatever its address and port: public
 * addresses to a receiver, all others to a canary. Names are resolved by the connection's own lookup first.
 * @param publicAddresses in canonical spelling
 */
export async function startNetwork(publicAddresses: ReadonlySet<string>) {
  const seen = { canary: 0, internet: 0 };
  const server = createServer((socket) => {
    const address = socket.localAddress?.replace(/^::ffff:/, '') ?? '';
    const isPublic = publicAddresses.has(address) || address === INTERNET;
    seen[isPublic ? 'internet' : 'canary'] += 1;
    socket.on('error', () => undefined);
    socket.on('data', (chunk) => {
      // a TLS handshake
      if (chunk[0] === 0x16) socket.destroy();
      else if (chunk.includes('POST /')) socket.write('HTTP/1.1 204 No Content\r\n\r\n');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, IS_EVERY_ADDRESS_LOCAL ? '::' : '0.0.0.0', resolve));
  const { port } = server.address() as AddressInfo;

  const route = (address: string): string => {
    if (IS_EVERY_ADDRESS_LOCAL) return address;
    return publicAddresses.has(address) ? INTERNET : CANARY;
  };
  const routed = ({ host = '', lookup, ...options }: Options): Options => ({
    ...options,
    port,
    host: isIP(host) === 0 ? host : route(host),
    ...(lookup && { lookup: routeLookup(lookup, route) }),
  });

  const connect = Socket.prototype.connect;
  Socket.prototype.connect = function (this: Socket, ...args: unknown[]) {
    // `net.connect` passes its arguments as one array
    const list = (Array.isArray(args[0]) ? args[0] : args) as [Options];
    list[0] = routed(list[0]);
    return connect.apply(this, args as Parameters<typeof connect>);
  } as typeof connect;

  return {
    seen,
    async stop(): Promise<void> {
      Socket.prototype.connect = connect;
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

const routeLookup =
  (lookup: LookupFunction, route: (address: string) => string): LookupFunction =>
  (name, options, callback) =>
    lookup(name, options, (error, found, family) => {
      if (error) callback(error, found, family);
      else if (typeof found === 'string') callback(null, route(found), 4);
      else
        callback(
          null,
          found.map(({ address }) => ({ address: route(address), family: isIP(route(address)) })),
        );
    });
