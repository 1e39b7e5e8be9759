/** Bytes that all bodies may hold at once: read, parsed and not yet responded to. */
export const MAX_HELD_BYTES = 96_000_000;
/** Those of senders who aren't known yet. */
const MAX_ANONYMOUS_BYTES = MAX_HELD_BYTES / 3;
/** Those of one address: a file of the public form has up to 20 MB. */
const MAX_CLIENT_BYTES = 24_000_000;
/** Those of one account, or of one address of an agent. */
const MAX_KNOWN_BYTES = 16_000_000;

/** An anonymous body that may hold more than this is an upload. */
const UPLOAD_BYTES = 128_000;
const MAX_UPLOADS_OF_CLIENT = 2;

/** How long an address counts as that of an agent after a request with a valid token. */
const KNOWN_FOR_MS = 24 * 60 * 60_000;
const MAX_KNOWN_ADDRESSES = 10_000;

/** A body was refused, or its reading ended early; `status` is the HTTP status to respond with. */
export class UnreadableBody extends Error {
  readonly status: 400 | 408 | 413 | 415 | 429 | 503;
  constructor(status: UnreadableBody['status'], message = `failed to read the body (${status})`) {
    super(message);
    this.status = status;
  }
}

export const isTooLarge = (error: unknown): boolean => error instanceof UnreadableBody && error.status === 413;

/**
 * Whose body it is: of an account; of a client address, as `clientOf` returns it; or of an agent that it isn't known yet
 * whether it has a valid token.
 */
export type BodyOwner = { account: string } | { client: string; isAgent: boolean };

/** What one body holds. */
export interface BodyHold {
  /** Calls back with the reason when others need the memory. */
  whenEnded(call: (reason: UnreadableBody) => void): void;
  /** Holds more bytes. Call it before allocating them. @throws UnreadableBody if there is no room */
  grow(bytes: number): void;
  /** The whole body has arrived: it no longer ends for others. */
  arrived(): void;
  release(): void;
}

interface Share {
  max: number;
  bytes: number;
  uploads: number;
  bodies: Set<Body>;
  /** the status of what there is no room for */
  full: 429 | 503;
}

interface Body {
  began: number;
  bytes: number;
  isArriving: boolean;
  shares: Share[];
  /** why it ended early */
  reason: UnreadableBody | undefined;
  whenEnded: (reason: UnreadableBody) => void;
}

export type BodyBudget = ReturnType<typeof createBodyBudget>;

/**
 * Limits what the bodies of all requests of this process hold. A body that is slow or stalled refuses no other: when a
 * share is full, the slowest body in it ends.
 */
export function createBodyBudget({ clock = () => performance.now() } = {}) {
  const createShare = (max: number, full: Share['full']): Share => ({
    ...{ max, full, bytes: 0, uploads: 0 },
    bodies: new Set(),
  });
  const anonymous = createShare(MAX_ANONYMOUS_BYTES, 503);
  const known = createShare(MAX_HELD_BYTES - MAX_ANONYMOUS_BYTES, 503);
  /** shares of accounts and addresses that have bodies now */
  const owners = new Map<string, Share>();
  /** when each address last sent a valid agent token, oldest first */
  const agents = new Map<string, number>();

  const isKnownAddress = (client: string): boolean => clock() - (agents.get(client) ?? -Infinity) < KNOWN_FOR_MS;

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

  /** The slowest body that is arriving; undefined if none holds anything. */
  function slowestOf({ bodies }: Share): Body | undefined {
    const now = clock();
    const speed = ({ began, bytes }: Body) => bytes / Math.max(1, now - began);
    let slowest: Body | undefined;
    for (const body of bodies) {
      if (body.isArriving && body.bytes > 0 && (!slowest || speed(body) < speed(slowest))) slowest = body;
    }
    return slowest;
  }

  function makeRoom(body: Body): void {
    for (const share of body.shares) {
      while (share.bytes > share.max && !body.reason) end(slowestOf(share) ?? body, share.full);
    }
  }

  return {
    /** Bytes that all bodies hold now. */
    held: (): number => anonymous.bytes + known.bytes,

    /** An agent of this address has sent a valid token: for a day, its bodies have room that is not for everybody. */
    knowAddress(client: string): void {
      agents.delete(client);
      agents.set(client, clock());
      const [oldest] = agents.keys();
      if (agents.size > MAX_KNOWN_ADDRESSES && oldest !== undefined) agents.delete(oldest);
    },

    /**
     * A body is about to be read.
     * @param atMost bytes it may hold at most
     * @throws UnreadableBody if its owner has too many uploads
     */
    begin(owner: BodyOwner, atMost: number): BodyHold {
      const isKnown = 'account' in owner || (owner.isAgent && isKnownAddress(owner.client));
      const name = 'account' in owner ? `account ${owner.account}` : `${isKnown ? 'agent' : 'client'} ${owner.client}`;
      const own = owners.get(name) ?? createShare(isKnown ? MAX_KNOWN_BYTES : MAX_CLIENT_BYTES, 429);
      const isUpload = !isKnown && atMost > UPLOAD_BYTES;
      if (isUpload && own.uploads >= MAX_UPLOADS_OF_CLIENT) throw new UnreadableBody(503);
      owners.set(name, own);
      const shares = [own, isKnown ? known : anonymous];
      const body: Body = {
        ...{ began: clock(), bytes: 0, isArriving: true, shares, reason: undefined },
        whenEnded: () => undefined,
      };
      for (const { bodies } of shares) bodies.add(body);
      if (isUpload) own.uploads += 1;
      let isReleased = false;
      return {
        whenEnded(call) {
          body.whenEnded = call;
        },
        grow(bytes) {
          if (!body.reason) {
            resize(body, bytes);
            makeRoom(body);
          }
          if (body.reason) throw body.reason;
        },
        arrived() {
          body.isArriving = false;
        },
        release() {
          if (isReleased) return;
          isReleased = true;
          resize(body, -body.bytes);
          for (const { bodies } of shares) bodies.delete(body);
          if (isUpload) own.uploads -= 1;
          if (own.bodies.size === 0) owners.delete(name);
        },
      };
    },
  };
}
