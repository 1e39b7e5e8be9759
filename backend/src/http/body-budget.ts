/** Bytes that bodies may hold at once: of requests, arriving, parsed and not yet responded to; of files being sent. */
const MAX_HELD_BYTES = 96_000_000;
/** Those of senders that aren't known yet: a third. */
const MAX_ANONYMOUS_BYTES = 32_000_000;
/** Those of one address. A file of the public form has up to 20 MB. */
const MAX_CLIENT_BYTES = 24_000_000;
/** Those of one account, whose owner may download such a file meanwhile. */
const MAX_ACCOUNT_BYTES = 32_000_000;

/** What an anonymous body that may hold more than this is: an upload. */
const MIN_UPLOAD_BYTES = 128_000;
const MAX_UPLOADS_OF_CLIENT = 2;

/** How long an address counts as that of an agent after a request with a valid token. */
const KNOWN_FOR_MS = 24 * 60 * 60_000;
const MAX_KNOWN_ADDRESSES = 10_000;

/** A body was refused, or its reading ended early; `status` is the HTTP status to respond with. */
export class UnreadableBody extends Error {
  readonly status: 400 | 408 | 413 | 415 | 429 | 503;
  constructor(status: UnreadableBody['status']) {
    super(`failed to read the body (${status})`);
    this.status = status;
  }
}

export const isTooLarge = (error: unknown): boolean => error instanceof UnreadableBody && error.status === 413;

/**
 * Whose body it is: of an account; of a client address, as `clientOf` returns it; or of an agent, as long as it isn't
 * known whether it has a valid token.
 */
export type BodyOwner = { account: string } | { client: string; isAgent: boolean };

/** What one body holds. */
export interface BodyHold {
  /** Holds more bytes, or less if negative. Call it before allocating them. @throws UnreadableBody if there is no room */
  grow(bytes: number): void;
  /** The whole body is here: it no longer ends for others. */
  arrived(): void;
  /** Calls back with the reason when others need the memory. */
  whenEnded(call: (reason: UnreadableBody) => void): void;
  release(): void;
}

interface Share {
  name: string;
  max: number;
  /** the status of what there is no room for */
  full: 429 | 503;
  bytes: number;
  uploads: number;
  bodies: Set<Body>;
}

interface Body {
  began: number;
  bytes: number;
  isArriving: boolean;
  /** that of its owner, and that of all owners like it */
  shares: [Share, Share];
  /** why it ended early */
  reason: UnreadableBody | undefined;
  whenEnded: (reason: UnreadableBody) => void;
}

const createShare = (name: string, max: number, full: Share['full']): Share => ({
  ...{ name, max, full, bytes: 0, uploads: 0 },
  bodies: new Set(),
});

function resize(body: Body, bytes: number): void {
  body.bytes += bytes;
  for (const share of body.shares) share.bytes += bytes;
}

function end(body: Body, status: Share['full']): void {
  resize(body, -body.bytes);
  body.isArriving = false;
  body.reason = new UnreadableBody(status);
  body.whenEnded(body.reason);
}

/** The slowest body of a share that is arriving; undefined if none of them holds anything. */
function slowestOf({ bodies }: Share, now: number): Body | undefined {
  const speed = ({ began, bytes }: Body) => bytes / Math.max(1, now - began);
  const holding = [...bodies].filter(({ isArriving, bytes }) => isArriving && bytes > 0);
  return holding.reduce<Body | undefined>((a, b) => (a && speed(a) <= speed(b) ? a : b), undefined);
}

/** Addresses from which an agent has lately sent a valid token. */
function createKnownAddresses(clock: () => number) {
  /** when each one last did, oldest first */
  const seen = new Map<string, number>();
  return {
    has: (client: string): boolean => clock() - (seen.get(client) ?? Number.NEGATIVE_INFINITY) < KNOWN_FOR_MS,
    add(client: string): void {
      seen.delete(client);
      seen.set(client, clock());
      const [oldest = ''] = seen.keys();
      if (seen.size > MAX_KNOWN_ADDRESSES) seen.delete(oldest);
    },
  };
}

export type BodyBudget = ReturnType<typeof createBodyBudget>;

/**
 * Limits what all bodies of this process hold: those of requests, and files that are being sent. A body that is slow or
 * stalled refuses no other: when a share is full, the slowest body in it ends.
 */
export function createBodyBudget({ clock = () => performance.now() } = {}) {
  const anonymous = createShare('anonymous', MAX_ANONYMOUS_BYTES, 503);
  const known = createShare('known', MAX_HELD_BYTES - MAX_ANONYMOUS_BYTES, 503);
  /** the shares of owners that have bodies now */
  const owners = new Map<string, Share>();
  const agents = createKnownAddresses(clock);

  function sharesOf(owner: BodyOwner): [Share, Share] {
    const ownShare = (name: string, max: number) => owners.get(name) ?? createShare(name, max, 429);
    if ('account' in owner) return [ownShare(`account ${owner.account}`, MAX_ACCOUNT_BYTES), known];
    const { client, isAgent } = owner;
    if (isAgent && agents.has(client)) return [ownShare(`agent ${client}`, MAX_CLIENT_BYTES), known];
    return [ownShare(`client ${client}`, MAX_CLIENT_BYTES), anonymous];
  }

  function grow(body: Body, bytes: number): void {
    if (!body.reason) resize(body, bytes);
    for (const share of body.shares)
      while (share.bytes > share.max && !body.reason) end(slowestOf(share, clock()) ?? body, share.full);
    if (body.reason) throw body.reason;
  }

  function remove(body: Body, isUpload: boolean): void {
    const [own] = body.shares;
    resize(body, -body.bytes);
    for (const { bodies } of body.shares) bodies.delete(body);
    if (isUpload) own.uploads -= 1;
    if (own.bodies.size === 0) owners.delete(own.name);
  }

  return {
    /** Bytes that all bodies hold now. */
    held: (): number => anonymous.bytes + known.bytes,

    /** An agent of this address has sent a valid token: for a day, bodies of agents have room of their own there. */
    knowAddress: agents.add,

    /**
     * A body is about to be read.
     * @param atMost bytes it may hold at most
     * @throws UnreadableBody if its owner has too many uploads
     */
    begin(owner: BodyOwner, atMost: number): BodyHold {
      const shares = sharesOf(owner);
      const [own, all] = shares;
      const isUpload = all === anonymous && atMost > MIN_UPLOAD_BYTES;
      if (isUpload && own.uploads >= MAX_UPLOADS_OF_CLIENT) throw new UnreadableBody(503);
      owners.set(own.name, own);
      const body: Body = {
        ...{ began: clock(), bytes: 0, isArriving: true, shares, reason: undefined },
        whenEnded: () => undefined,
      };
      for (const { bodies } of shares) bodies.add(body);
      if (isUpload) own.uploads += 1;
      let isReleased = false;
      return {
        grow: (bytes) => grow(body, bytes),
        arrived() {
          body.isArriving = false;
        },
        whenEnded(call) {
          body.whenEnded = call;
        },
        release() {
          if (!isReleased) remove(body, isUpload);
          isReleased = true;
        },
      };
    },
  };
}
