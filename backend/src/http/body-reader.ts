import type { Request, Response } from 'express';
import { type BodyBudget, type BodyHold, type BodyOwner, createBodyBudget, UnreadableBody } from './body-budget.ts';
import { clientOf } from './client.ts';
import { isFragmented } from './merge-pieces.ts';

/** How long a body of the usual size may take. */
export const BODY_WITHIN_MS = 30_000;
/** How long an uploaded file may take: 20 MB at 1 Mbit/s. Node.js closes a request after 180 s. */
export const UPLOAD_WITHIN_MS = 175_000;

export interface BodyLimits {
  /** of the body as it arrives; more is not read */
  maxBytes: number;
  withinMs: number;
}

/** Who sends a body, as far as it is known before it is read: `agent`, whose token may be in the body. */
export type BodySender = { accountId: string } | 'agent' | 'anyone';

const BUDGET = 'body budget';

/** Makes the routers of an application share one budget. Without it, each body only has its own limits. */
export const shareBudget = (app: { set(name: string, value: BodyBudget): unknown }, budget: BodyBudget): void =>
  void app.set(BUDGET, budget);

const budgetOf = (req: Request): BodyBudget => (req.app.get(BUDGET) as BodyBudget | undefined) ?? createBodyBudget();

/** A client at this address has sent a valid agent token. */
export const knowAddress = (req: Request): void => budgetOf(req).knowAddress(clientOf(req));

/** Bytes that the body has according to its headers; 0 if they don't say. */
const declaredLength = ({ headers }: Request): number => Number(headers['content-length'] ?? 0);

function beginBody(req: Request, res: Response, sender: BodySender, atMost: number): BodyHold {
  const owner: BodyOwner =
    typeof sender === 'string' ? { client: clientOf(req), isAgent: sender === 'agent' } : { account: sender.accountId };
  const hold = budgetOf(req).begin(owner, atMost);
  res.once('close', hold.release);
  return hold;
}

/**
 * Admits a body before a byte of it is read. What it holds counts until the response is complete.
 * @param atMost bytes that it may hold
 * @throws UnreadableBody
 */
export const admitBody = (req: Request, res: Response, sender: BodySender, atMost: number): BodyHold =>
  beginBody(req, res, sender, Math.min(atMost, declaredLength(req) || atMost));

/**
 * Sends a file. As long as the client hasn't read all of it, it counts like the body of a request.
 * @throws UnreadableBody if there is no room for it
 */
export function sendFile(req: Request, res: Response, reader: BodySender, content: Buffer): void {
  const hold = beginBody(req, res, reader, 0);
  hold.whenEnded(() => res.destroy());
  hold.grow(content.length);
  res.setHeader('Content-Length', content.length);
  res.end(content);
}

export interface Reading {
  /** Resolves when the whole body has arrived, or by `stop`. Rejects with an `UnreadableBody`, or what `take` throws. */
  ended: Promise<void>;
  /** The rest of the body isn't wanted: it is discarded as it arrives. */
  stop(error?: unknown): void;
}

/**
 * Reads a body piece by piece, each of 4 kB or more but for the last one. The only place that reads from a request.
 * @param take gets each piece; false: there is no room for it
 */
export function readPieces(
  req: Request,
  { maxBytes, withinMs }: BodyLimits,
  hold: BodyHold,
  take: (piece: Buffer) => boolean,
): Reading {
  let stop: Reading['stop'] = () => undefined;
  const ended = new Promise<void>((resolve, reject) => {
    let received = 0;
    const timer = setTimeout(() => stop(new UnreadableBody(408)), withinMs);
    const onData = (piece: Buffer) => {
      received += piece.length;
      try {
        if (isFragmented(req)) stop(new UnreadableBody(400));
        else if (received > maxBytes || !take(piece)) stop(new UnreadableBody(413));
      } catch (error) {
        stop(error);
      }
    };
    const onEnd = () => {
      hold.arrived();
      stop();
    };
    const onClose = () => stop(new UnreadableBody(400));
    let hasEnded = false;
    stop = (error) => {
      if (hasEnded) return;
      hasEnded = true;
      clearTimeout(timer);
      req.off('data', onData);
      req.off('end', onEnd);
      req.off('close', onClose);
      // otherwise the rest of the body would block the next request
      if (!isFragmented(req)) req.resume();
      if (error === undefined) resolve();
      else reject(error);
    };
    hold.whenEnded(stop);
    req.on('data', onData);
    req.on('end', onEnd);
    req.on('close', onClose);
    req.on('error', onClose);
    if (declaredLength(req) > maxBytes) stop(new UnreadableBody(413));
  });
  return { ended, stop };
}

/** Collects bytes in one buffer that grows to its limit, so that it holds little more than its content. */
export function createGrowingBuffer(hold: BodyHold, maxBytes: number) {
  let bytes = Buffer.alloc(0);
  let length = 0;
  return {
    /** @returns false, without them, if they would be too many */
    append(piece: Buffer): boolean {
      const needed = length + piece.length;
      if (needed > maxBytes) return false;
      if (needed > bytes.length) {
        const larger = Math.min(Math.max(needed, 2 * length), maxBytes);
        hold.grow(larger - bytes.length);
        const before = bytes;
        bytes = Buffer.allocUnsafe(larger);
        before.copy(bytes, 0, 0, length);
      }
      piece.copy(bytes, length);
      length = needed;
      return true;
    },
    content: (): Buffer => bytes.subarray(0, length),
    clear(): void {
      hold.grow(-bytes.length);
      bytes = Buffer.alloc(0);
      length = 0;
    },
  };
}

/** Reads a whole body. @throws UnreadableBody */
export async function readWhole(req: Request, limits: BodyLimits, hold: BodyHold): Promise<Buffer> {
  const buffer = createGrowingBuffer(hold, Math.min(limits.maxBytes, declaredLength(req) || limits.maxBytes));
  await readPieces(req, limits, hold, buffer.append).ended;
  return buffer.content();
}
