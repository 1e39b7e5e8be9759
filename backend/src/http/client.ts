import type { Request } from 'express';
import { ipKeyGenerator } from 'express-rate-limit';

/** The address of whoever asks; of IPv6 the network, for there one has many. A proxy's word counts only where it is trusted. */
export const clientOf = (req: Request): string => ipKeyGenerator(req.ip ?? '', 64);
