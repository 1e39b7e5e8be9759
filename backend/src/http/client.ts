import type { Request } from 'express';
import { ipKeyGenerator } from 'express-rate-limit';

/** The client's address, for IPv6 its /64 network. X-Forwarded-For counts only behind a trusted proxy. */
export const clientOf = (req: Request): string => ipKeyGenerator(req.ip ?? '', 64);
